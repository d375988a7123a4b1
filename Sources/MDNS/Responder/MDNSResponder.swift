/// The responder side of multicast DNS for any number of services, as a machine: times, packets and address changes in; packets and reports out.
/// RFC 6762, RFC 6763.
///
/// It reads no clock: every input has the time, a `Duration` since an origin that the caller chooses, never earlier than the input before. After each
/// input the caller performs `takeOutputs()` and calls `advance(to:)` at `nextDeadline`.
package struct MDNSResponder: Sendable {
  package struct Configuration: Sendable {
    /// Whether other processes of the machine receive on port 5353 too. Then probes ask for multicast answers, because a unicast answer could reach
    /// another process. RFC 6762 §15.1.
    package var sharesPort = false
    /// Packets of announcements and long answers that leave on a link in each `tick`. The rest waits for the next.
    package var packetsPerTick = 10
    package var tick = Duration.milliseconds(10)

    package init() {}
  }

  package private(set) var configuration: Configuration

  /// - Parameter random: decides delays; the same seed and inputs give the same outputs.
  package init(_ configuration: Configuration = Configuration(), random: MDNSRandom) {
    self.configuration = configuration
  }

  // MARK: Services

  /// Begins to probe for the service's names, and then announces it. It waits for an interface if there is none.
  package mutating func publish(
    _ service: MDNSService, behavior: MDNSBehavior = MDNSBehavior(), at now: Duration
  ) throws(MDNSServiceError) -> MDNSServiceID {
    try service.check()
    return MDNSServiceID(slot: 0, generation: 0)
  }

  /// Replaces the strings of the TXT record and announces it. RFC 6762 §8.4. Does nothing for an id that is no longer valid.
  package mutating func update(_ id: MDNSServiceID, text: [[UInt8]], at now: Duration) throws(MDNSServiceError) {}

  /// Changes how the service deviates from RFC 6762, from now on.
  package mutating func setBehavior(_ id: MDNSServiceID, _ behavior: MDNSBehavior, at now: Duration) {}

  /// Announces all records of a verified service again, twice. RFC 6762 §8.4.
  package mutating func reannounce(_ id: MDNSServiceID, at now: Duration) {}

  /// Withdraws a service, with a goodbye if it was announced. RFC 6762 §10.1.
  /// - Parameter goodbye: false: no packet is sent, as if the machine lost its power.
  package mutating func withdraw(_ id: MDNSServiceID, goodbye: Bool = true, at now: Duration) {}

  /// The instance name as it is now; nil for an id that is no longer valid.
  package func name(of id: MDNSServiceID) -> String? { nil }

  /// The host name as it is now, without ".local"; nil for an id that is no longer valid.
  package func host(of id: MDNSServiceID) -> String? { nil }

  // MARK: The network

  /// Adds an interface, or replaces what is known of it. Names are probed for on a new interface; new addresses are announced.
  package mutating func setInterface(_ interface: MDNSInterface, at now: Duration) {}

  package mutating func removeInterface(_ index: UInt32, at now: Duration) {}

  /// A datagram of any content, from any source.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, at now: Duration) {}

  // MARK: Time

  /// When `advance(to:)` has to be called; nil: not before the next input.
  package var nextDeadline: Duration? { nil }

  /// Performs what is due.
  package mutating func advance(to now: Duration) {}

  /// The outputs since the last call, in order.
  package mutating func takeOutputs() -> [MDNSOutput] { [] }
}

extension MDNSResponder {
  package mutating func receive(_ bytes: [UInt8], _ arrival: MDNSArrival, at now: Duration) {
    bytes.withUnsafeBytes { receive($0, arrival, at: now) }
  }
}
