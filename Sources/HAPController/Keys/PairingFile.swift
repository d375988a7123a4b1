import HAPCrypto
import HAPLoop
import HAPStore
import HAPWire

/// Pairings in aiohomekit's format, an object by alias, and in Home Assistant's configuration entries. Keys are
/// hexadecimal.
package enum PairingFile {
  /// - Returns: the text in aiohomekit's format.
  package static func text(_ pairings: [ControllerPairing]) -> String {
    JSONWriter.text { json in
      json.object { json in
        for pairing in pairings {
          json.key(pairing.alias)
          json.object { json in write(pairing, to: &json) }
        }
      }
    }
  }

  private static func write(_ pairing: ControllerPairing, to json: inout JSONWriter) {
    let addresses = pairing.addresses.compactMap { text -> SocketAddress? in
      if case .address(let address)? = try? Target(text: text) { address } else { nil }
    }
    let members = [
      ("AccessoryPairingID", pairing.accessoryName), ("AccessoryLTPK", Hexadecimal.text(pairing.accessoryKey)),
      ("iOSPairingId", String(decoding: pairing.controllerID, as: UTF8.self)),
      ("iOSDeviceLTSK", pairing.controllerKey.seed.withBytes { Hexadecimal.text(Array($0)) }),
      ("iOSDeviceLTPK", Hexadecimal.text(pairing.controllerKey.publicKey)),
      ("AccessoryIP", addresses.first.map { "\($0.host)" } ?? ""), ("Connection", "IP"),
    ]
    for (name, value) in members {
      json.key(name)
      json.string(value)
    }
    json.key("AccessoryIPs")
    json.array { json in for address in addresses { json.string("\(address.host)") } }
    json.key("AccessoryPort")
    json.integer(addresses.first.map { Int($0.port) } ?? 0)
  }

  /// Parses either format. Skips pairings over Bluetooth.
  /// - Throws: the first error, with its path. The caller must then store no pairing.
  package static func read(_ bytes: [UInt8]) throws -> [ControllerPairing] {
    let node: JSONNode
    do { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    if let entries = node["data"]?["entries"] {
      return try entries.asList().compactMap { entry in
        guard entry["domain"]?.stringValue == "homekit_controller", let data = entry["data"] else { return nil }
        return try pairing(alias: entry["title"]?.stringValue ?? (try data.string("AccessoryPairingID")), data)
      }
    }
    return try node.asObject().compactMap { try pairing(alias: $0.name, $0.value) }
  }

  /// Gives the pairings of a file valid names: without slashes, and unique if another accessory's pairing has the name.
  package static func named(
    _ read: [ControllerPairing], among stored: [ControllerPairing]
  ) -> [ControllerPairing] {
    var known = stored
    return read.map { pairing in
      var pairing = pairing
      pairing.alias = pairing.alias.split(separator: "/").joined(separator: "-")
      let isSame = known.first { $0.alias == pairing.alias }.map { $0.accessoryID == pairing.accessoryID } ?? true
      if !isSame { pairing.alias = freeAlias(pairing.alias, among: known.map(\.alias)) }
      known.removeAll { $0.alias == pairing.alias }
      known.append(pairing)
      return pairing
    }
  }

  private static func pairing(alias: String, _ node: JSONNode) throws -> ControllerPairing? {
    if let connection = node["Connection"]?.stringValue, connection != "IP" { return nil }
    func key(_ name: String) throws -> [UInt8] {
      let entry = try node.required(name)
      guard let bytes = Hexadecimal.bytes(try entry.asString()), bytes.count == 32 else {
        throw entry.problem("a key is 32 bytes in hexadecimal")
      }
      return bytes
    }
    var hosts = try node.list("AccessoryIPs").map { try $0.asString() }
    if hosts.isEmpty, let host = try node.optionalString("AccessoryIP"), !host.isEmpty { hosts = [host] }
    let port = try node["AccessoryPort"]?.asInteger(in: 0...65535) ?? 0
    let seed = SigningKey(seed: SecretBytes(try key("iOSDeviceLTSK")))
    if node["iOSDeviceLTPK"] != nil, try key("iOSDeviceLTPK") != seed.publicKey {
      throw try node.required("iOSDeviceLTPK").problem("it isn't the public key of iOSDeviceLTSK")
    }
    return ControllerPairing(
      alias: alias, accessoryID: Array(try node.string("AccessoryPairingID").utf8),
      accessoryKey: try key("AccessoryLTPK"),
      controllerID: Array(try node.string("iOSPairingId").utf8), controllerKey: seed,
      addresses: port == 0 ? [] : hosts.map { $0.contains(":") ? "[\($0)]:\(port)" : "\($0):\(port)" })
  }
}
