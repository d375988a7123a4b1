import HAPDefects
import HAPDiscovery
import HAPLoop
import HAPWire

/// A responder of multicast DNS for one service, right in everything but what its manner says. RFC 6762.
///
/// It shares port 5353 with every other responder of the machine, and therefore asks nobody to answer it alone (§15.1). Belongs to the loop's thread.
final class OddResponder: Advertiser {
  private enum State: Equatable {
    /// Nothing is told. Next: `probing`, with a record and an interface.
    case idle
    /// Asks whether its names are free; so many probes are out. Next: `up`, or `probing` anew.
    case probing(Int)
    /// The names are its own. Next: `probing`, when somebody else has one.
    case up
  }

  /// RFC 6762 §8.1 and §8.3.
  private static let probeCount = 3
  private static let probePause = Duration.milliseconds(250)
  private static let announcementPause = Duration.seconds(1)
  /// More names than these are not tried: something is answering to every one.
  private static let mostRenames = 64
  /// RFC 6762 §8.1: after so many conflicts in ten seconds, five seconds pass before the next attempt.
  private static let conflictLimit = 15

  /// What it doesn't do from now on.
  var manner = ResponderManner() {
    didSet { service?.flushesCaches = manner.flushesCaches }
  }
  /// It tells all that it has again and again, with this pause; nil: as RFC 6762 has it.
  var stormPause: Duration? {
    didSet { if oldValue != stormPause { storm() } }
  }
  /// The name of a second instance of what is published next.
  var also: String?

  private let loop: EventLoop
  private let choice: InterfaceChoice
  private var network: NetworkWatcher!
  private var interfaces: [NetworkInterface] = []
  private var sockets: MDNSSockets?
  private var answering: AnswerQueue!
  private let stepTimer: LoopTimer
  private let outbox: LoopTimer
  private let stormTimer: LoopTimer

  private var state = State.idle
  private var record: ServiceRecord?
  private(set) var service: ToldService?
  /// What the second announcement tells; nil: it was told, or isn't wanted.
  private enum Announcement { case all, texts }
  private var secondAnnouncement: Announcement?
  private var renames = 0
  private var conflicts: [Duration] = []
  private var events: ((AdvertisementEvent) -> Void)?
  private var mail: [AdvertisementEvent] = []
  /// The name under which it was told to be up last, and the addresses.
  private var toldName: String?
  private var toldAddresses: [UInt32: [IPAddress]] = [:]
  private var isClosed = false

  init(_ loop: EventLoop, on choice: InterfaceChoice) {
    self.loop = loop
    self.choice = choice
    stepTimer = LoopTimer(loop)
    outbox = LoopTimer(loop)
    stormTimer = LoopTimer(loop)
    answering = AnswerQueue(loop) { [unowned self] in multicast($0, on: $1) }
    answering.isCurrent = { [unowned self] in state == .up && service?.has($0, on: $1) == true }
    stepTimer.onFire = { [unowned self] in step() }
    outbox.onFire = { [unowned self] in deliver() }
    stormTimer.onFire = { [unowned self] in if state == .up { announce(.all) } }
    network = NetworkWatcher(loop) { [unowned self] in networkChanged() }
  }

  // MARK: The advertiser

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    guard !isClosed else { return }
    withdraw()
    self.events = events
    do throws(RecordError) {
      try record.check()
      if let also {
        var other = record
        other.name = also
        try other.check()
      }
    } catch { return tell(.failed(error.description)) }
    self.record = record
    var service = ToldService(record, others: also.map { [$0] } ?? [])
    service.flushesCaches = manner.flushesCaches
    self.service = service
    renames = 0
    start()
  }

  func update(txt: TextRecord) {
    guard let record, record.txt != txt else { return }
    do throws(RecordError) { try txt.check() } catch { return tell(.failed(error.description)) }
    self.record?.txt = txt
    service?.txt = txt
    answering.forgetOld()
    guard state == .up else { return }
    announce(.texts)
    // The second one of all tells this, too.
    if secondAnnouncement == .all { return }
    secondAnnouncement = .texts
    stepTimer.start(after: Self.announcementPause)
  }

  func withdraw() {
    if state == .up, manner.saysGoodbye { sayGoodbye() }
    record = nil
    service = nil
    events = nil
    mail = []
    toldName = nil
    stop()
  }

  func close() {
    guard !isClosed else { return }
    withdraw()
    isClosed = true
    sockets?.close()
    sockets = nil
    network.close()
    stepTimer.close()
    outbox.close()
    stormTimer.close()
    answering.close()
  }

  private func storm() {
    guard let stormPause else { return stormTimer.cancel() }
    stormTimer.start(after: stormPause, repeat: stormPause)
  }

  /// Tells nothing, until it starts anew.
  private func stop() {
    state = .idle
    stepTimer.cancel()
    secondAnnouncement = nil
    answering.clear()
  }

  private func tell(_ event: AdvertisementEvent) {
    mail.append(event)
    outbox.start(after: .zero)
  }

  private func deliver() {
    let mail = mail
    self.mail = []
    for event in mail { events?(event) }
  }

  /// Gives up, until it is published anew.
  private func fail(_ reason: String) {
    stop()
    record = nil
    service = nil
    tell(.failed(reason))
  }

  // MARK: The network

  /// Where it is on the network is what it starts from: its names may be taken there. RFC 6762 §8.
  private func networkChanged() {
    if record != nil, usable != interfaces { start() }
  }

  private var usable: [NetworkInterface] {
    choice.chosen(from: network.interfaces).filter { !$0.addresses.isEmpty }
  }

  private func start() {
    guard let record else { return }
    stop()
    sockets?.close()
    sockets = nil
    interfaces = usable
    guard !interfaces.isEmpty else {
      toldName = nil
      return tell(.failed(choice.absence))
    }
    service?.addresses = Dictionary(uniqueKeysWithValues: interfaces.map { ($0.index, addresses(of: record, on: $0)) })
    let sockets = MDNSSockets(loop) { [unowned self] datagram, _ in receive(datagram) }
    do throws(LoopError) {
      // Addresses are left to those who ask: an answer to one of them alone would come here instead.
      try sockets.open(on: interfaces, takesAddresses: false)
    } catch {
      sockets.close()
      return tell(.failed(error.detail))
    }
    self.sockets = sockets
    // RFC 6762 §8.1: machines that are switched on together don't ask together.
    probe(after: .milliseconds(Int.random(in: 0...250)))
  }

  private func addresses(of record: ServiceRecord, on interface: NetworkInterface) -> [IPAddress] {
    if record.addresses.isEmpty { return interface.addresses }
    return record.addresses.filter { address in
      interface.addresses.contains(address) || !interfaces.contains { $0.addresses.contains(address) }
    }
  }

  // MARK: Probing and announcing

  private func probe(after delay: Duration) {
    stop()
    state = .probing(0)
    stepTimer.start(after: delay)
  }

  private func step() {
    switch state {
    case .idle: return
    case .probing(Self.probeCount):
      state = .up
      rise()
    case .probing(let count):
      sendProbe()
      state = .probing(count + 1)
      stepTimer.start(after: Self.probePause)
    case .up:
      guard let announcement = secondAnnouncement else { return }
      secondAnnouncement = nil
      announce(announcement)
    }
  }

  private func sendProbe() {
    guard let service else { return }
    for interface in interfaces {
      let questions = service.claimed.map { DNSQuestion($0, DNSType.any) }
      send(DNSMessage(questions: questions, authorities: service.claims(on: interface.index)), on: interface.index)
    }
  }

  private func rise() {
    guard let service else { return }
    announce(.all)
    secondAnnouncement = .all
    stepTimer.start(after: Self.announcementPause)
    if toldName != service.names[0] {
      toldName = service.names[0]
      tell(.established(service.names[0]))
    } else if toldAddresses != service.addresses {
      tell(.addresses(interfaces.flatMap { service.addresses[$0.index] ?? [] }))
    }
    toldAddresses = service.addresses
  }

  private func announce(_ announcement: Announcement) {
    guard let service, manner.announces else { return }
    for interface in interfaces {
      let records = announcement == .all ? service.records(on: interface.index) : service.texts
      multicast(DNSMessage(answers: records), on: interface.index)
    }
  }

  private func sayGoodbye() {
    guard let service else { return }
    for interface in interfaces {
      let records = service.records(on: interface.index).map { record in
        var record = record
        record.ttl = 0
        return record
      }
      multicast(DNSMessage(answers: records), on: interface.index)
    }
  }

  // MARK: Hearing

  private func receive(_ datagram: UDPSocket.Datagram) {
    guard service != nil, let message = try? DNSMessage(decoding: datagram.bytes), message.opcode == 0,
      message.responseCode == 0
    else { return }
    // A system that doesn't tell has one interface for us.
    let index = datagram.interface == 0 ? interfaces.first?.index : datagram.interface
    guard let index, interfaces.contains(where: { $0.index == index }) else { return }
    if message.isResponse {
      // RFC 6762 §6: what comes from elsewhere is no response.
      if datagram.source.port == MDNSSockets.port { judge(message) }
    } else if state == .up {
      let isDirect = datagram.destination?.isMulticast == false
      answer(Query(message, from: datagram.source, on: index, isDirect: isDirect))
    } else if case .probing = state, manner.yieldsNames, service?.yields(to: message, on: index) == true {
      // RFC 6762 §8.2: the other one takes it, or was nobody.
      probe(after: .seconds(1))
    }
  }

  /// Whether what others tell leaves us our names. RFC 6762 §8.1, §9.
  private func judge(_ response: DNSMessage) {
    guard manner.yieldsNames, state != .idle, let service else { return }
    let lost = Set(response.records.compactMap(service.conflict))
    guard !lost.isEmpty else { return }
    if state == .up { return probe(after: pauseAfterConflict) }
    for name in lost where !rename(name) { return }
    probe(after: pauseAfterConflict)
  }

  private var pauseAfterConflict: Duration {
    let now = Duration.nanoseconds(Int64(clamping: EventLoop.readClock()))
    conflicts = conflicts.filter { now - $0 < .seconds(10) }.suffix(Self.conflictLimit - 1) + [now]
    return conflicts.count < Self.conflictLimit ? .zero : .seconds(5)
  }

  /// - Returns: false when it has given up, which was told.
  private func rename(_ name: DNSName) -> Bool {
    guard let record, let service else { return false }
    guard record.isRenamed, renames < Self.mostRenames else {
      fail("the name \(record.name) is taken\(record.isRenamed ? ", and so are \(renames) others made of it" : "")")
      return false
    }
    renames += 1
    self.service?.rename(name)
    if let new = self.service?.names[0], new != service.names[0] {
      toldName = nil
      tell(.renamed(from: service.names[0], to: new))
    }
    return true
  }

  // MARK: Answering

  private func answer(_ query: Query) {
    guard let service else { return }
    if !manner.passesOverKnownAnswers { answering.drop(whatIsKnownTo: query) }
    var alone: [DNSRecord] = []
    var all: [DNSRecord] = []
    for question in query.questions {
      let wantsUnicast = question.wantsUnicast || query.isDirect
      if wantsUnicast, !manner.hearsUnicast { continue }
      var answers = service.answers(to: question, on: query.interface)
      if !manner.passesOverKnownAnswers { answers.removeAll(where: query.knows) }
      if query.isLegacy || !manner.announces {
        alone += answers
      } else if query.message.isProbe {
        // Who asks may share its port with others, and get nothing that is meant for it alone.
        for answer in answers {
          if answering.mayDefend(answer, on: query.interface) { all.append(answer) } else { alone.append(answer) }
        }
      } else if wantsUnicast, manner.answersUnicast {
        // RFC 6762 §5.4: what all haven't heard for a while, they hear now.
        for answer in answers {
          if answering.isFresh(answer, on: query.interface) { alone.append(answer) } else { all.append(answer) }
        }
      } else {
        all += answers
      }
    }
    if !alone.isEmpty { reply(to: query, with: alone) }
    if !all.isEmpty { answering.add(all, to: query) }
  }

  /// Answers the asker alone.
  private func reply(to query: Query, with answers: [DNSRecord]) {
    guard let service else { return }
    var reply = DNSMessage(
      flags: DNSMessage.response | DNSMessage.authoritative, answers: Self.once(answers),
      additionals: service.additionals(to: answers, on: query.interface))
    if query.isLegacy {
      // RFC 6762 §6.7: who knows no multicast DNS gets what a server would say, for a short time.
      reply.id = query.message.id
      reply.questions = query.message.questions.filter { question in answers.contains(where: question.isAnswered) }
      for index in reply.questions.indices { reply.questions[index].wantsUnicast = false }
      reply.answers = reply.answers.map(Self.plain)
      reply.additionals = reply.additionals.map(Self.plain)
    }
    _ = try? sockets?.send(reply.encoded(), to: query.source)
  }

  private static func plain(_ record: DNSRecord) -> DNSRecord {
    var record = record
    record.flushesCache = false
    record.ttl = min(record.ttl, 10)
    return record
  }

  private static func once(_ records: [DNSRecord]) -> [DNSRecord] {
    var seen: Set<DNSRecord> = []
    return records.filter { seen.insert($0).inserted }
  }

  /// Tells all on an interface, with what they will ask for next.
  private func multicast(_ message: DNSMessage, on interface: UInt32) {
    guard let service else { return }
    var message = message
    message.flags = DNSMessage.response | DNSMessage.authoritative
    message.answers = Self.once(message.answers)
    if !message.answers.contains(where: \.isGoodbye) {
      message.additionals = service.additionals(to: message.answers, on: interface)
      answering.note(message.answers + message.additionals, on: interface)
    }
    send(message, on: interface)
  }

  /// One that can't be sent is lost, as any can be.
  private func send(_ message: DNSMessage, on interface: UInt32) {
    _ = try? sockets?.sendToAll(message.encoded(), on: interface)
  }
}
