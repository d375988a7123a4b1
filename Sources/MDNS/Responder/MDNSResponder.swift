import HAPWire

/// The responder of multicast DNS for any number of services. It does no I/O: its inputs are times, packets and address
/// changes; its outputs are packets and reports. RFC 6762, RFC 6763.
///
/// It reads no clock. Every input has the time: a `Duration` since an origin that the caller chooses, never earlier
/// than the previous input. After each input the caller performs `takeOutputs()`, and it calls `advance(to:)` at
/// `nextDeadline`.
package struct MDNSResponder: Sendable {
  package struct Configuration: Sendable {
    /// Whether other processes of the machine receive on port 5353 too. If so, probes request multicast answers,
    /// because a unicast answer could arrive at another process. RFC 6762 §15.1.
    package var sharesPort = false
    /// The maximum number of packets with probes and announcements on a link in each `tick`. The same number applies to
    /// answers with all services of a type. Further packets wait.
    package var packetsPerTick = 10
    package var tick = Duration.milliseconds(10)

    package init() {}
  }

  package let configuration: Configuration

  var random: MDNSRandom
  /// The time of the current input.
  var now = Time.past
  var outputs: [MDNSOutput] = []

  var services: [ServiceEntry] = []
  var hosts: [HostEntry] = []
  var types: [TypeEntry] = []
  var subtypes: [SubtypeEntry] = []
  /// The free indexes of the tables.
  var freeServices: [UInt32] = []
  var freeHosts: [UInt32] = []
  var freeSubtypes: [UInt32] = []
  var names = NameIndex()
  /// The behaviors of the services. Index 0 has no deviations.
  var behaviors = [MDNSBehavior()]
  /// Services without announcements: questions for them are answered only by unicast.
  var unannounced: [UInt32] = []
  /// The conflict histories of names.
  var conflicts: [Ref: ConflictHistory] = [:]
  /// Services whose goodbyes wait to be sent.
  var leaving: [UInt32] = []

  var links: [Link] = []
  var echoes = EchoTable()
  /// The type of the service that was published last, and the index of that type.
  var lastType = (name: "", index: 0)
  /// The time at which the probes of new names start. Names that are published before this time share it.
  var start = Time.past
  var lastQuery: UInt32 = 0
  let tick: Int64

  /// The number of the current packet. A name's offset is valid only for the packet with its number.
  var packetNumber: UInt32 = 0
  var localAt: UInt16 = 0
  var localIn: UInt32 = 0

  var scan = DNSScan()

  /// - Parameter random: determines the delays. The same seed and inputs result in the same outputs.
  package init(_ configuration: Configuration = Configuration(), random: MDNSRandom) {
    self.configuration = configuration
    self.random = random
    tick = max(1, Time.nanoseconds(configuration.tick))
  }

  // MARK: Services

  /// Probes for the service's names, and then announces the service. Without an interface, it waits for one.
  package mutating func publish(
    _ service: MDNSService, behavior: MDNSBehavior = MDNSBehavior(), at now: Duration
  ) throws(MDNSServiceError) -> MDNSServiceID {
    try service.check()
    advance(to: now)
    let index = insert(service, number(of: behavior))
    let id = MDNSServiceID(slot: UInt32(index), generation: services[index].generation)
    guard claimLocally(index) else { return id }
    let host = Int(services[index].host)
    let time = behavior.probes ? initialTime() : self.now
    for link in links.indices {
      if links[link].hosts[host].stage == .idle { probe(Ref(.host, host), on: link, at: time) }
      probe(Ref(.service, index), on: link, at: time)
    }
    if !behavior.probes { runSteps() }
    return id
  }

  /// Replaces the strings of the TXT record and announces it. RFC 6762 §8.4. Does nothing if the id is no longer valid.
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

  /// Changes the deviations of the service from RFC 6762.
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

  /// Withdraws a service, with a goodbye if it was announced. RFC 6762 §10.1. Goodbyes of many services are sent a few
  /// packets at a time: see `isSayingGoodbye`.
  /// - Parameter goodbye: false: no packet is sent, as after a power loss.
  package mutating func withdraw(_ id: MDNSServiceID, goodbye: Bool = true, at now: Duration) {
    advance(to: now)
    if let index = index(of: id) { remove(index, goodbye: goodbye) }
  }

  /// Whether goodbyes of withdrawn services wait to be sent.
  package var isSayingGoodbye: Bool { !leaving.isEmpty }

  /// Returns the current instance name; nil if the id is no longer valid.
  package func name(of id: MDNSServiceID) -> String? { index(of: id).map { services[$0].name } }

  /// Returns the current host name without ".local"; nil if the id is no longer valid.
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

  /// The time at which `advance(to:)` has to be called; nil: not before the next input.
  package var nextDeadline: Duration? {
    var next = leaving.isEmpty ? Time.never : goodbyeTime
    for link in links { next = min(next, deadline(of: link)) }
    return next == Time.never ? nil : .nanoseconds(next)
  }

  /// Performs all due actions.
  package mutating func advance(to now: Duration) {
    self.now = max(self.now, Time.nanoseconds(now))
    runSteps()
    for link in links.indices { runAnswers(on: link) }
  }

  /// Returns the outputs since the last call, in order.
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
