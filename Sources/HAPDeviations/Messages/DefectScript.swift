import HAPCrypto
import HAPIP
import HAPModel
import HAPWire

/// The facts that a rule may test on the accessory.
package protocol DefectWorld: AnyObject {
  var database: AttributeDatabase { get }
  /// The body of the answer to `GET /accessories`.
  var databaseText: [UInt8] { get }
  func text(of value: Value) -> [UInt8]
  func isSubscribed(_ connection: UInt64, to id: AttributeID) -> Bool
}

/// A running defect. It receives each message and decides what happens to it, but performs nothing.
///
/// Its state survives restarts of the accessory.
package final class DefectScript {
  /// A message on its way to the controller.
  package struct Sending: Equatable {
    package var bytes: [UInt8]
    package var frames = FrameAlteration()
    package var delay = Duration.zero
    /// Whether later messages may overtake it.
    package var isOvertaken = false
  }

  /// The other effects of a message.
  package struct Effects {
    package var values: [(id: AttributeID, value: JSONNode)] = []
    /// Sent after everything else.
    package var events: [Sending] = []
    /// Sent as soon as the connection is secured.
    package var sessionEvents: [Sending] = []
    package var closing: Closing?
    package var pause = Duration.zero
    package var exits = false
    /// Accessories that perform their identify routine.
    package var identified: [UInt64] = []
    /// Keys of the record to announce again; `nil`: the key is removed.
    package var advertised: [(name: String, value: String?)] = []
  }

  package enum Closing: String, CaseIterable, Sendable { case behind, before, reset, others }

  package struct RequestOutcome {
    /// Processed instead of the request; `nil`: the request is processed unchanged.
    package var requests: [UInt8]?
    package var answers: [Sending] = []
    package var effects = Effects()
  }

  package struct MessageOutcome {
    /// Sent instead of the message.
    package var sendings: [Sending] = []
    /// Whether all other secured connections also receive these messages.
    package var isForEverybody = false
    package var effects = Effects()
  }

  package struct BytesOutcome {
    package var drops = false
    /// The handling of a broken frame.
    package var fate = BrokenFrameFate.close
    package var answers: [Sending] = []
    package var effects = Effects()
  }

  /// An operation of the accessory that is suppressed.
  package enum Suppressed: String, CaseIterable, Sendable { case close, advertise, store, identify, wrote }

  package let defect: Defect
  private var memory: ConditionMemory
  /// Requests that await their answer, by connection; `nil`: the answer is discarded.
  private var awaited: [UInt64: [PlainMessage?]] = [:]
  private var suppressed: [UInt64: Set<Suppressed>] = [:]
  private var remembered: [String: [(connection: ConnectionFacts, request: PlainMessage)]] = [:]
  private var replayed: [Int: PlainMessage] = [:]
  private var sealedOnce: Set<OnceKey> = []
  /// The path of the last request.
  package private(set) var path = ""

  private struct OnceKey: Hashable {
    var sealing: Int
    var connection: UInt64
  }

  /// - Parameter seed: the seed of random conditions.
  package init(_ defect: Defect, seed: UInt64 = 0) {
    self.defect = defect
    memory = ConditionMemory(seed: seed)
  }

  /// The maximum number of requests remembered under one name.
  private static let mostRemembered = 64

  package func isSuppressed(_ what: Suppressed) -> Bool {
    suppressed.values.contains { $0.contains(what) }
  }

  package func closed(_ connection: UInt64) {
    memory.forget(connection: connection)
    awaited[connection] = nil
    suppressed[connection] = nil
    sealedOnce = sealedOnce.filter { $0.connection != connection }
  }

  /// Handles a restart of the accessory: its connections are gone, and their numbers are reused.
  package func restarted() {
    for connection in Set(awaited.keys).union(suppressed.keys).union(memory.connections) { closed(connection) }
    sealedOnce = []
  }

  /// Returns the request that the next message of a connection answers, unless that message is an event.
  package func awaitedRequest(on connection: UInt64) -> PlainMessage? { awaited[connection]?.first ?? nil }

  // MARK: Requests

  package func request(_ facts: MessageFacts, _ world: any DefectWorld) -> RequestOutcome {
    guard let original = facts.request else { return RequestOutcome() }
    let connection = facts.connection.id
    path = original.path
    suppressed[connection] = nil
    var outcome = RequestOutcome()
    var request = original
    var isChanged = false
    var isDone = true
    var first: [PlainMessage] = []
    var then: [PlainMessage] = []
    var answers: [Sending] = []
    for rule in rules(for: facts) {
      if rule.changesMessage {
        request = rule.altered(request, facts.lookup)
        isChanged = true
      }
      if let name = rule.remembers { remember(original, name, facts) }
      first += requests(rule.first, facts)
      then += requests(rule.then, facts)
      if rule.isTwice { then.append(request) }
      if rule.drops || rule.answer != nil { isDone = false }
      if let answer = rule.answer { answers.append(sending(answer.message(to: original, world), rule)) }
      note(rule, facts, world, &outcome.effects)
    }
    outcome.answers = answers
    noteForLater(facts)
    guard isChanged || !isDone || !first.isEmpty || !then.isEmpty else {
      awaited[connection, default: []].append(original)
      return outcome
    }
    let worked: [(text: PlainMessage, isAnswered: Bool)] =
      first.map { ($0, false) } + (isDone ? [(request, true)] : []) + then.map { ($0, false) }
    // The request that the controller sent determines what an answer belongs to.
    awaited[connection, default: []] += worked.map { $0.isAnswered ? original : nil }
    outcome.requests = worked.flatMap(\.text.bytes)
    return outcome
  }

  private func remember(_ request: PlainMessage, _ name: String, _ facts: MessageFacts) {
    var kept = remembered[name] ?? []
    kept.append((facts.connection, request))
    if kept.count > Self.mostRemembered { kept.removeFirst() }
    remembered[name] = kept
  }

  private func requests(_ wanted: [MessageRule.Request], _ facts: MessageFacts) -> [PlainMessage] {
    wanted.flatMap { request in
      if let text = request.text { return [text] }
      let kept = remembered[request.remembered ?? ""] ?? []
      let own = kept.filter {
        !request.isOfThisController || $0.connection.controller == facts.connection.controller
      }
      return own.suffix(1).map(\.request)
    }
  }

  // MARK: Answers and events

  /// - Parameters:
  ///   - bytes: the plaintext message.
  ///   - key: the key of the current pairing message, if there is one.
  ///   - facts: the facts about the message; their `request` is `awaitedRequest`.
  package func message(
    _ bytes: [UInt8], key: SecretBytes?, _ facts: MessageFacts, _ world: any DefectWorld
  ) -> MessageOutcome {
    let connection = facts.connection.id
    var outcome = MessageOutcome()
    if facts.kind == .answer, let queue = awaited[connection], !queue.isEmpty {
      awaited[connection] = Array(queue.dropFirst())
      // The controller did not send this request, so it expects no answer.
      if queue[0] == nil { return outcome }
    }
    var sending = Sending(bytes: bytes, frames: frames(for: facts))
    guard var message = facts.message else {
      outcome.sendings = [sending]
      return outcome
    }
    var isSent = true
    var isTwice = false
    var isChunked = false
    var before: [Sending] = []
    for rule in rules(for: facts) {
      if rule.isReplayed, let kept = replay(message, rule) {
        message = kept
        sending.bytes = kept.bytes
      }
      if rule.changesMessage || !rule.inner.isEmpty {
        message = rule.altered(message, facts.lookup)
        if !rule.inner.isEmpty, let key { message.editInner(rule.inner, key: key) }
        isChunked = isChunked || rule.isChunked
        sending.bytes = isChunked ? message.chunkedBytes : message.bytes
        if !rule.head.isEmpty { sending.bytes = MessageRule.replacedHead(sending.bytes, rule.head) }
      }
      sending.bytes = rule.before + sending.bytes + rule.behind
      if let delay = rule.delay { sending.delay += delay }
      sending.isOvertaken = sending.isOvertaken || rule.isOvertaken
      if rule.drops { isSent = false }
      if rule.isTwice { isTwice = true }
      if rule.isForEverybody { outcome.isForEverybody = true }
      if let event = rule.event, let text = eventText(event, facts, world) {
        switch event.position {
        case .before: before.append(Sending(bytes: text))
        case .behind, .session: break
        case .inside: sending.bytes.insert(contentsOf: text, at: sending.bytes.count / 2)
        }
      }
      note(rule, facts, world, &outcome.effects)
    }
    noteForLater(facts)
    // An event without entries would be another defect.
    if facts.kind == .event, message.json?["characteristics"]?.elements?.isEmpty == true { isSent = false }
    outcome.sendings = before + (isSent ? [sending] : []) + (isSent && isTwice ? [sending] : [])
    return outcome
  }

  /// Returns the first message that met the rule.
  private func replay(_ message: PlainMessage, _ rule: MessageRule) -> PlainMessage? {
    guard let index = defect.rules.firstIndex(where: { $0.condition === rule.condition }) else { return nil }
    if let kept = replayed[index] { return kept }
    replayed[index] = message
    return nil
  }

  private func frames(for facts: MessageFacts) -> FrameAlteration {
    for (index, sealing) in defect.sealings.enumerated() {
      guard facts.connection.isSecured || sealing.frames.beginsEarly, facts.sealedFrames >= sealing.after else {
        continue
      }
      guard sealing.condition.map({ memory.fits($0, facts) }) ?? true else { continue }
      if sealing.isOnce {
        let key = OnceKey(sealing: index, connection: facts.connection.id)
        guard sealedOnce.insert(key).inserted else { continue }
      }
      return sealing.frames
    }
    return FrameAlteration()
  }

  // MARK: Input other than messages

  /// Handles bytes, the end of the controller's data, a frame that can't be opened, or time that has passed.
  package func bytes(_ facts: MessageFacts, _ world: any DefectWorld) -> BytesOutcome {
    var outcome = BytesOutcome()
    for rule in rules(for: facts) {
      if rule.drops { outcome.drops = true }
      switch rule.frame {
      case .discard: outcome.fate = .discard
      case .recount: outcome.fate = .recount(16)
      case nil: break
      }
      if let answer = rule.answer {
        outcome.answers.append(sending(answer.message(to: PlainMessage(start: ""), world), rule))
      }
      if !rule.before.isEmpty { outcome.answers.append(Sending(bytes: rule.before)) }
      note(rule, facts, world, &outcome.effects)
    }
    noteForLater(facts)
    return outcome
  }

  // MARK: Rules

  private func rules(for facts: MessageFacts) -> [MessageRule] {
    defect.rules.filter { memory.fits($0.condition, facts) }
  }

  private func noteForLater(_ facts: MessageFacts) {
    for rule in defect.rules { memory.note(rule.condition, facts) }
    for sealing in defect.sealings { if let condition = sealing.condition { memory.note(condition, facts) } }
  }

  private func sending(_ message: PlainMessage, _ rule: MessageRule) -> Sending {
    Sending(bytes: message.bytes, delay: rule.delay ?? .zero, isOvertaken: rule.isOvertaken)
  }

  private func note(_ rule: MessageRule, _ facts: MessageFacts, _ world: any DefectWorld, _ effects: inout Effects) {
    if let mark = rule.mark { memory.mark(mark, facts) }
    if !rule.suppressed.isEmpty { suppressed[facts.connection.id, default: []].formUnion(rule.suppressed) }
    if let closing = rule.closing { effects.closing = closing }
    if let pause = rule.pause { effects.pause += pause }
    effects.exits = effects.exits || rule.exits
    if let aid = rule.identifies { effects.identified.append(aid) }
    effects.advertised += rule.advertised
    switch rule.application {
    case .asked:
      for entry in facts.request?.entries ?? [] {
        guard let id = entry.attributeID, let value = entry["value"] else { continue }
        effects.values.append((id, value))
      }
    case .types(let values):
      for (type, value) in values {
        if let id = world.database.ids(of: type).first { effects.values.append((id, value)) }
      }
    case nil: break
    }
    if let event = rule.event, event.position == .session, let text = eventText(event, facts, world) {
      effects.sessionEvents.append(Sending(bytes: text))
    } else if let event = rule.event, event.position == .behind || facts.kind != .answer,
      let text = eventText(event, facts, world)
    {
      effects.events.append(Sending(bytes: text, delay: rule.answer == nil ? .zero : rule.delay ?? .zero))
    }
  }

  private func eventText(_ event: MessageRule.Event, _ facts: MessageFacts, _ world: any DefectWorld) -> [UInt8]? {
    let database = world.database
    let ids: [AttributeID] =
      switch event.subjects {
      case .asked: facts.request?.ids ?? []
      case .all:
        database.characteristics.indices.filter { database.characteristics[$0].perms.contains(.events) }
          .map { database.id(ofSlot: $0) }
      case .type(let name): database.ids(of: name)
      }
    let entries: [String] = ids.compactMap { id in
      guard let slot = database.slot(of: id) else { return nil }
      if event.isForSubscribers, !world.isSubscribed(facts.connection.id, to: id) { return nil }
      var value = world.text(of: database.characteristics[slot].value)
      if let other = event.value {
        var buffer = ByteBuffer()
        buffer.appendJSON(other)
        value = buffer.bytes
      }
      let text = String(decoding: value, as: UTF8.self)
      return "{\"aid\":\(event.aid ?? id.aid),\"iid\":\(event.iid ?? id.iid),\"value\":\(text)}"
    }
    guard !entries.isEmpty else { return nil }
    var message = PlainMessage(start: "EVENT/1.0 200 OK", fields: [HTTPField("Content-Type", "application/hap+json")])
    message.replaceBody(Array("{\"characteristics\":[\(entries.joined(separator: ","))]}".utf8))
    return message.bytes
  }
}

extension MessageRule {
  /// Whether the rule changes the content of a message, not only its outermost bytes.
  fileprivate var changesMessage: Bool {
    status != nil || version != nil || method != nil || target != nil || !fields.isEmpty || !head.isEmpty || body != nil
      || !json.isEmpty || !tlv.isEmpty || !text.isEmpty || isChunked || size != nil
  }

  /// Returns the bytes with texts replaced in the head and an unchanged body.
  fileprivate static func replacedHead(_ bytes: [UInt8], _ replacements: [Replacement]) -> [UInt8] {
    let end = min(PlainMessage.headCount(of: bytes) + 4, bytes.count)
    return replaced(Array(bytes[..<end]), replacements) + bytes[end...]
  }
}
