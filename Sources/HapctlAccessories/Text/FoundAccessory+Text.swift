import HAPCommandLine
import HAPController
import HAPLoop
import HAPModel
import HAPWire

extension FoundAccessory {
  /// The accessory as text: "Hall Door (AA:BB:CC:DD:EE:FF, 192.0.2.7:51826)".
  var title: String {
    "\(shown(name)) (\(shown(accessory.deviceID ?? "without a device ID")), \(addresses.first ?? "nowhere"))"
  }

  /// Returns a line of text. Control characters from the network are replaced.
  func text(alias: String?) -> String {
    var kind = [accessory.model.map(shown) ?? "no model"]
    if let category = accessory.category {
      kind.append(category.name)
    } else if let number = accessory.categoryNumber {
      kind.append("category \(number)")
    }
    let state =
      switch accessory.isPaired {
      case true?: "paired"
      case false?: "not paired"
      case nil: "pairing state unknown"
      }
    let parts: [String?] = [
      shown(name), kind.joined(separator: ", "), accessory.deviceID.map(shown) ?? "no device ID",
      addresses.first ?? "", state, accessory.configurationNumber.map { "c# \($0)" } ?? "no c#",
      alias.map { "called \(shown($0))" },
    ]
    return parts.compactMap { $0 }.joined(separator: "  ")
  }

  /// Returns a JSON object on one line. A missing item is null.
  func json(_ event: String, alias: String?) -> String {
    JSONWriter.text { json in
      json.object { json in
        func member(_ key: String, _ value: String?) {
          json.key(key)
          if let value { json.string(value) } else { json.null() }
        }
        func member(_ key: String, _ value: Int?) {
          json.key(key)
          if let value { json.integer(value) } else { json.null() }
        }
        member("event", event)
        member("name", name)
        member("deviceID", accessory.deviceID)
        member("model", accessory.model)
        member("category", accessory.category?.slug)
        member("categoryNumber", accessory.categoryNumber.map { Int($0) })
        member("host", service.host)
        member("port", Int(service.port))
        json.key("addresses")
        json.array { json in for address in service.addresses { json.string("\(address)") } }
        member("interface", NetworkInterface.name(ofIndex: service.interface))
        json.key("paired")
        if let isPaired = accessory.isPaired { json.bool(isPaired) } else { json.null() }
        member("alias", alias)
        member("configurationNumber", accessory.configurationNumber.map { Int($0) })
        member("stateNumber", accessory.stateNumber.map { Int($0) })
        member("protocolVersion", accessory.protocolVersion)
        member("featureFlags", Int(accessory.featureFlags))
        member("statusFlags", accessory.statusFlags.map { Int($0.rawValue) })
        member("setupHash", accessory.setupHash.map { Base64.encode($0) })
        json.key("remarks")
        json.array { json in for remark in accessory.remarks { json.string("\(remark)") } }
      }
    }
  }
}
