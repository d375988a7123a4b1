import HAPModel
import HAPStore
import HAPWire

extension ControllerPairing {
  /// Writes the members of an object, without keys:
  /// `"alias":"garage","deviceID":"AA:BB:CC:DD:EE:FF","addresses":["192.0.2.7:51826"]`.
  func writeFacts(to json: inout JSONWriter) {
    json.key("alias")
    json.string(alias)
    json.key("deviceID")
    json.string(accessoryName)
    json.write(addresses: addresses)
  }
}

extension JSONWriter {
  /// Writes `"pairings":[{"alias":…,"deviceID":…,"addresses":[…]}]`.
  mutating func write(pairings: [ControllerPairing]) {
    key("pairings")
    array { json in for pairing in pairings { json.object { pairing.writeFacts(to: &$0) } } }
  }

  mutating func write(addresses: [String]) {
    key("addresses")
    array { json in for address in addresses { json.string(address) } }
  }
}

extension Pairing {
  var name: String { String(decoding: identifier, as: UTF8.self) }
}

/// Returns `{"pairings":[{"identifier":"…","publicKey":"…","admin":true,"ours":true}]}`.
func listJSON(_ pairings: [Pairing], ours: [UInt8]) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("pairings")
      json.array { json in for pairing in pairings { write(pairing, ours: ours, to: &json) } }
    }
  }
}

/// Returns `{"added":{"identifier":"…","publicKey":"…","admin":false,"ours":false}}`.
func addedJSON(_ pairing: Pairing, ours: [UInt8]) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("added")
      write(pairing, ours: ours, to: &json)
    }
  }
}

/// Returns `{"removed":{"identifier":"…"}}`.
func removedJSON(_ identifier: String) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("removed")
      json.object { json in
        json.key("identifier")
        json.string(identifier)
      }
    }
  }
}

private func write(_ pairing: Pairing, ours: [UInt8], to json: inout JSONWriter) {
  json.object { json in
    json.key("identifier")
    json.string(pairing.name)
    json.key("publicKey")
    json.string(Hexadecimal.text(pairing.publicKey))
    json.key("admin")
    json.bool(pairing.isAdmin)
    json.key("ours")
    json.bool(pairing.identifier == ours)
  }
}
