import HAPIP
import HAPModel
import HAPWire

extension PlainMessage {
  /// Whether the message belongs to Pair Setup, Pair Verify or the pairings. Its body is then TLV8.
  var isPairing: Bool {
    ["/pair-setup", "/pair-verify", "/pairings"].contains(path)
      || self["Content-Type"]?.lowercased().hasPrefix("application/pairing+tlv8") == true
  }

  /// The method and path, such as "GET /characteristics".
  var name: String { "\(method) \(path)" }

  /// The error item of a pairing answer.
  var pairingError: PairingError? { tlv?[TLVType.error]?.first.flatMap { PairingError(rawValue: $0) } }

  /// Whether the answer refuses something.
  var isRefusal: Bool {
    if let status, status >= 400 { return true }
    return status == 207 && !refusedIDs.isEmpty
  }

  /// The characteristics whose entries in the answer have an error.
  var refusedIDs: Set<AttributeID> {
    Set(entries.filter { $0["status"]?.integerValue ?? 0 != 0 }.compactMap(\.attributeID))
  }

  /// The characteristics of a read; empty for other requests.
  var readIDs: [AttributeID] { method == "GET" && path == "/characteristics" ? ids : [] }

  /// The entries of a write; empty for other requests.
  var writeEntries: [JSONNode] { method == "PUT" && path == "/characteristics" ? entries : [] }
}

extension JSONNode {
  /// Returns the value of a member that is true or false, or 1 or 0.
  func flag(_ name: String) -> Bool? {
    guard let node = self[name] else { return nil }
    return node.boolValue ?? node.integerValue.flatMap { $0 == 1 ? true : $0 == 0 ? false : nil }
  }
}

extension AttributeDatabase {
  /// Returns the characteristic with this ID.
  func characteristic(_ id: AttributeID) -> Characteristic? { slot(of: id).map { characteristics[$0] } }

  /// Returns the name and ID, such as "Brightness (1.10)".
  func shown(_ id: AttributeID) -> String {
    guard let characteristic = characteristic(id) else { return "\(id)" }
    let name = Catalogue.characteristic(characteristic.type)?.name ?? characteristic.description
    return name.map { "\($0) (\(id))" } ?? "\(id)"
  }
}
