import HAPExpectation
import HAPLoop
import HAPReport
import HAPTarget
import HAPWire

extension CaseRun {
  func mdns(_ node: JSONNode) async throws {
    guard let observer = world.observer else { throw CaseSkip(reason: "no multicast: \(world.noMulticast)") }
    let limit = try duration(node["within"], default: .seconds(5))
    do {
      if let name = node["claim"] { return try await claim(try Self.instance(Scope.text(name), name), observer) }
      if node["release"]?.boolValue == true { return await release(observer) }
      if node["browse"]?.boolValue == true { return try await browse(node, observer, limit) }
      if node["follow"]?.boolValue == true { return try await follow(node, observer, limit) }
      if node["resolve"]?.boolValue == true { return try await resolve(node, observer, limit) }
      if let questions = node["query"]?.elements { try await query(questions, node, observer) }
      if let kind = node["listen"]?.stringValue { try await listen(kind, node, observer, limit) }
    } catch let error as LoopError {
      throw StepError(node, "multicast: \(error.detail)")
    }
  }

  /// The accessory's own instance, in full.
  private func instance(_ node: JSONNode) async throws -> DNSName {
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

  // MARK: Looking

  private func browse(_ node: JSONNode, _ observer: MDNSObserver, _ limit: Duration) async throws {
    let found = try await observer.browse(within: limit)
    let list = try found.map { Self.variable($0) }.filter { view in
      try node["where"].map { try Pattern.mismatch(Self.flat(view), $0) == nil } ?? true
    }
    let view = JSONNode.object([("count", .integer(list.count)), ("instances", .list(list))])
    try save(node["save"], from: [.discovery]) { view.at($0) }
  }

  private func resolve(_ node: JSONNode, _ observer: MDNSObserver, _ limit: Duration) async throws {
    let name = try await instance(node)
    let found = try await observer.resolve(instance: name, within: limit)
    guard let found, found.isResolved else {
      throw CaseFailure(
        "\(name) can't be resolved", sent: "multicast questions for \(name)", accepted: ["SRV, TXT and an address"],
        got: found == nil ? "nothing" : "only a part", isSilence: true)
    }
    let view = Self.variable(found)
    if let pattern = node["where"], let problem = try Pattern.mismatch(Self.flat(view), pattern) {
      throw CaseFailure(problem, accepted: [Pattern.words(pattern)], got: Pattern.shown(view["txt"]))
    }
    try save(node["save"], from: [.discovery]) { view.at($0) }
  }

  /// Looks it up by its ID, whatever it is called, and goes by what is found.
  private func follow(_ node: JSONNode, _ observer: MDNSObserver, _ limit: Duration) async throws {
    guard let id = device.id else { throw CaseSkip(reason: "the accessory's device ID is not known") }
    let mark = try await since(node, observer)
    let pattern = node["where"]
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
        sent: "multicast questions for accessories",
        accepted: ["SRV, TXT and an address of one\(wanted)"], got: "none", isSilence: true)
    }
    followTo(found)
    let view = Self.variable(found)
    recorder.add(
      TranscriptEntry(
        time: recorder.now, kind: .mdns, direction: .received, title: "\(id) is \(found.name)",
        decoded: Pattern.shown(view)))
    try save(node["save"], from: [.discovery]) { view.at($0) }
  }

  private func followTo(_ service: ServiceInstance) {
    device.follow(service)
    scope["device"] = device.variable
    scope["instance"] = .text(device.instanceName ?? "")
  }

  /// Goes by what the accessory says of itself since a hook let it start anew: its name and port may be others. Without such a hook, or when
  /// that is known, there is nothing to wait for.
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

  /// The first of keys that occur twice.
  private static func text(_ entries: [(key: String, value: String)]) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    for (key, value) in entries where !members.contains(where: { $0.name == key }) {
      members.append((key, .text(value)))
    }
    return .object(members)
  }

  /// TXT keys beside the others, for `where`.
  private static func flat(_ view: JSONNode) -> JSONNode {
    .object((view.members ?? []).map { ($0.name, $0.value) } + (view["txt"]?.members ?? []).map { ($0.name, $0.value) })
  }

  // MARK: Questions

  private func query(_ questions: [JSONNode], _ node: JSONNode, _ observer: MDNSObserver) async throws {
    var asked: [DNSQuestion] = []
    for question in questions {
      let words = Scope.text(question).split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2, let type = Self.types[words[0]] else {
        throw StepError(question, "a question is TYPE NAME, such as PTR _hap._tcp.local")
      }
      asked.append(DNSQuestion(try Self.name(words[1], question), type))
    }
    var known: [DNSRecord] = []
    if node["known"]?.boolValue == true {
      known.append(DNSRecord(MDNSObserver.hapType, DNSType.ptr, ttl: 4500, .pointer(try await instance(node))))
    }
    multicastMark = try await observer.query(
      asked, unicastResponse: node["unicast"]?.boolValue ?? false, knownAnswers: known)
    marks["mdns"] = recorder.now
    recorder.add(
      TranscriptEntry(
        time: recorder.now, kind: .mdns, direction: .sent,
        title: "asked for \(questions.map { Scope.text($0) }.joined(separator: ", "))"))
  }

  private static let types: [String: UInt16] = [
    "PTR": DNSType.ptr, "SRV": DNSType.srv, "TXT": DNSType.txt, "A": DNSType.a, "AAAA": DNSType.aaaa,
    "ANY": DNSType.any,
    "NSEC": DNSType.nsec,
  ]

  /// The full name of an instance that people see under this one.
  private static func instance(_ label: String, _ node: JSONNode) throws -> DNSName {
    guard (1...63).contains(label.utf8.count) else {
      throw StepError(node, "an instance's name has 1 to 63 bytes, not \(label.utf8.count)")
    }
    return MDNSObserver.hapType.prefixed(by: Array(label.utf8))
  }

  /// An instance's name may have dots in it, which are no ends of labels.
  private static func name(_ text: String, _ node: JSONNode) throws -> DNSName {
    let suffix = "._hap._tcp.local"
    if text.hasSuffix(suffix), text.count > suffix.count {
      return try instance(String(text.dropLast(suffix.count)), node)
    }
    guard let name = DNSName(text) else { throw StepError(node, "\(text) is no name") }
    return name
  }

  // MARK: Listening

  /// From where on packets count.
  private func since(_ node: JSONNode, _ observer: MDNSObserver) async throws -> MDNSObserver.Mark {
    guard let name = node["since"]?.stringValue else { return await observer.mark }
    if name == "run" { return MDNSObserver.start }
    guard let mark = multicastMarks[name] else { throw StepError(node, "there is no mark \"\(name)\"") }
    return mark
  }

  private func listen(_ kind: String, _ node: JSONNode, _ observer: MDNSObserver, _ limit: Duration) async throws {
    let instance = try await instance(node)
    let pattern = node["where"]
    var mark = try await since(node, observer)
    if kind == "answer", node["since"] == nil, let asked = multicastMark { mark = asked }
    let packet = await observer.first(after: mark, within: limit) { packet in
      guard let view = Self.view(packet, kind, instance) else { return false }
      guard let pattern else { return true }
      return (try? Pattern.mismatch(view, pattern)) == .some(nil)
    }
    if Task.isCancelled { throw CaseInterrupted() }
    if node["absent"]?.boolValue == true {
      guard let packet else { return }
      throw CaseFailure(
        "there was \(Self.article(kind)) where none should be", accepted: ["none for \(limit)"],
        got: Pattern.shown(Self.view(packet, kind, instance)))
    }
    guard let packet, let view = Self.view(packet, kind, instance) else {
      let wanted = pattern.map { " with \(Pattern.words($0))" } ?? ""
      throw CaseFailure(
        "no \(kind)\(wanted) of \(instance) within \(limit)", accepted: ["\(Self.article(kind))\(wanted)"], got: "none",
        isSilence: true)
    }
    recorder.add(
      TranscriptEntry(
        time: packet.time, kind: .mdns, direction: .received, title: "\(kind) of \(instance)",
        decoded: Pattern.shown(view), peerAddress: "\(packet.source)"))
    try save(node["save"], from: [.discovery]) { view.at($0) }
  }

  private static func article(_ kind: String) -> String {
    kind == "announcement" || kind == "answer" ? "an \(kind)" : "a \(kind)"
  }

  /// A packet as `where` and `save` see it; nil when it is not of this kind.
  private static func view(_ packet: ObservedPacket, _ kind: String, _ instance: DNSName) -> JSONNode? {
    guard !packet.isOwn else { return nil }
    // What says that it goes says nothing else, though the old port and TXT record stand in it.
    func told(_ records: [DNSRecord]) -> [DNSRecord] { records.filter { kind == "goodbye" || !$0.isGoodbye } }
    let own = told(packet.records(instance))
    let pointers = told(packet.records(MDNSObserver.hapType, DNSType.ptr))
    let records = own + pointers
    switch kind {
    case "goodbye": guard packet.isGoodbye(of: instance) else { return nil }
    case "txt": guard packet.announcedText(of: instance) != nil else { return nil }
    case "announcement": guard packet.isAnnouncement, !records.isEmpty else { return nil }
    default: guard packet.message.isResponse, !records.isEmpty else { return nil }
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
