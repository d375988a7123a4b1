import HAPCommandLine
import HAPController
import HAPIP
import HAPModel

/// A write as the user typed it: "Target Door State", "open".
struct Assignment: Equatable, Sendable {
  var path: String
  var text: String
}

extension AttributeDatabase {
  /// Returns text such as "Brightness: the accessory refuses: invalidValue (-70410); it takes 0 to 100 in steps of 1".
  func refusal(_ entry: CharacteristicEntry) -> String {
    let reason = entry.failure.map { "\($0) (\(entry.status ?? 0))" } ?? "status \(entry.status ?? 0)"
    guard let slot = slot(of: entry.id) else { return "\(entry.id): the accessory refuses: \(reason)" }
    let taken = entry.failure == .invalidValue ? "; it takes \(characteristics[slot].takenValues)" : ""
    return "\(title(ofSlot: slot)): the accessory refuses: \(reason)\(taken)"
  }
}

extension AccessoryRequests {
  /// Writes characteristics in one request, as a timed write if one of them requires it.
  /// - Returns: the requested writes, and those that the accessory refused.
  /// - Throws: if a path or a value is invalid; no request is sent then.
  func write(_ assignments: [Assignment], in database: AttributeDatabase) async throws
    -> (written: [ControllerRequest.WriteEntry], refused: [CharacteristicEntry])
  {
    var entries: [ControllerRequest.WriteEntry] = []
    var isTimed = false
    for assignment in assignments {
      let id = try database.id(forPath: assignment.path)
      guard let slot = database.slot(of: id) else { preconditionFailure("it was found in the database") }
      let characteristic = database.characteristics[slot]
      guard let value = characteristic.value(fromText: assignment.text) else {
        throw Failure(
          .usage,
          "\(shown(assignment.text)) is not a value of \(database.title(ofSlot: slot)): it takes \(characteristic.takenValues)"
        )
      }
      isTimed = isTimed || characteristic.perms.contains(.timedWrite)
      entries.append(.init(id, value: value))
    }
    return (entries, try await writeEntries(entries, isTimed: isTimed).list.filter { !$0.isSuccess })
  }
}
