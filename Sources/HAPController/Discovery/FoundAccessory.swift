import HAPDiscovery
import HAPIP
import HAPModel
import HAPStore
import HAPWire

/// An accessory that was found on the network: its addresses, and the data of its record. HAP R2 §6.4.
public struct FoundAccessory: Equatable, Sendable {
  package let service: DiscoveredService
  package let accessory: DiscoveredAccessory

  package init(_ service: DiscoveredService) {
    self.service = service
    accessory = DiscoveredAccessory(name: service.name, txt: service.txt)
  }

  /// The instance name of the service, which users see: any text of 1 to 63 bytes.
  public var name: String { service.name }
  /// `id`, normally a device ID; nil: the record has none.
  public var deviceID: String? { accessory.deviceID }
  /// `md`; nil: the record has none.
  public var model: String? { accessory.model }
  /// `ci`, a number of HAP R2 §13; nil: the record has none.
  public var categoryNumber: UInt8? { accessory.categoryNumber }
  /// `c#`; nil: the record has none.
  public var configurationNumber: UInt32? { accessory.configurationNumber }
  /// Whether a controller is paired with the accessory, according to `sf`; nil: the record has no `sf`.
  public var isPaired: Bool? { accessory.isPaired }
  /// At most 8 addresses, such as "192.0.2.7:51826" or "[fe80::1%eth0]:51826".
  public var addresses: [String] { service.addresses.prefix(8).map { "\($0)" } }

  /// Whether the text is the accessory's name or device ID, in any case.
  package func isCalled(_ text: String) -> Bool {
    name.lowercased() == text.lowercased() || accessory.deviceID.map { $0 == text.uppercased() } == true
  }

  /// Whether the accessory matches the target.
  package func isMeant(by target: Target) -> Bool {
    switch target {
    case .name(let name): isCalled(name)
    case .setupID(let id): hasSetupID(id) == true
    case .address(let address): service.addresses.contains(address)
    }
  }

  /// Whether the setup hash matches a setup ID; nil: the accessory advertises no setup hash.
  package func hasSetupID(_ id: SetupID) -> Bool? {
    guard let hash = accessory.setupHash else { return nil }
    guard let deviceID = accessory.deviceID.flatMap({ DeviceID($0) }) else { return false }
    return Base64.encode(hash) == Advertisement.setupHash(setupID: id, deviceID: deviceID)
  }

  /// Returns the pairing with this accessory.
  package func pairing(among pairings: [ControllerPairing]) -> ControllerPairing? {
    pairings.first { $0.accessoryName.uppercased() == accessory.deviceID }
  }
}
