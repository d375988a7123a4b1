import HAPCommandLine
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTransport

/// What is to be written where, in a person's words: "Target Door State", "open".
struct Assignment: Equatable, Sendable {
  var path: String
  var text: String
}

extension AttributeDatabase {
  /// "Brightness: the accessory refuses: invalidValue (-70410); it takes 0 to 100 in steps of 1"
  func refusal(_ entry: CharacteristicEntry) -> String {
    let reason = entry.failure.map { "\($0) (\(entry.status ?? 0))" } ?? "status \(entry.status ?? 0)"
    guard let slot = slot(of: entry.id) else { return "\(entry.id): the accessory refuses: \(reason)" }
    let taken = entry.failure == .invalidValue ? "; it takes \(characteristics[slot].takenValues)" : ""
    return "\(title(ofSlot: slot)): the accessory refuses: \(reason)\(taken)"
  }
}

extension OpenAccessory {
  /// Writes characteristics in one request; as a timed write where one of them asks for it.
  /// - Returns: what was asked of the accessory, and what it refuses.
  /// - Throws: where a path or a value makes no sense; nothing is asked of the accessory then.
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
          "\(shown(assignment.text)) is no value of \(database.title(ofSlot: slot)): it takes \(characteristic.takenValues)"
        )
      }
      isTimed = isTimed || characteristic.perms.contains(.timedWrite)
      entries.append(.init(id, value: value))
    }
    let pid = isTimed ? client.loop.random.bytes(6).reduce(1) { $0 << 8 | UInt64($1) } : nil
    if let pid {
      let answer = try await client.request(.prepare(ttl: 5000, pid: pid))
      guard answer.status == 200 else { throw ClientError.status(answer.status, request: "PUT /prepare") }
    }
    return (entries, try await self.entries(.write(entries, pid: pid)).filter { !$0.isSuccess })
  }

  /// Lets it show which one it is, by its Identify characteristic: the way of those that are paired with it.
  func identify(in database: AttributeDatabase) async throws {
    guard let slot = database.characteristics.firstIndex(where: { $0.type == CharacteristicDefinition.identify.type })
    else { throw Failure(.problem, "the accessory has no Identify") }
    let entries = try await entries(.write([.init(database.id(ofSlot: slot), value: .bool(true))]))
    if let status = entries.first(where: { !$0.isSuccess })?.status {
      throw Failure(.problem, "the accessory refuses with \(status)")
    }
  }
}
