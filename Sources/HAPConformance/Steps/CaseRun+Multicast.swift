import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

extension CaseRun {
  func mdns(_ action: MulticastAction) async throws {
    guard let observer = world.observer else { throw CaseSkip(reason: "no multicast: \(world.noMulticast)") }
    let limit = action.within ?? .seconds(5)
    do {
      switch action.operation {
      case .claim(let name): try await claim(try Self.instance(name), observer)
      case .release: await release(observer)
      case .browse: try await browse(action, observer, limit)
      case .follow: try await follow(action, observer, limit)
      case .resolve: try await resolve(action, observer, limit)
      case .talk(let question, let packet):
        if let question { try await ask(question, observer) }
        if let packet { try await listen(packet, action, observer, limit) }
      }
    } catch let error as LoopError {
      throw StepProblem("multicast: \(error.detail)")
    }
  }

  /// Returns the full name of the accessory's instance.
  private func instance() async throws -> DNSName {
    await findAgain(within: .seconds(5))
    guard let name = device.instanceName else {
      throw CaseSkip(reason: "the accessory's name on the network is not known")
    }
    return MDNSObserver.hapType.prefixed(by: Array(name.utf8))
  }

  // MARK: Names

  private func claim(_ full: DNSName, _ observer: MDNSObserver) async throws {
    nameClaims.append(try await observer.claim(full))
    recorder.add(TranscriptEntry(time: recorder.now, kind: .mdns, direction: .sent, title: "claimed \(full)"))
  }

  func release(_ observer: MDNSObserver) async {
    for claim in nameClaims { await observer.release(claim) }
    nameClaims = []
  }

  // MARK: Browsing

  private func browse(_ action: MulticastAction, _ observer: MDNSObserver, _ limit: Duration) async throws {
    let found = try await observer.browse(within: limit)
    let list = try found.map { Self.variable($0) }.filter { view in
      try action.pattern.map { try Pattern.mismatch(Self.flat(view), $0) == nil } ?? true
    }
    let view = JSONNode.object([("count", .integer(list.count)), ("instances", .list(list))])
    save(action.save, from: [.discovery]) { view.at($0) }
  }

  private func resolve(_ action: MulticastAction, _ observer: MDNSObserver, _ limit: Duration) async throws {
    let name = try await instance()
    let found = try await observer.resolve(instance: name, within: limit)
    guard let found, found.isResolved else {
      throw CaseFailure(
        "\(name) can't be resolved", sent: "multicast queries for \(name)", accepted: ["SRV, TXT and an address"],
        got: found == nil ? "nothing" : "only some records", isSilence: true)
    }
    let view = Self.variable(found)
    if let pattern = action.pattern, let problem = try Pattern.mismatch(Self.flat(view), pattern) {
      throw CaseFailure(problem, accepted: [Pattern.words(pattern)], got: Pattern.shown(view["txt"]))
    }
    save(action.save, from: [.discovery]) { view.at($0) }
  }

  /// Finds the accessory by its ID, whatever its name, and updates name, port and record.
  private func follow(_ action: MulticastAction, _ observer: MDNSObserver, _ limit: Duration) async throws {
    guard let id = device.id else { throw CaseSkip(reason: "the accessory's device ID is not known") }
    let mark = try await since(action, observer)
    let pattern = action.pattern
    let found = try await observer.find(within: limit, after: mark) { service in
      guard ServiceTarget.id(id).matches(service) else { return false }
      guard let pattern else { return true }
      return (try? Pattern.mismatch(Self.flat(Self.variable(service)), pattern)) == .some(nil)
    }
    if Task.isCancelled { throw CaseInterrupted() }
    guard let found else {
      let wanted = pattern.map { " with \(Pattern.words($0))" } ?? ""
      throw CaseFailure(
        "no accessory with the ID \(id)\(wanted) within \(limit.roundText)",
        sent: "multicast queries for accessories",
        accepted: ["SRV, TXT and an address of one\(wanted)"], got: "none", isSilence: true)
    }
    followTo(found)
    let view = Self.variable(found)
    recorder.add(
      TranscriptEntry(
        time: recorder.now, kind: .mdns, direction: .received, title: "\(id) is \(found.name)",
        decoded: Pattern.shown(view)))
    save(action.save, from: [.discovery]) { view.at($0) }
  }

  private func followTo(_ service: ServiceInstance) {
    device.follow(service)
    scope["device"] = device.variable
    scope["instance"] = .text(device.instanceName ?? "")
  }

  /// Updates name and port from announcements since a hook restarted the accessory. Returns at once without such a restart, or if it was
  /// found since.
  func findAgain(within limit: Duration) async {
    guard let restart = device.restart, let observer = world.observer else { return }
    @Sendable func found(_ services: [ServiceInstance]) -> ServiceInstance? {
      for target in restart.targets {
        if let service = services.first(where: { $0.isResolved && target.matches($0) }) { return service }
      }
      return nil
    }
    if let service = found(await observer.services(after: restart.mark)) { return followTo(service) }
    guard limit > .zero else { return }
    let service = try? await observer.find(within: limit, after: restart.mark) { found([$0]) != nil }
    if let service { followTo(service) }
  }

  static func variable(_ service: ServiceInstance) -> JSONNode {
    let strings = service.textStrings ?? []
    return .object([
      ("name", .text(String(decoding: service.label, as: UTF8.self))),
      ("name-bytes", .text(Hexadecimal.text(service.label))),
      ("port", .integer(service.port ?? 0)), ("host", .text(service.host.map { "\($0)" } ?? "")),
      ("txt", text(service.textEntries)), ("raw", .list(strings.map { .text(String(decoding: $0, as: UTF8.self)) })),
      ("keys", .list(strings.map { .text(String(decoding: DNSTextEntry($0).foldedKey, as: UTF8.self)) })),
      ("addresses", .list(service.socketAddresses.map { .text("\($0)") })),
      ("hosts", .list(service.socketAddresses.map { .text("\($0.host)") })),
      ("ttl", .integer(service.service?.record.ttl ?? 0)),
    ])
  }

  /// Returns TXT entries as an object. Of duplicate keys the first one counts.
  private static func text(_ entries: [(key: String, value: String)]) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    for (key, value) in entries where !members.contains(where: { $0.name == key }) {
      members.append((key, .text(value)))
    }
    return .object(members)
  }

  /// Returns the view with TXT keys next to its other members, for `where`.
  private static func flat(_ view: JSONNode) -> JSONNode {
    .object((view.members ?? []).map { ($0.name, $0.value) } + (view["txt"]?.members ?? []).map { ($0.name, $0.value) })
  }

  // MARK: Queries

  private func ask(_ query: MulticastQuery, _ observer: MDNSObserver) async throws {
    var asked: [DNSQuestion] = []
    for question in query.questions {
      let words = question.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2, let type = Self.types[words[0]] else {
        throw StepProblem("a question is TYPE NAME, such as PTR _hap._tcp.local, not \"\(question.prefix(80))\"")
      }
      asked.append(DNSQuestion(try Self.name(words[1]), type))
    }
    var known: [DNSRecord] = []
    if query.hasKnownAnswer {
      known.append(DNSRecord(MDNSObserver.hapType, DNSType.ptr, ttl: 4500, .pointer(try await instance())))
    }
    multicastMark = try await observer.query(asked, unicastResponse: query.wantsUnicast, knownAnswers: known)
    marks["mdns"] = recorder.now
    recorder.add(
      TranscriptEntry(
        time: recorder.now, kind: .mdns, direction: .sent,
        title: "asked for \(query.questions.joined(separator: ", "))"))
  }

  private static let types: [String: UInt16] = [
    "PTR": DNSType.ptr, "SRV": DNSType.srv, "TXT": DNSType.txt, "A": DNSType.a, "AAAA": DNSType.aaaa,
    "ANY": DNSType.any,
    "NSEC": DNSType.nsec,
  ]

  /// Returns the full name of an instance with this label.
  private static func instance(_ label: String) throws(StepProblem) -> DNSName {
    guard (1...63).contains(label.utf8.count) else {
      throw StepProblem("an instance's name has 1 to 63 bytes, not \(label.utf8.count)")
    }
    return MDNSObserver.hapType.prefixed(by: Array(label.utf8))
  }

  /// Parses a name. An instance's name may contain dots that don't end labels.
  private static func name(_ text: String) throws(StepProblem) -> DNSName {
    let suffix = "._hap._tcp.local"
    if text.hasSuffix(suffix), text.count > suffix.count { return try instance(String(text.dropLast(suffix.count))) }
    guard let name = DNSName(text) else { throw StepProblem("\(text) is not a DNS name") }
    return name
  }

  // MARK: Listening

  /// Returns the mark after which packets count.
  private func since(_ action: MulticastAction, _ observer: MDNSObserver) async throws -> MDNSObserver.Mark {
    guard let name = action.since else { return await observer.mark }
    if name == "run" { return MDNSObserver.start }
    guard let mark = multicastMarks[name] else { throw StepProblem("there is no mark \"\(name)\"") }
    return mark
  }

  private func listen(
    _ wanted: MulticastPacket, _ action: MulticastAction, _ observer: MDNSObserver, _ limit: Duration
  ) async throws {
    let kind = wanted.kind
    let instance = try await instance()
    let pattern = action.pattern
    var mark = try await since(action, observer)
    if kind == .answer, action.since == nil, let asked = multicastMark { mark = asked }
    let packet = await observer.first(after: mark, within: limit) { packet in
      guard let view = Self.view(packet, kind, instance) else { return false }
      guard let pattern else { return true }
      return (try? Pattern.mismatch(view, pattern)) == .some(nil)
    }
    if Task.isCancelled { throw CaseInterrupted() }
    if wanted.isUnwanted {
      guard let packet else { return }
      throw CaseFailure(
        "there was \(Self.article(kind)) where none was expected", accepted: ["none for \(limit)"],
        got: Pattern.shown(Self.view(packet, kind, instance)))
    }
    guard let packet, let view = Self.view(packet, kind, instance) else {
      let wanted = pattern.map { " with \(Pattern.words($0))" } ?? ""
      throw CaseFailure(
        "no \(kind.rawValue)\(wanted) of \(instance) within \(limit)", accepted: ["\(Self.article(kind))\(wanted)"],
        got: "none",
        isSilence: true)
    }
    recorder.add(
      TranscriptEntry(
        time: packet.time, kind: .mdns, direction: .received, title: "\(kind.rawValue) of \(instance)",
        decoded: Pattern.shown(view), peerAddress: "\(packet.source)"))
    save(action.save, from: [.discovery]) { view.at($0) }
  }

  private static func article(_ kind: MulticastPacket.Kind) -> String {
    kind == .announcement || kind == .answer ? "an \(kind.rawValue)" : "a \(kind.rawValue)"
  }

  /// Returns a packet as `where` and `save` access it; nil if it is of another kind.
  private static func view(_ packet: ObservedPacket, _ kind: MulticastPacket.Kind, _ instance: DNSName) -> JSONNode? {
    guard !packet.isOwn else { return nil }
    // Goodbye records are ignored, except in the view of a goodbye: they can contain the old port and TXT record.
    func told(_ records: [DNSRecord]) -> [DNSRecord] { records.filter { kind == .goodbye || !$0.isGoodbye } }
    let own = told(packet.records(instance))
    let pointers = told(packet.records(MDNSObserver.hapType, DNSType.ptr))
    let records = own + pointers
    switch kind {
    case .goodbye: guard packet.isGoodbye(of: instance) else { return nil }
    case .txt: guard packet.announcedText(of: instance) != nil else { return nil }
    case .announcement: guard packet.isAnnouncement, !records.isEmpty else { return nil }
    case .answer: guard packet.message.isResponse, !records.isEmpty else { return nil }
    }
    var strings: [[UInt8]] = []
    var port: UInt16 = 0
    for record in own {
      if case .text(let found) = record.data { strings = found }
      if case .service(_, _, let found, _) = record.data { port = found }
    }
    let view = JSONNode.object([
      ("time", .number((packet.time / .milliseconds(1) * 100).rounded() / 100)),
      ("unicast", JSONNode(.bool(packet.isMulticast == false))),
      ("cache-flush", JSONNode(.bool(!own.isEmpty && own.allSatisfy(\.flushesCache)))),
      ("ttl", .integer(own.map(\.ttl).min() ?? 0)), ("port", .integer(port)),
      ("txt", text(ServiceInstance.entries(of: strings))),
      (
        "pointer",
        JSONNode(.bool(pointers.contains { $0.data == .pointer(instance) }))
      ),
    ])
    return flat(view)
  }
}
