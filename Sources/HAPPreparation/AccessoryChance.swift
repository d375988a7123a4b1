import HAPDevices
import HAPFleet

/// The state of the random generators of one accessory. It persists over restarts.
package struct AccessoryChance: Equatable, Sendable {
  /// The generator of its devices.
  package var device: SimulationRandom
  /// The generator of its network. Its use does not affect devices.
  package var network: SimulationRandom
  /// The seed of its defects' random conditions.
  package private(set) var defectSeed: UInt64 = 0
  /// The seed of the faults of datagrams.
  package private(set) var datagramSeed: UInt64 = 0
  /// The seed of identifiers that front ends draw.
  package private(set) var identifierSeed: UInt64 = 0

  /// - Parameters:
  ///   - seed: the seed of the simulation.
  ///   - key: the key of the accessory's state, so that the order and the number of accessories do not matter.
  ///   - ordinal: the number among accessories with the same key, from 1.
  package init(seed: UInt64, key: String, ordinal: Int = 1) {
    let chance = FleetChance(seed: seed, group: key)
    device = SimulationRandom(seed: chance.number(ordinal, for: "device"))
    network = SimulationRandom(seed: chance.number(ordinal, for: "network"))
    defectSeed = chance.number(ordinal, for: "defects")
    datagramSeed = chance.number(ordinal, for: "datagrams")
    identifierSeed = chance.number(ordinal, for: "identifiers")
  }

  package init(device: SimulationRandom, network: SimulationRandom) {
    self.device = device
    self.network = network
  }
}
