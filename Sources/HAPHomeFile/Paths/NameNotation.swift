import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

/// Collects the problems of a notation, whose functions do not change it.
private final class LostReferences {
  var problems: [JSONProblem] = []
}

/// The notation of documents: paths and names instead of identifiers, names of values, and civil times.
///
/// A reference that leads nowhere is reported, and reading continues, so that all of them are found at once.
package struct NameNotation: HomeNotation {
  let home: Home
  let directory: HomeDirectory
  /// The zone of the times of a timer, and its rules; nil if the machine does not have them.
  let zone: ZoneName
  let zoneRules: ZoneRules?
  private let lost = LostReferences()

  /// - Parameters:
  ///   - directory: the names of accessories and services.
  ///   - zone: the zone of the times of a timer.
  package init(_ home: Home, _ directory: HomeDirectory, zone: ZoneName, _ zoneRules: (ZoneName) -> ZoneRules?) {
    (self.home, self.directory, self.zone) = (home, directory, zone)
    self.zoneRules = zoneRules(zone)
  }

  /// The references that led nowhere.
  package var problems: [JSONProblem] { lost.problems }

  private func report(_ problem: JSONProblem) { lost.problems.append(problem) }

  // MARK: References

  package func reference(_ node: JSONNode, to kind: HomeObjectKind) throws(JSONProblem) -> HomeObjectID {
    if lost.problems.count >= HomeFileProblems.limit { throw node.problem("too many references lead nowhere") }
    if kind == .user {
      let name = try node.placedText()
      let key = HomeName(name.value).key
      if let user = home.users.first(where: { HomeName($0.name).key == key }) { return user.id }
      let hint = nearestName(to: name.value, in: home.users.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
      report(node.problem("the home \"\(home.name)\" has no user \"\(name.value)\"\(hint)"))
      return home.id
    }
    precondition(kind == .characteristic, "events and conditions refer to users and characteristics")
    let path = try node.placedPath().value
    do throws(HomeDirectory.NotFound) { return try directory.characteristic(path).id } catch {
      report(node.problem(error.message))
      return home.id
    }
  }

  package func written(_ id: HomeObjectID, _ kind: HomeObjectKind) -> JSONNode {
    if kind == .user { return .text(home.users.first { $0.id == id }?.name ?? "") }
    return .text(directory.path(ofCharacteristic: id)?.description ?? "")
  }

  // MARK: Values

  package func value(_ node: JSONNode, of characteristic: HomeObjectID) throws(JSONProblem) -> Value {
    let value = try node.placedValue().value
    guard let found = home.characteristic(characteristic) else { return value }  // the reference leads nowhere
    do throws(HomeDirectory.NotFound) { return try found.characteristic.meaning(of: value) } catch {
      report(node.problem(error.message))
      return value
    }
  }

  package func written(_ value: Value, of characteristic: HomeObjectID) -> JSONNode {
    (home.characteristic(characteristic)?.characteristic.written(value) ?? value).exactNode
  }

  // MARK: Times

  package func instant(_ node: JSONNode) throws(JSONProblem) -> Instant {
    switch try node.start() {
    case .instant(let instant): return instant
    case .civil(let time):
      guard let zoneRules else {
        report(node.problem("this machine has no time zone \"\(zone)\": install tzdata or name another"))
        return .distantPast
      }
      return try node.checked(zoneRules.instant(of: time))
    }
  }

  /// A civil time in the zone. If the clock shows the time twice, it means the first one, so the second is in UTC.
  package func written(_ instant: Instant) -> JSONNode {
    if let zoneRules {
      let time = zoneRules.civilTime(at: instant)
      if zoneRules.instant(of: time) == instant { return .text(time.shortText) }
    }
    return .text(ZoneRules.utc.civilTime(at: instant).shortText + "Z")
  }
}

/// Checks the form of events and conditions without a home.
struct FormNotation: HomeNotation {
  private static let anything = HomeObjectID("00000000-0000-4000-8000-000000000000")

  func reference(_ node: JSONNode, to kind: HomeObjectKind) throws(JSONProblem) -> HomeObjectID {
    if kind == .user { _ = try node.placedText() } else { _ = try node.placedPath() }
    guard let anything = Self.anything else { preconditionFailure("this is an identifier") }
    return anything
  }

  func value(_ node: JSONNode, of characteristic: HomeObjectID) throws(JSONProblem) -> Value {
    try node.placedValue().value
  }

  func instant(_ node: JSONNode) throws(JSONProblem) -> Instant {
    _ = try node.start()
    return .distantPast
  }

  func written(_ id: HomeObjectID, _ kind: HomeObjectKind) -> JSONNode { unwritten }
  func written(_ value: Value, of characteristic: HomeObjectID) -> JSONNode { unwritten }
  func written(_ instant: Instant) -> JSONNode { unwritten }

  private var unwritten: JSONNode { preconditionFailure("this notation only reads") }
}

extension JSONNode {
  fileprivate enum Start {
    case civil(CivilTime)
    case instant(Instant)
  }

  /// Reads a time such as "2026-06-01T19:00", or with "Z" at the end in UTC.
  fileprivate func start() throws(JSONProblem) -> Start {
    let text = try asString()
    let instant: Instant
    do throws(CivilError) {
      guard text.hasSuffix("Z") else { return .civil(try CivilTime(text)) }
      instant = ZoneRules.utc.instant(of: try CivilTime(String(text.dropLast())))
    } catch { throw problem("\(error), such as \"2026-06-01T19:00\"") }
    return .instant(try checked(instant))
  }

  /// - Throws: for a time for which there is no instant: the first or the last one would replace it.
  fileprivate func checked(_ instant: Instant) throws(JSONProblem) -> Instant {
    guard Instant.distantPast < instant, instant < .distantFuture else {
      throw problem("\(stringValue ?? "the time") is outside of the years 1677 to 2262")
    }
    return instant
  }
}

extension CivilTime {
  /// "2026-06-01T19:00", with seconds only if they are not zero.
  fileprivate var shortText: String { second == 0 && nanosecond == 0 ? String(description.dropLast(3)) : description }
}
