import HAPIP
import HAPModel
import HAPTransport

extension OpenAccessory {
  /// Reads characteristics, at most 100 in one request.
  package func read(_ ids: [AttributeID]) async throws -> [CharacteristicEntry] {
    var entries: [CharacteristicEntry] = []
    for start in stride(from: 0, to: ids.count, by: 100) {
      entries += try await self.entries(.read(Array(ids[start..<min(start + 100, ids.count)])))
    }
    return entries
  }

  /// Subscribes to characteristics, or removes subscriptions.
  /// - Returns: the entries that the accessory refused.
  package func subscribe(_ ids: [AttributeID], _ isOn: Bool = true) async throws -> [CharacteristicEntry] {
    try await entries(.write(ids.map { .init($0, ev: isOn) })).filter { !$0.isSuccess }
  }

  /// Writes characteristics in one request.
  /// - Parameter isTimed: whether to make a timed write. HAP R2 §6.7.2.4.
  /// - Returns: the entries that the accessory refused.
  package func write(
    _ entries: [ControllerRequest.WriteEntry], isTimed: Bool
  ) async throws -> [CharacteristicEntry] {
    let pid = isTimed ? client.loop.random.bytes(6).reduce(1) { $0 << 8 | UInt64($1) } : nil
    if let pid {
      let answer = try await client.request(.prepare(ttl: 5000, pid: pid))
      guard answer.status == 200 else { throw ClientError.status(answer.status, request: "PUT /prepare") }
    }
    return try await self.entries(.write(entries, pid: pid)).filter { !$0.isSuccess }
  }

  /// Makes the accessory identify itself, through its characteristic Identify, as paired controllers do.
  /// - Throws: `AccessError.noIdentify`, `.identifyRefused`.
  package func identify(in database: AttributeDatabase) async throws {
    let entries = try await entries(.write([.init(try database.identifyID(), value: .bool(true))]))
    if let status = entries.first(where: { !$0.isSuccess })?.status { throw AccessError.identifyRefused(status) }
  }
}

extension AttributeDatabase {
  /// The first characteristic Identify.
  /// - Throws: `.noIdentify`.
  func identifyID() throws(AccessError) -> AttributeID {
    guard let slot = characteristics.firstIndex(where: { $0.type == CharacteristicDefinition.identify.type }) else {
      throw .noIdentify
    }
    return id(ofSlot: slot)
  }
}
