import HAPIP
import HAPLoop
import HAPModel
import HAPTransport
import HAPWire

/// A sender of requests to an accessory: one verified connection, or a session that outlives its connections.
package protocol AccessoryRequests: Sendable {
  var loop: EventLoop { get }

  /// Sends a request after the earlier ones were answered. Returns its answer, whatever the status.
  func answer(to request: ControllerRequest) async throws(ClientError) -> LinkMessage
}

extension AccessoryRequests {
  /// Returns the entries of an answer to `request` and its HTTP status. An answer with 200 or 207 has entries; one with
  /// 204 has none.
  package func entries(
    _ request: ControllerRequest
  ) async throws(ClientError) -> (list: [CharacteristicEntry], httpStatus: Int) {
    let answer = try await answer(to: request)
    var reader = AttributeReader()
    return (try ControllerConnection.entries(.success(answer), request.name, &reader).get(), answer.status)
  }

  /// Reads characteristics, at most 100 in one request.
  package func readEntries(_ ids: [AttributeID]) async throws(ClientError) -> [CharacteristicEntry] {
    var entries: [CharacteristicEntry] = []
    for start in stride(from: 0, to: ids.count, by: 100) {
      entries += try await self.entries(.read(Array(ids[start..<min(start + 100, ids.count)]))).list
    }
    return entries
  }

  /// Writes characteristics in one request.
  /// - Parameter isTimed: whether to make a timed write. HAP R2 §6.7.2.4.
  package func writeEntries(
    _ entries: [ControllerRequest.WriteEntry], isTimed: Bool
  ) async throws(ClientError) -> (list: [CharacteristicEntry], httpStatus: Int) {
    let pid = isTimed ? try await prepareWrite() : nil
    return try await self.entries(.write(entries, pid: pid))
  }

  /// Prepares a timed write. HAP R2 §6.7.2.4.
  /// - Returns: the random `pid` for the write, which must follow within 5 s.
  package func prepareWrite() async throws(ClientError) -> UInt64 {
    let pid = loop.random.bytes(6).reduce(1) { $0 << 8 | UInt64($1) }
    let answer = try await answer(to: .prepare(ttl: 5000, pid: pid))
    guard answer.status == 200 else { throw ClientError.status(answer.status, request: "PUT /prepare") }
    return pid
  }

  /// Makes the accessory identify itself, through its characteristic Identify, as paired controllers do.
  /// - Parameter aid: the accessory behind a bridge; nil: the first one with the characteristic.
  /// - Throws: `AccessError.noIdentify`, `.identifyRefused`; `ClientError`.
  package func identify(in database: AttributeDatabase, aid: UInt64? = nil) async throws {
    let entries = try await entries(.write([.init(try database.identifyID(aid), value: .bool(true))]))
    if let status = entries.list.first(where: { !$0.isSuccess })?.status { throw AccessError.identifyRefused(status) }
  }

  /// Sends List Pairings. HAP R2 §5.12.
  /// - Throws: `AccessError.pairingsRefused`, `.unreadablePairings`; `ClientError`.
  package func listPairings() async throws -> [Pairing] {
    try PairingsMessage.list(try await answer(to: .pairings(.listing)))
  }

  /// Sends Add or Remove Pairing.
  /// - Throws: `AccessError.pairingsRefused`; `ClientError`.
  package func changePairings(_ message: TLV) async throws {
    _ = try PairingsMessage.reply(try await answer(to: .pairings(message)))
  }
}

extension AttributeDatabase {
  /// Returns the first characteristic Identify, of one accessory or of any.
  /// - Throws: `.noIdentify`.
  fileprivate func identifyID(_ aid: UInt64?) throws(AccessError) -> AttributeID {
    let slot = characteristics.indices.first { slot in
      characteristics[slot].type == CharacteristicDefinition.identify.type
        && (aid == nil || id(ofSlot: slot).aid == aid)
    }
    guard let slot else { throw .noIdentify }
    return id(ofSlot: slot)
  }
}
