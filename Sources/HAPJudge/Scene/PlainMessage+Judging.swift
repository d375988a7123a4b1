import HAPIP
import HAPModel
import HAPWire

extension PlainMessage {
  /// Whether it belongs to Pair Setup, Pair Verify or the pairings: its body is TLV8.
  var isPairing: Bool {
    ["/pair-setup", "/pair-verify", "/pairings"].contains(path)
      || self["Content-Type"]?.lowercased().hasPrefix("application/pairing+tlv8") == true
  }

  /// "GET /characteristics".
  var name: String { "\(method) \(path)" }

  /// The error item of a pairing answer.
  var pairingError: PairingError? { tlv?[TLVType.error]?.first.flatMap { PairingError(rawValue: $0) } }

  /// Whether an answer refuses something.
  var isRefusal: Bool {
    if let status, status >= 400 { return true }
    return status == 207 && !refusedIDs.isEmpty
  }

  /// Entries of an answer that have an error.
  var refusedIDs: Set<AttributeID> {
    Set(entries.filter { $0["status"]?.integerValue ?? 0 != 0 }.compactMap(\.attributeID))
  }

  /// What a read asks for; empty for anything else.
  var readIDs: [AttributeID] { method == "GET" && path == "/characteristics" ? ids : [] }

  /// What a write is about; empty for anything else.
  var writeEntries: [JSONNode] { method == "PUT" && path == "/characteristics" ? entries : [] }
}

extension JSONNode {
  /// A member that is true or false, or 1 or 0.
  func flag(_ name: String) -> Bool? {
    guard let node = self[name] else { return nil }
    return node.boolValue ?? node.integerValue.flatMap { $0 == 1 ? true : $0 == 0 ? false : nil }
  }
}

extension AttributeDatabase {
  /// The characteristic of an address.
  func characteristic(_ id: AttributeID) -> Characteristic? { slot(of: id).map { characteristics[$0] } }

  /// "Brightness (1.10)".
  func shown(_ id: AttributeID) -> String {
    guard let characteristic = characteristic(id) else { return "\(id)" }
    let name = Catalogue.characteristic(characteristic.type)?.name ?? characteristic.description
    return name.map { "\($0) (\(id))" } ?? "\(id)"
  }
}
