import HAPHost
import HAPSimulatorCore

extension Simulator {
  /// The time of the devices. Deadlines of the protocol and of expectations always use the machine's time.
  public enum Time: Hashable, Sendable {
    /// The machine's time.
    case real
    /// N times real time: 0.001 to 100000.
    case scaled(by: Double)
    /// Frozen; only ``Simulator/advance(by:)`` moves it.
    case virtual
  }

  /// The storage of identities, pairings and values.
  public enum State: Hashable, Sendable {
    /// In memory, separately for each accessory, until it is stopped. A restart of the accessory keeps the state.
    case ephemeral
    /// In a folder, as with `hapsim run --state`. The folder is created if it doesn't exist.
    case folder(String)
  }

  /// The addresses on which accessories listen, and whether they are announced by multicast DNS.
  public struct Network: Hashable, Sendable {
    let choice: SimulatorNetwork

    /// 127.0.0.1, not announced: for controllers on this machine that know the port.
    public static let loopback = Network(
      choice: SimulatorNetwork(address: "127.0.0.1", interfaces: [], isAnnounced: false))

    /// One address.
    /// - Parameters:
    ///   - address: an address of this machine, IPv4 or IPv6.
    ///   - isAnnounced: whether controllers can find the accessories on the network.
    public static func address(_ address: String, isAnnounced: Bool = false) -> Network {
      Network(choice: SimulatorNetwork(address: address, interfaces: [], isAnnounced: isAnnounced))
    }

    /// All addresses of interfaces, including later changes.
    /// - Parameters:
    ///   - names: "eth0", "lo"; none: all interfaces.
    ///   - isAnnounced: whether controllers can find the accessories on the network.
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
  /// `nil`: each accessory has its own state in memory.
  var path: String? { if case .folder(let path) = self { path } else { nil } }
}
