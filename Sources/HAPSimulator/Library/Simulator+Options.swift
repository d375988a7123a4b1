import HAPHost
import HAPLoop
import HAPStore

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
    /// Nil: those of the interfaces.
    fileprivate let address: String?
    fileprivate let interfaces: [String]
    fileprivate let isAnnounced: Bool

    /// At 127.0.0.1, not announced: for controllers of this machine that are told the port.
    public static let loopback = Network(address: "127.0.0.1", interfaces: [], isAnnounced: false)

    /// At one address.
    /// - Parameters:
    ///   - address: of this machine, IPv4 or IPv6.
    ///   - isAnnounced: whether controllers can find it on the network.
    public static func address(_ address: String, isAnnounced: Bool = false) -> Network {
      Network(address: address, interfaces: [], isAnnounced: isAnnounced)
    }

    /// At all addresses of interfaces, as they come and go.
    /// - Parameters:
    ///   - names: "eth0", "lo"; none: of all interfaces.
    ///   - isAnnounced: whether controllers can find it there.
    public static func interfaces(_ names: String..., isAnnounced: Bool = true) -> Network {
      Network(address: nil, interfaces: names, isAnnounced: isAnnounced)
    }
  }
}

extension Simulator.Time {
  var pace: SimulationClock.Pace {
    get throws(SimulatorError) {
      switch self {
      case .real: return .running(scale: 1)
      case .virtual: return .standing
      case .scaled(let scale):
        guard SimulationClock.scales.contains(scale) else {
          throw SimulatorError(.invalidValue, "time passes 0.001 to 100000 times as fast, not \(scale) times")
        }
        return .running(scale: scale)
      }
    }
  }
}

extension Simulator.State {
  /// Nil: each accessory has a memory of its own. Blocks.
  func open() throws(SimulatorError) -> StateFolder? {
    guard case .folder(let path) = self else { return nil }
    do throws(StoreError) { return try StateFolder.open(path: path) } catch { throw SimulatorError(error) }
  }
}

extension Simulator.Network {
  /// Where to listen and to announce, looked up.
  struct Places {
    let places: [ListeningPlace]
    /// Nil: nothing is announced.
    let announced: (interfaces: [String], bindsToAddress: Bool)?
    /// One that a controller of this machine can use.
    let shown: IPAddress
  }

  /// - Parameter present: the interfaces there are.
  func resolve(_ present: [NetworkInterface]) throws(LoopError) -> Places {
    if let address {
      let host = try IPAddress(address)
      let announced = isAnnounced ? (interfaces: [String](), bindsToAddress: !host.isUnspecified) : nil
      return Places(
        places: [ListeningPlace(host)], announced: announced, shown: host.isUnspecified ? .loopbackV4 : host)
    }
    // One socket for both versions, where the machine has both.
    let hasV6 = present.contains { $0.addresses.contains(where: \.isV6) }
    let everywhere = hasV6 ? IPAddress.anyV6 : .anyV4
    var addresses: [IPAddress] = []
    for name in interfaces { addresses += try present.addresses(ofInterface: name) }
    return Places(
      places: interfaces.isEmpty
        ? [ListeningPlace(everywhere)] : interfaces.map { ListeningPlace(everywhere, interface: $0) },
      announced: isAnnounced ? (interfaces, false) : nil, shown: addresses.first ?? .loopbackV4)
  }
}
