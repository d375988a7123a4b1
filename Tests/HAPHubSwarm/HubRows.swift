import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPStore
import HAPWire

/// The part of a trigger that the hub itself changes. The rest of the home stays as it is in a run.
struct HubTriggerRow {
  let id: HomeObjectID
  let isEnabled: Bool
  let lastFire: Instant?

  init(_ trigger: Trigger) { (id, isEnabled, lastFire) = (trigger.id, trigger.isEnabled, trigger.lastFire) }

  /// - Returns: nil if the row is not one that `row(in:)` made.
  init?(_ row: HomeObjectRow) {
    guard let id = HomeObjectID(row.id), let node = try? JSONNode.parse(Array(row.json.utf8)),
      let isEnabled = node["enabled"]?.boolValue
    else { return nil }
    (self.id, self.isEnabled) = (id, isEnabled)
    lastFire = node["lastFire"]?.stringValue.flatMap(HomeText.instant)
  }

  func row(in home: HomeObjectID) -> HomeRowChange {
    var members: [(name: String, value: JSONNode)] = [("enabled", JSONNode(.bool(isEnabled)))]
    if let lastFire { members.append(("lastFire", .text(HomeText.instantText(lastFire)))) }
    return .keep(
      .object(
        HomeObjectRow(
          id: id.description, home: home.description, kind: "trigger", name: "",
          json: JSONNode.object(members).compactText)))
  }
}
