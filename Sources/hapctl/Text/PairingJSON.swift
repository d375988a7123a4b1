import HAPStore
import HAPWire

extension ControllerPairing {
  /// `"alias":"garage","deviceID":"AA:BB:CC:DD:EE:FF","addresses":["192.0.2.7:51826"]`: the members of an object, without keys.
  func writeFacts(to json: inout JSONWriter) {
    json.key("alias")
    json.string(alias)
    json.key("deviceID")
    json.string(accessoryName)
    json.write(addresses: addresses)
  }
}

extension JSONWriter {
  /// `"pairings":[{"alias":…,"deviceID":…,"addresses":[…]}]`
  mutating func write(pairings: [ControllerPairing]) {
    key("pairings")
    array { json in for pairing in pairings { json.object { pairing.writeFacts(to: &$0) } } }
  }

  mutating func write(addresses: [String]) {
    key("addresses")
    array { json in for address in addresses { json.string(address) } }
  }
}
