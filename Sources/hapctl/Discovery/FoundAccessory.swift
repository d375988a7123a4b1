import HAPCommandLine
import HAPDiscovery
import HAPLoop
import HAPModel
import HAPProtocol
import HAPStore
import HAPWire

/// An accessory that was found on the network: where it is, and what it says of itself.
struct FoundAccessory: Equatable, Sendable {
  let service: DiscoveredService
  let accessory: DiscoveredAccessory

  init(_ service: DiscoveredService) {
    self.service = service
    accessory = DiscoveredAccessory(name: service.name, txt: service.txt)
  }

  var name: String { service.name }
  /// As pairings keep them; so many are enough.
  var addresses: [String] { service.addresses.prefix(8).map { "\($0)" } }

  /// Whether a person means it: by its name or by its device ID, in any case.
  func isCalled(_ text: String) -> Bool {
    name.lowercased() == text.lowercased() || accessory.deviceID.map { $0 == text.uppercased() } == true
  }

  /// Whether a person means it.
  func isMeant(by target: Target) -> Bool {
    switch target {
    case .name(let name): isCalled(name)
    case .setupID(let id): hasSetupID(id) == true
    case .address(let address): service.addresses.contains(address)
    }
  }

  /// Whether its setup hash is that of a setup ID; nil: it advertises no setup hash.
  func hasSetupID(_ id: SetupID) -> Bool? {
    guard let hash = accessory.setupHash else { return nil }
    guard let deviceID = accessory.deviceID.flatMap({ DeviceID($0) }) else { return false }
    return Base64.encode(hash) == Advertisement.setupHash(setupID: id, deviceID: deviceID)
  }

  /// The pairing that we have with it.
  func pairing(among pairings: [ControllerPairing]) -> ControllerPairing? {
    pairings.first { $0.accessoryName.uppercased() == accessory.deviceID }
  }

  /// "Hall Door (AA:BB:CC:DD:EE:FF, 192.0.2.7:51826)"
  var title: String {
    "\(shown(name)) (\(shown(accessory.deviceID ?? "without a device ID")), \(addresses.first ?? "nowhere"))"
  }

  /// A line for people. What the network says is shown without its control characters.
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
      case nil: "paired or not: it doesn't say"
      }
    let parts: [String?] = [
      shown(name), kind.joined(separator: ", "), accessory.deviceID.map(shown) ?? "no device ID",
      addresses.first ?? "", state, accessory.configurationNumber.map { "c# \($0)" } ?? "no c#",
      alias.map { "called \(shown($0))" },
    ]
    return parts.compactMap { $0 }.joined(separator: "  ")
  }

  /// An object for programs, on one line. What it doesn't say is null.
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
