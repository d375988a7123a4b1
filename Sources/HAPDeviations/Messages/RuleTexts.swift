import HAPCrypto
import HAPIP
import HAPModel
import HAPWire

extension MessageRule.Answer {
  func message(to request: PlainMessage, _ world: any DefectWorld) -> PlainMessage {
    var message = PlainMessage(start: "HTTP/1.1 200 OK")
    message.setStatus(status)
    switch body {
    case .none: if status != 204 { message.set("Content-Length", "0") }
    case .text(let bytes, let type):
      message.set("Content-Type", type)
      message.replaceBody(bytes)
    case .accessories:
      message.set("Content-Type", "application/hap+json")
      message.replaceBody(world.databaseText)
    case .values:
      message.set("Content-Type", "application/hap+json")
      let entries = request.ids.compactMap { id -> String? in
        guard let slot = world.database.slot(of: id) else { return nil }
        let value = String(decoding: world.text(of: world.database.characteristics[slot].value), as: UTF8.self)
        return "{\"aid\":\(id.aid),\"iid\":\(id.iid),\"value\":\(value)}"
      }
      message.replaceBody(Array("{\"characteristics\":[\(entries.joined(separator: ","))]}".utf8))
    }
    for (name, value) in fields { message.set(name, value) }
    return message
  }
}

extension PlainMessage {
  /// Edits the content of EncryptedData in M2 of Pair Verify or M6 of Pair Setup, and seals it again.
  mutating func editInner(_ edits: [TLVEdit], key: SecretBytes) {
    guard var message = tlv, let state = message.state, let sealed = message[TLVType.encryptedData] else { return }
    let nonce = state == 2 ? "PV-Msg02" : "PS-Msg06"
    guard let inner = ChaChaPoly.open(sealed, key: key, nonce: nonce), let edited = edits.apply(to: inner),
      let index = message.items.firstIndex(where: { $0.type == TLVType.encryptedData })
    else { return }
    message.items[index].value = ChaChaPoly.seal(edited, key: key, nonce: nonce)
    replaceBody(message.encoded())
  }
}

extension AttributeDatabase {
  /// Returns the characteristics of a type, in the order of the database.
  package func ids(of name: String) -> [AttributeID] {
    guard let type = Catalogue.type(named: name) else { return [] }
    return characteristics.indices.filter { characteristics[$0].type == type }.map { id(ofSlot: $0) }
  }

  /// Returns the facts about a characteristic, for conditions.
  package func facts(aid: UInt64, iid: UInt64) -> AttributeFacts? {
    guard let slot = slot(of: AttributeID(aid: aid, iid: iid)) else { return nil }
    let characteristic = characteristics[slot]
    return AttributeFacts(
      type: characteristic.type.wireForm, format: characteristic.format.rawValue,
      perms: characteristic.perms.names.map { "\($0)" }, service: service(ofSlot: slot).type.wireForm)
  }
}
