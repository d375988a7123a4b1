import HAPDevices
import HAPFleet

/// The chance of one accessory, as far as it has been drawn: it goes on over its restarts.
package struct AccessoryChance: Equatable, Sendable {
  /// Of its devices.
  package var device: SimulationRandom
  /// Of its network: what that draws changes nothing for devices.
  package var network: SimulationRandom
  /// The seed of its defects' random conditions.
  package private(set) var defectSeed: UInt64 = 0

  /// - Parameters:
  ///   - seed: of the simulation.
  ///   - key: what the accessory is kept by: whoever comes before it, or how many there are, changes nothing.
  ///   - ordinal: among accessories with the same key, from 1.
  package init(seed: UInt64, key: String, ordinal: Int = 1) {
    let chance = FleetChance(seed: seed, group: key)
    device = SimulationRandom(seed: chance.number(ordinal, for: "device"))
    network = SimulationRandom(seed: chance.number(ordinal, for: "network"))
    defectSeed = chance.number(ordinal, for: "defects")
  }

  package init(device: SimulationRandom, network: SimulationRandom) {
    self.device = device
    self.network = network
  }
}
