import HAPHost
import HAPSimulatorCore

extension Simulator {
  /// How time passes for the devices. Deadlines of the protocol, and of those who wait for something, are the machine's always.
  public enum Time: Hashable, Sendable {
    /// As the machine's does.
    case real
    /// So many times as fast: 0.001 to 100000.
    case scaled(by: Double)
    /// Not at all, but for ``Simulator/advance(by:)``.
    case virtual
  }

  /// Where accessories keep their identity, pairings and values.
  public enum State: Hashable, Sendable {
    /// In memory, each accessory for itself, until it is stopped. A restart of the accessory keeps it.
    case ephemeral
    /// In a folder, as `hapsim run --state` does, which is made if it isn't there.
    case folder(String)
  }

  /// Where accessories listen, and whether they are announced by multicast DNS.
  public struct Network: Hashable, Sendable {
    let choice: SimulatorNetwork

    /// At 127.0.0.1, not announced: for controllers of this machine that are told the port.
    public static let loopback = Network(
      choice: SimulatorNetwork(address: "127.0.0.1", interfaces: [], isAnnounced: false))

    /// At one address.
    /// - Parameters:
    ///   - address: of this machine, IPv4 or IPv6.
    ///   - isAnnounced: whether controllers can find it on the network.
    public static func address(_ address: String, isAnnounced: Bool = false) -> Network {
      Network(choice: SimulatorNetwork(address: address, interfaces: [], isAnnounced: isAnnounced))
    }

    /// At all addresses of interfaces, as they come and go.
    /// - Parameters:
    ///   - names: "eth0", "lo"; none: of all interfaces.
    ///   - isAnnounced: whether controllers can find it there.
    public static func interfaces(_ names: String..., isAnnounced: Bool = true) -> Network {
      Network(choice: SimulatorNetwork(address: nil, interfaces: names, isAnnounced: isAnnounced))
    }
  }
}

extension Simulator.Time {
  var pace: SimulationClock.Pace {
    switch self {
    case .real: .running(scale: 1)
    case .virtual: .standing
    case .scaled(let scale): .running(scale: scale)
    }
  }
}

extension Simulator.State {
  /// nil: each accessory has a memory of its own.
  var path: String? { if case .folder(let path) = self { path } else { nil } }
}
