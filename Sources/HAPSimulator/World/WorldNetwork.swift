import HAPWorld

extension World {
  /// The network of a simulated world, and its faults.
  ///
  /// A cut loses packets, like a disabled radio: TCP sends them again when the cut has ended, or gives up after
  /// minutes. A stall delays them.
  public struct Network: Sendable {
    let world: World

    private var link: SimulatedLink {
      world.check("World.network")
      return world.link
    }

    /// The conditions of every direction between two hosts, unless ``setConditions(_:from:to:)`` replaced them.
    public var conditions: Conditions {
      get { Conditions(link.properties) }
      nonmutating set { link.properties = newValue.properties }
    }

    /// Sets the conditions of one direction between two hosts; `nil`: the network's conditions apply.
    public func setConditions(_ conditions: Conditions?, from: Host, to: Host) {
      link.setProperties(conditions?.properties, from: from.interface, to: to.interface)
    }

    /// Stops all traffic until ``heal()``. Packets are lost.
    public func cut() { link.cut() }
    /// Stops the traffic in one direction. A cut of one direction leaves connections half open.
    public func cut(from: Host, to: Host) { link.cut(from: from.interface, to: to.interface) }
    /// Ends all cuts.
    public func heal() { link.heal() }
    /// Ends the cut of one direction.
    public func heal(from: Host, to: Host) { link.heal(from: from.interface, to: to.interface) }
    /// Delays TCP until ``resume()``. Datagrams are lost.
    public func stall() { link.stall() }
    /// Delays TCP in one direction.
    public func stall(from: Host, to: Host) { link.stall(from: from.interface, to: to.interface) }
    /// Ends all stalls.
    public func resume() { link.resume() }
  }

  /// The conditions under which a network carries packets.
  public struct Conditions: Hashable, Sendable {
    /// The time from sending to arrival, at least 0.
    public let latency: Duration
    /// The maximum time that is added to `latency`, at least 0. The seed determines the time for each packet.
    public let jitter: Duration
    /// Bytes per second, at least 1; nil: unlimited.
    public let bandwidth: Int?
    /// The probability that a datagram is lost, 0 to 1. Discovery uses datagrams; TCP loses nothing on a network
    /// without a cut.
    public let datagramLoss: Double
    /// The probability that a datagram arrives twice, 0 to 1.
    public let datagramDuplication: Double

    /// Creates conditions. By default they are those of a fast network without faults. Traps for values outside of
    /// their ranges.
    public init(
      latency: Duration = .microseconds(300), jitter: Duration = .microseconds(200), bandwidth: Int? = nil,
      datagramLoss: Double = 0, datagramDuplication: Double = 0
    ) {
      precondition(latency >= .zero, "the latency of a network is at least 0, not \(latency)")
      precondition(jitter >= .zero, "the jitter of a network is at least 0, not \(jitter)")
      precondition(bandwidth ?? 1 >= 1, "the bandwidth of a network is at least 1 byte per second")
      for probability in [datagramLoss, datagramDuplication] {
        precondition((0...1).contains(probability), "a probability is from 0 to 1, not \(probability)")
      }
      self.latency = latency
      self.jitter = jitter
      self.bandwidth = bandwidth
      self.datagramLoss = datagramLoss
      self.datagramDuplication = datagramDuplication
    }

    fileprivate init(_ properties: LinkProperties) {
      self.init(
        latency: properties.latency, jitter: properties.jitter,
        bandwidth: properties.bandwidth.map { Int(clamping: $0) }, datagramLoss: properties.loss,
        datagramDuplication: properties.duplication)
    }

    fileprivate var properties: LinkProperties {
      LinkProperties(
        latency: latency, jitter: jitter, bandwidth: bandwidth.map { UInt64($0) }, loss: datagramLoss,
        duplication: datagramDuplication)
    }
  }
}
