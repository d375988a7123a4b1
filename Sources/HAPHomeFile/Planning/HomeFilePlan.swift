import HAPHome
import HAPWire

/// The commands that make a home as a document describes it, in an order in which the home refuses none of them.
///
/// The commands were performed on a copy of the model, so new objects already have their identifiers. To apply the plan, replace the model by
/// `model`, and store `changes`. The commands themselves cannot be repeated: they would create other identifiers.
package struct HomeFilePlan: Sendable {
  /// The home, which may be new.
  package let home: HomeObjectID
  /// The model afterwards.
  package let model: HomeModel
  package let steps: [Step]

  package struct Step: Sendable {
    package let command: HomeCommand
    /// Never empty.
    package let changes: [HomeChange]
    /// Nil for a step that only prepares others.
    package let difference: HomeDifference?
  }

  package var changes: [HomeChange] { steps.flatMap(\.changes) }

  /// What differs between the home and the document, in the order of the steps.
  package var differences: [HomeDifference] { steps.compactMap(\.difference) }

  /// The differences as a list.
  package var node: JSONNode { .list(differences.map(\.node)) }
}

/// One difference between a home and a document.
package struct HomeDifference: Hashable, Sendable, CustomStringConvertible {
  package enum Change: String, CaseIterable, Sendable {
    case add, remove, rename, update
  }

  package var change: Change
  /// The kind of object, such as "room".
  package var kind: String
  /// The name of the object in the document; for a removed object, in the home.
  package var name: String
  /// What is done, as a sentence without a period: "add the room "Kitchen"".
  package var text: String
  /// The place in the document.
  package var place: JSONPlace

  package var description: String { text }

  static func update(_ kind: String, _ name: Placed<String>, _ text: String) -> HomeDifference {
    HomeDifference(change: .update, kind: kind, name: name.value, text: text, place: name.place)
  }

  fileprivate var node: JSONNode {
    .object([
      ("change", .text(change.rawValue)), ("kind", .text(kind)), ("name", .text(name)), ("text", .text(text)),
      ("line", .integer(place.line)), ("column", .integer(place.column)),
    ])
  }
}

extension HomeFile {
  package struct PlanOptions: Sendable {
    /// The home to change, which may get another name; nil: the home with the name in the document, or else a new home.
    package var home: HomeObjectID?
    /// Whether objects are removed that are in no section of the document. Only sections that the document has count. Accessories and
    /// built-in scenes are never removed.
    package var removesOthers = false
    /// The name of the owner of a new home.
    package var owner = "Owner"

    package init() {}
  }

  /// Compares the document with a home, and plans the changes that make them equal.
  ///
  /// An object that exists by name keeps its identifier. Accessories are found by their devices, or by name.
  /// - Parameter generator: the source of new identifiers.
  /// - Throws: all references that lead nowhere, or else the rules that the document breaks.
  package func plan<Generator: RandomNumberGenerator>(
    for model: HomeModel, _ options: PlanOptions = PlanOptions(), in context: HomeContext,
    using generator: inout Generator
  ) throws(HomeFileProblems) -> HomeFilePlan {
    var planner = HomeFilePlanner(file: self, model: model, options, context: context, generator: generator)
    defer { generator = planner.generator }
    return try planner.plan()
  }
}
