import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

/// A `.hashome` document: a home as a person describes it, by names. It contains no identifiers and no keys.
///
/// A member that is nil is not in the document. `plan` leaves that part of the home as it is.
package struct HomeFile: Equatable, Sendable {
  /// The name of the home.
  package var home: Placed<String>
  package var timeZone: Placed<ZoneName>?
  /// The outer nil: not in the document. The inner nil: the home has no location.
  package var location: Placed<Coordinate?>?
  package var rooms: [Placed<String>]?
  package var zones: [ZoneEntry]?
  package var accessories: [AccessoryEntry]?
  package var groups: [GroupEntry]?
  package var scenes: [SceneEntry]?
  package var triggers: [TriggerEntry]?

  package init(home: Placed<String>) { self.home = home }

  /// A zone, with the names of its rooms.
  package struct ZoneEntry: Equatable, Sendable {
    package var name: Placed<String>
    package var rooms: [Placed<String>]
  }

  /// An accessory. It is found by its device, or by its name if the document does not have the device.
  package struct AccessoryEntry: Equatable, Sendable {
    package var name: Placed<String>
    package var device: DeviceID?
    /// 1 for an accessory that is not bridged.
    package var aid: UInt64
    package var room: Placed<String>?
    package var services: [ServiceEntry]
  }

  /// The name of a service, and the device that it controls.
  package struct ServiceEntry: Equatable, Sendable {
    /// The name of its type, its name, or its iid.
    package var service: Placed<HomeFilePath.Part>
    package var name: Placed<String>?
    /// The outer nil: not in the document. The inner nil: the type is not set.
    package var associatedType: Placed<TypeID?>?
  }

  /// A group of services.
  package struct GroupEntry: Equatable, Sendable {
    package var name: Placed<String>
    package var services: [Placed<HomeFilePath>]
  }

  /// An action set.
  package struct SceneEntry: Equatable, Sendable {
    package var name: Placed<String>
    /// A type of which the home has one set from the start; nil: the scene is found by its name.
    package var builtIn: ActionSet.Kind?
    package var actions: [ActionEntry]?
  }

  /// A value that a scene writes.
  package struct ActionEntry: Equatable, Sendable {
    package var characteristic: Placed<HomeFilePath>
    package var value: Placed<Value>
  }

  /// A trigger.
  package struct TriggerEntry: Equatable, Sendable {
    package var name: Placed<String>
    /// Nil: not in the document.
    package var kind: TriggerKind?
    package var run: [RunEntry]?
    package var isEnabled: Placed<Bool>?
  }

  /// The time or the events of a trigger in the notation of documents. Its form is checked when it is read, and its
  /// references when they are looked up in a home.
  package struct TriggerKind: Equatable, Sendable {
    /// The members `at`, `every` and `timeZone`, or `when`, `if`, `end`, `weekdays` and `once`.
    let node: JSONNode

    init(_ node: JSONNode) { self.node = node.withSortedUsers }

    /// Compares the content, not the places.
    package static func == (a: Self, b: Self) -> Bool { a.node.says(b.node) }
  }

  /// A set that a trigger executes.
  package enum RunEntry: Equatable, Sendable {
    case scene(Placed<String>)
    /// Actions that belong to this trigger alone.
    case actions([ActionEntry])
  }
}

/// A value with its place in the document. The place has no meaning for a value that was not read, and is not compared.
package struct Placed<Wrapped: Equatable & Sendable>: Equatable, Sendable {
  package var value: Wrapped
  package var place: JSONPlace

  package init(_ value: Wrapped, at place: JSONPlace = JSONPlace(line: 1, column: 1)) {
    self.value = value
    self.place = place
  }

  package static func == (a: Self, b: Self) -> Bool { a.value == b.value }
}

/// An error in a document, or a rule of the home that the document breaks.
package struct HomeFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var place: JSONPlace
  package var message: String

  package init(_ place: JSONPlace, _ message: String) {
    self.place = place
    self.message = message
  }

  init(_ problem: JSONProblem) {
    self.init(problem.place, problem.path.isEmpty ? problem.message : "\(problem.path): \(problem.message)")
  }

  /// "LINE:COLUMN: MESSAGE".
  package var description: String { "\(place): \(message)" }
}

/// The errors of a document, in the order of their places. There is at least one.
package struct HomeFileProblems: Error, Equatable, Sendable {
  /// The search ends after this number of errors: a hint for each of a million wrong names would take hours.
  package static let limit = 1000

  package var problems: [HomeFileProblem]

  init(_ problems: [HomeFileProblem]) {
    var seen: Set<HomeFileProblem> = []
    self.problems = problems.filter { seen.insert($0).inserted }
      .sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    guard problems.count >= Self.limit, let last = self.problems.last else { return }
    self.problems =
      self.problems.prefix(Self.limit)
      + [HomeFileProblem(last.place, "there may be more errors: correct the first \(Self.limit) errors")]
  }
}
