import HAPAccessoryPort
import HAPController
import HAPHome
import HAPLoop
import HAPModel

/// A port whose devices are in memory.
final class ScriptedPort: AccessoryPort {
  static let code = "031-45-154"
  let loop: EventLoop
  let devices: [DeviceID: ScriptedDevice]
  /// The time between the pairing and its storing.
  let pairingTime = Guarded(Duration.zero)
  private let searches = Guarded<[@Sendable (SearchNews) async -> Void]>([])

  init(_ loop: EventLoop, _ devices: [ScriptedDevice]) {
    self.loop = loop
    self.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.id, $0) })
  }

  func open(
    _ pairing: DevicePairing, isNew: Bool,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection {
    guard let device = devices[pairing.device] else { preconditionFailure("a device that is not in the script") }
    if pairing.accessoryKey != Self.key(of: pairing.device) { device.knowsHub = false }
    return device.open(on: loop, as: pairing.identity.identifier, onNews)
  }

  static func key(of device: DeviceID) -> [UInt8] { Array(repeating: device.bytes[5], count: 32) }

  func pair(
    with device: DeviceID?, code: String, as identity: ControllerIdentity, own: Set<DeviceID>,
    store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void
  ) async throws(HomeError) -> DevicePairing {
    guard let id = device, devices[id] != nil else {
      throw HomeError(.accessoryDiscoveryFailed, nil, "the accessory was not found")
    }
    guard code == Self.code else { throw HomeError(.accessoryPairingFailed, nil, "the code is wrong") }
    let pairing = DevicePairing(
      device: id, accessoryID: Array(id.text.utf8), accessoryKey: Self.key(of: id), identity: identity, addresses: [])
    devices[id]?.knowsHub = true
    devices[id]?.pairedIdentity = Array(identity.identifier.utf8)
    let time = pairingTime.withLock { $0 }
    if time > .zero { try? await loop.sleep(for: time) }
    do throws(HomeError) { try await store(pairing) } catch {
      devices[id]?.knowsHub = false
      throw error
    }
    return pairing
  }

  func identifyUnpaired(_ device: DeviceID) async throws(HomeError) {
    guard devices[device] != nil else { throw HomeError(.accessoryDiscoveryFailed, nil, "not found") }
  }

  func search(onNews: @escaping @Sendable (SearchNews) async -> Void) -> any AccessorySearching {
    searches.withLock { $0.append(onNews) }
    return Search()
  }

  /// Passes news to all searches.
  func report(_ news: SearchNews) async { for search in searches.withLock({ $0 }) { await search(news) } }

  private struct Search: AccessorySearching { func close() {} }
}
