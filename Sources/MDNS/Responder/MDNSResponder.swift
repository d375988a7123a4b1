import HAPWire

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
    /// Packets of probes and announcements that leave on a link in each `tick`, and as many of answers with all services of a type. The rest waits.
    package var packetsPerTick = 10
    package var tick = Duration.milliseconds(10)

    package init() {}
  }

  package let configuration: Configuration

  var random: MDNSRandom
  /// The time of the present input.
  var now = Time.past
  var outputs: [MDNSOutput] = []

  var services: [ServiceEntry] = []
  var hosts: [HostEntry] = []
  var types: [TypeEntry] = []
  var subtypes: [SubtypeEntry] = []
  /// Places of the tables that are free.
  var freeServices: [UInt32] = []
  var freeHosts: [UInt32] = []
  var freeSubtypes: [UInt32] = []
  var names = NameIndex()
  /// Number 0 deviates in nothing.
  var behaviors = [MDNSBehavior()]
  /// Services that only answer by unicast.
  var unannounced: [UInt32] = []
  /// Of names that had conflicts.
  var conflicts: [Ref: ConflictHistory] = [:]
  /// Services whose goodbyes are to be sent.
  var leaving: [UInt32] = []

  var links: [Link] = []
  var echoes = EchoTable()
  /// The type of the service that was published last, and its index.
  var lastType = (name: "", index: 0)
  /// Names that are published before this time begin together with those before them.
  var start = Time.past
  var lastQuery: UInt32 = 0
  let tick: Int64

  /// Numbers the packets, so that the places of names are those in the present one.
  var packetNumber: UInt32 = 0
  var localAt: UInt16 = 0
  var localIn: UInt32 = 0

  var scan = DNSScan()

  /// - Parameter random: decides delays; the same seed and inputs give the same outputs.
  package init(_ configuration: Configuration = Configuration(), random: MDNSRandom) {
    self.configuration = configuration
    self.random = random
    tick = max(1, Time.nanoseconds(configuration.tick))
  }

  // MARK: Services

  /// Begins to probe for the service's names, and then announces it. It waits for an interface if there is none.
  package mutating func publish(
    _ service: MDNSService, behavior: MDNSBehavior = MDNSBehavior(), at now: Duration
  ) throws(MDNSServiceError) -> MDNSServiceID {
    try service.check()
    advance(to: now)
    let index = insert(service, number(of: behavior))
    let id = MDNSServiceID(slot: UInt32(index), generation: services[index].generation)
    guard claimLocally(index) else { return id }
    let host = Int(services[index].host)
    for link in links.indices {
      if links[link].hosts[host].stage == .idle { probe(Ref(.host, host), on: link, at: initialTime()) }
      probe(Ref(.service, index), on: link, at: initialTime())
    }
    return id
  }

  /// Replaces the strings of the TXT record and announces it. RFC 6762 §8.4. Does nothing for an id that is no longer valid.
  package mutating func update(_ id: MDNSServiceID, text: [[UInt8]], at now: Duration) throws(MDNSServiceError) {
    advance(to: now)
    guard let index = index(of: id) else { return }
    if let long = text.first(where: { $0.count > 255 }) { throw .textTooLong(long.count) }
    let data = Self.textData(text)
    guard data.count <= MDNSService.textLimit else { throw .textTooLong(data.count) }
    if services[index].blob[Int(services[index].labelLength)...].elementsEqual(data) { return }
    services[index].blob = services[index].label + data
    for link in links.indices {
      links[link].services[index].textSent = Time.past
      announce(index, .text, on: link)
    }
    runSteps()
  }

  /// Changes how the service deviates from RFC 6762, from now on.
  package mutating func setBehavior(_ id: MDNSServiceID, _ behavior: MDNSBehavior, at now: Duration) {
    advance(to: now)
    guard let index = index(of: id) else { return }
    let repeated = behaviors[Int(services[index].behavior)].repeats
    services[index].behavior = number(of: behavior)
    unannounced.removeAll { $0 == index }
    if !behavior.announces { unannounced.append(UInt32(index)) }
    if behavior.repeats != repeated, behavior.repeats != nil { reannounce(index) }
  }

  /// Announces all records of a verified service again, twice. RFC 6762 §8.4.
  package mutating func reannounce(_ id: MDNSServiceID, at now: Duration) {
    advance(to: now)
    if let index = index(of: id) { reannounce(index) }
  }

  private mutating func reannounce(_ index: Int) {
    for link in links.indices { announce(index, announcement(of: index), on: link) }
    runSteps()
  }

  /// Withdraws a service, with a goodbye if it was announced. RFC 6762 §10.1. Goodbyes of many services leave a few packets at a time: see
  /// `isSayingGoodbye`.
  /// - Parameter goodbye: false: no packet is sent, as if the machine lost its power.
  package mutating func withdraw(_ id: MDNSServiceID, goodbye: Bool = true, at now: Duration) {
    advance(to: now)
    if let index = index(of: id) { remove(index, goodbye: goodbye) }
  }

  /// Whether goodbyes of withdrawn services are still to be sent.
  package var isSayingGoodbye: Bool { !leaving.isEmpty }

  /// The instance name as it is now; nil for an id that is no longer valid.
  package func name(of id: MDNSServiceID) -> String? { index(of: id).map { services[$0].name } }

  /// The host name as it is now, without ".local"; nil for an id that is no longer valid.
  package func host(of id: MDNSServiceID) -> String? { index(of: id).map { hosts[Int(services[$0].host)].name } }

  func index(of id: MDNSServiceID) -> Int? {
    let index = Int(id.slot)
    guard index < services.count, services[index].generation == id.generation, services[index].isLive else {
      return nil
    }
    return index
  }

  func id(_ index: Int) -> MDNSServiceID {
    MDNSServiceID(slot: UInt32(index), generation: services[index].generation)
  }

  func behavior(_ index: Int) -> MDNSBehavior { behaviors[Int(services[index].behavior)] }

  mutating func report(_ report: MDNSReport) { outputs.append(.report(report)) }

  // MARK: Time

  /// When `advance(to:)` has to be called; nil: not before the next input.
  package var nextDeadline: Duration? {
    var next = leaving.isEmpty ? Time.never : goodbyeTime
    for link in links { next = min(next, deadline(of: link)) }
    return next == Time.never ? nil : .nanoseconds(next)
  }

  /// Performs what is due.
  package mutating func advance(to now: Duration) {
    self.now = max(self.now, Time.nanoseconds(now))
    runSteps()
    for link in links.indices { runAnswers(on: link) }
  }

  /// The outputs since the last call, in order.
  package mutating func takeOutputs() -> [MDNSOutput] {
    if !leaving.isEmpty { sayGoodbyes() }
    defer { outputs = [] }
    return outputs
  }
}

extension MDNSResponder {
  package mutating func receive(_ bytes: [UInt8], _ arrival: MDNSArrival, at now: Duration) {
    bytes.withUnsafeBytes { receive($0, arrival, at: now) }
  }
}
