import HAPController
import HAPHome
import HAPHomeEngine
import HAPIP
import HAPModel
import HAPPairing

/// The port of a hub that is embedded in a command about homes alone: it uses no network, and reaches no accessory.
package struct ClosedPort: AccessoryPort {
  private static let refusal = HomeError(
    .accessoryNotReachable, nil, "this command does not use accessories: start 'hapctl hub run'")

  package init() {}

  package func open(
    _ pairing: DevicePairing, isNew: Bool,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection { Closed() }

  package func search(onNews: @escaping @Sendable (SearchNews) async -> Void) -> any AccessorySearching { Closed() }

  package func pair(
    with device: DeviceID?, code: String, as identity: ControllerIdentity, own: Set<DeviceID>,
    store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void
  ) async throws(HomeError) -> DevicePairing { throw Self.refusal }

  package func identifyUnpaired(_ device: DeviceID) async throws(HomeError) { throw Self.refusal }

  private struct Closed: DeviceConnection, AccessorySearching {
    func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue] { throw refusal }
    func write(
      _ entries: [ScenePut.Entry], _ authorizations: [HomeObjectID: [UInt8]], isTimed: Bool
    ) async -> SceneAnswer { .notSent }
    func subscribe(exactly ids: Set<AttributeID>) async {}
    func drop() async {}
    func identify(aid: UInt64) async throws(HomeError) { throw refusal }
    func addController(_ pairing: Pairing) async throws(HomeError) { throw refusal }
    func removeController(_ identifier: [UInt8]) async throws(HomeError) { throw refusal }
    func close() async {}
    func close() {}
  }
}
