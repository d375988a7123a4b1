import HAPCrypto
import HAPDeviations
import HAPIP
import HAPLoop
import HAPModel
import HAPTransport
import HAPWire

/// A defect in one run of an accessory. It is installed between the core and its connections, and applies the defect's
/// rules.
///
/// Belongs to the loop's thread.
final class DefectRun: MessageTap, CoreRecorder, DefectWorld {
  private let state: DefectState
  // The server owns the core, and both own this object, as recorder and as tap.
  private unowned let core: AccessoryCore
  private unowned let server: AccessoryServer
  private let loop: EventLoop
  /// The data received on each connection since its last request.
  private var arrivals: [ConnectionID: Arrival] = [:]
  /// Delayed messages, and those that must wait for them, by connection.
  private var held: [ConnectionID: [Held]] = [:]
  private var timers: [LoopTimer] = []
  /// The keys for M5 and M6 of Pair Setup.
  private var exchangeKeys: [ConnectionID: SecretBytes] = [:]
  /// Events to send when their connection is secured.
  private var sessionEvents: [ConnectionID: [DefectScript.Sending]] = [:]
  private var isStopped = false

  private struct Arrival {
    var reads = 0
    var frames = 0
    /// The number of frames since the session began.
    var allFrames = 0
    /// The numbers of reads and of frames in which the last request arrived.
    var requestReads = 1
    var requestFrames = 1
    /// The time of the last request.
    var heard: Duration?
    /// The number of bytes missing from the current frame; `nil`: its length isn't known.
    var rest: Int?
    var head: [UInt8] = []

    /// Counts the frames that begin in these bytes.
    mutating func count(_ bytes: [UInt8]) {
      var bytes = bytes[...]
      while !bytes.isEmpty {
        if let left = rest {
          let taken = min(left, bytes.count)
          bytes = bytes.dropFirst(taken)
          rest = left == taken ? nil : left - taken
        } else {
          head.append(bytes.removeFirst())
          guard head.count == 2 else { continue }
          frames += 1
          allFrames += 1
          rest = Int(head[0]) + Int(head[1]) << 8 + 16
          head = []
        }
      }
    }
  }

  private static let mostHeld = 1000

  private final class Held {
    let sending: DefectScript.Sending
    let isPlain: Bool
    var isDue = false
    init(_ sending: DefectScript.Sending, isPlain: Bool) {
      self.sending = sending
      self.isPlain = isPlain
    }
  }

  /// Called when an accessory must run its identify routine.
  var onIdentify: ((UInt64) -> Void)?
  /// Called when the record must be announced again with these keys.
  var onAdvertise: (([(name: String, value: String?)]) -> Void)?

  private var script: DefectScript { state.script }

  init(_ state: DefectState, _ server: AccessoryServer) {
    self.state = state
    self.server = server
    core = server.core
    loop = server.loop
    if let idle = state.script.defect.idle { closeIdle(after: idle) }
    for pause in state.script.defect.beats.sorted() { beat(every: pause) }
  }

  /// Checks once a second for connections that have been idle for too long.
  private func closeIdle(after limit: Duration) {
    after(.seconds(1)) { [unowned self] in
      for connection in core.connections {
        guard let heard = arrivals[connection.id]?.heard, server.now - heard >= limit else { continue }
        server.end(connection.id)
      }
      closeIdle(after: limit)
    }
  }

  /// Runs the rules at intervals on each connection. Skips connections with too many unsent bytes.
  private func beat(every pause: Duration) {
    after(pause) { [unowned self] in
      for connection in core.connections where connection.outgoing.readableCount < connection.answerLimit {
        let outcome = script.bytes(facts(.beat(every: pause), on: connection), self)
        for answer in outcome.answers { send(answer, on: connection, isPlain: !connection.isSecured) }
        perform(outcome.effects, on: connection)
      }
      server.sendAppended()
      beat(every: pause)
    }
  }

  /// Discards all delayed messages.
  func stop() {
    isStopped = true
    for timer in timers { timer.close() }
    timers = []
    held = [:]
  }

  /// Sends all delayed messages and performs all delayed effects, then stops.
  func finish() {
    for timer in timers { timer.onFire() }
    stop()
  }

  // MARK: The accessory, for rules

  var database: AttributeDatabase { core.attributes.database }
  var databaseText: [UInt8] { core.databaseText }
  func text(of value: Value) -> [UInt8] { core.text(of: value) }

  func isSubscribed(_ connection: UInt64, to id: AttributeID) -> Bool {
    guard let slot = core.attributes.database.slot(of: id) else { return false }
    return core.connections.first { $0.id.number == connection }?.isSubscribed(toSlot: slot) ?? false
  }

  // MARK: Inputs

  func note(_ input: CoreInput, at now: Duration) {
    switch input {
    case .received(let id, let bytes):
      arrivals[id, default: Arrival()].reads += 1
      guard let connection = core.connections.first(where: { $0.id == id }) else { return }
      if connection.isSecured { arrivals[id, default: Arrival()].count(bytes) }
      let outcome = script.bytes(facts(.bytes, on: connection, bytes: bytes), self)
      if outcome.drops { connection.incoming.removeLast(min(bytes.count, connection.incoming.readableCount)) }
      perform(outcome, on: connection)
    case .closed(let id):
      if core.connections.contains(where: { $0.id == id && $0.isSettingUp }) { state.abandonedSetup = now }
      arrivals[id] = nil
      held[id] = nil
      exchangeKeys[id] = nil
      sessionEvents[id] = nil
      state.judge.conclude(id.number)
      script.closed(id.number)
    default: break
    }
  }

  func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration) {}

  func turnedAway(peer: String, at now: Duration) {}

  func ended(_ id: ConnectionID, withReset: Bool, at now: Duration) {
    guard !withReset, let connection = core.connections.first(where: { $0.id == id }) else { return }
    let outcome = script.bytes(facts(.end, on: connection), self)
    for answer in outcome.answers { send(answer, on: connection, isPlain: !connection.isSecured) }
    perform(outcome.effects, on: connection)
  }

  func brokenFrame(_ failure: FrameOpener.Failure, unopened: [UInt8], on connection: ConnectionCore) -> Bool {
    var facts: MessageFacts
    switch failure {
    case .badTag: facts = self.facts(.badTag, on: connection)
    case .tooLong(let length):
      facts = self.facts(.tooLong, on: connection)
      facts.frameLength = length
    }
    facts.frames = arrivals[connection.id]?.allFrames ?? 1
    let outcome = script.bytes(facts, self)
    perform(outcome, on: connection)
    return connection.withOpener { outcome.fate.carryOut(&$0, &$1, unopened: unopened) } ?? false
  }

  private func perform(_ outcome: DefectScript.BytesOutcome, on connection: ConnectionCore) {
    // There is no key that can be trusted, and no request to answer.
    for answer in outcome.answers { send(answer, on: connection, isPlain: true) }
    perform(outcome.effects, on: connection)
  }

  func request(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, on connection: ConnectionCore) -> [UInt8]? {
    let request = PlainMessage(head: head, body: [UInt8](body))
    let arrival = arrivals[connection.id] ?? Arrival()
    var facts = facts(.request, on: connection, request)
    facts.request = request
    facts.frames = max(1, arrival.frames)
    facts.reads = max(1, arrival.reads)
    facts.isPipelined = arrival.reads == 0
    var left = arrival
    left.heard = facts.now
    left.requestReads = facts.reads
    left.requestFrames = facts.frames
    left.reads = 0
    left.frames = arrival.rest == nil ? 0 : 1
    arrivals[connection.id] = left
    judge(&facts, request, on: connection)
    let outcome = script.request(facts, self)
    for answer in outcome.answers { send(answer, on: connection, isPlain: !connection.isSecured) }
    perform(outcome.effects, on: connection)
    return outcome.requests
  }

  private func judge(_ facts: inout MessageFacts, _ request: PlainMessage, on connection: ConnectionCore) {
    // The procedure has ended when M6 arrives here.
    if request.path == "/pair-setup" { exchangeKeys[connection.id] = connection.pairingKey }
    guard request.isPairVerify, let message = request.tlv else { return }
    state.finishes[connection.id.number] = nil
    switch message.state {
    case 1: state.judge.start(message, on: connection.id.number, core.pairings)
    case 3:
      let judged = state.judge.judge(
        message, on: connection.id.number, key: connection.pairingKey, core.pairings)
      state.judge.conclude(connection.id.number)
      state.finishes[connection.id.number] = judged.verdict
      facts.finish = judged.verdict
      facts.inner = judged.inner
    default: break
    }
  }

  // MARK: Outputs

  func message(from start: Int, on connection: ConnectionCore) {
    let bytes = connection.takeBack(from: start)
    let message = PlainMessage(answer: bytes)
    let request = script.awaitedRequest(on: connection.id.number)
    let isEvent = message?.isEvent ?? false
    var facts = facts(isEvent ? .event : .answer, on: connection, message)
    facts.sealedFrames = connection.sealedFrameCount
    facts.frames = arrivals[connection.id]?.requestFrames ?? 1
    facts.reads = arrivals[connection.id]?.requestReads ?? 1
    facts.request = isEvent ? nil : request
    if !isEvent, request?.isPairVerify == true {
      facts.finish = state.finishes[connection.id.number]
      if let answer = message?.tlv, answer.state == 2 {
        state.judge.startResponse(answer, on: connection.id.number)
      }
    }
    let outcome = script.message(bytes, key: connection.pairingKey ?? exchangeKeys[connection.id], facts, self)
    if outcome.effects.closing != .before {
      for sending in outcome.sendings { send(sending, on: connection, isPlain: !connection.isSecured) }
      if outcome.isForEverybody {
        for other in core.connections where other !== connection && other.isSecured && !other.isSubscribed {
          for sending in outcome.sendings { send(sending, on: other, isPlain: false) }
        }
      }
    }
    perform(outcome.effects, on: connection)
  }

  func secured(_ connection: ConnectionCore) {
    for event in sessionEvents.removeValue(forKey: connection.id) ?? [] { send(event, on: connection, isPlain: false) }
  }

  /// - Parameter isPlain: whether it belongs before the connection was secured.
  private func send(_ sending: DefectScript.Sending, on connection: ConnectionCore, isPlain: Bool) {
    let isLate = sending.delay > .zero || sending.frames.beginsEarly
    guard isLate || held[connection.id]?.contains(where: { !$0.sending.isOvertaken }) == true else {
      return deliver(sending, on: connection, isPlain: isPlain)
    }
    // A controller that keeps sending requests while answers are delayed is disconnected.
    guard held[connection.id]?.count ?? 0 < Self.mostHeld else {
      let id = connection.id
      return after(.zero) { [unowned self] in server.end(id, withReset: true) }
    }
    let entry = Held(sending, isPlain: isPlain && !sending.frames.beginsEarly)
    held[connection.id, default: []].append(entry)
    guard isLate else {
      entry.isDue = true
      return
    }
    after(sending.delay) { [unowned self, weak connection] in
      entry.isDue = true
      if let connection { release(connection) }
    }
  }

  private func deliver(_ sending: DefectScript.Sending, on connection: ConnectionCore, isPlain: Bool) {
    let alteration = sending.frames
    connection.send(
      sending.bytes, isPlain: isPlain || alteration.isPlain,
      frames: alteration == FrameAlteration() ? nil : { $0.frames(of: $1, alteration) })
  }

  /// Sends the messages that are due and no longer wait for earlier ones.
  private func release(_ connection: ConnectionCore) {
    guard var queue = held[connection.id] else { return }
    var kept: [Held] = []
    var isHeldUp = false
    for entry in queue {
      if entry.isDue, !isHeldUp || entry.sending.isOvertaken {
        deliver(entry.sending, on: connection, isPlain: entry.isPlain)
      } else {
        kept.append(entry)
        if !entry.sending.isOvertaken { isHeldUp = true }
      }
    }
    queue = kept
    held[connection.id] = queue.isEmpty ? nil : queue
    server.sendAppended()
  }

  func after(_ delay: Duration, _ body: @escaping () -> Void) {
    guard !isStopped else { return }
    let timer = LoopTimer(loop)
    timers.append(timer)
    // Weak, because the loop keeps the timer of a run that was released without `stop`.
    timer.onFire = { [weak self, unowned timer] in
      guard let self else { return timer.close() }
      timers.removeAll { $0 === timer }
      timer.close()
      if !isStopped { body() }
    }
    timer.start(after: delay)
  }

  // MARK: Effects

  private func perform(_ effects: DefectScript.Effects, on connection: ConnectionCore) {
    for event in effects.events { send(event, on: connection, isPlain: !connection.isSecured) }
    let id = connection.id
    if !effects.sessionEvents.isEmpty { sessionEvents[id] = effects.sessionEvents }
    if effects.exits { return loop.driver.exitProcess(1) }
    if effects.pause > .zero { loop.block(for: effects.pause) }
    for aid in effects.identified { onIdentify?(aid) }
    // The other connections end in this turn, before a controller can notice anything. A timer might fire only after
    // a controller has opened its next session.
    if effects.closing == .others {
      for other in core.connections where other.id != id && other.isSecured { server.end(other.id) }
    }
    guard !effects.values.isEmpty || effects.closing != nil || !effects.advertised.isEmpty else { return }
    // Runs later, because the core is handling a message.
    after(.zero) { [unowned self] in
      for (id, node) in effects.values {
        guard let slot = core.attributes.database.slot(of: id) else { continue }
        let characteristic = core.attributes.database.characteristics[slot]
        let value = Value(defect: node)
        server.performer.change([(id, (try? characteristic.admit(value)) ?? value)])
      }
      if !effects.advertised.isEmpty { onAdvertise?(effects.advertised) }
      switch effects.closing {
      case .behind, .before: server.end(id)
      case .reset: server.end(id, withReset: true)
      case .others, nil: break
      }
      server.sendAppended()
    }
  }

  // MARK: Facts

  private func facts(
    _ kind: MessageFacts.Kind, on connection: ConnectionCore, _ message: PlainMessage? = nil, bytes: [UInt8] = []
  ) -> MessageFacts {
    let pairings = core.pairings
    var facts = MessageFacts(
      kind: kind, message: message, bytes: bytes, request: nil,
      connection: state.facts(of: connection, pairings, address: server.localAddress(of: connection.id)),
      others: core.connections.filter { $0 !== connection }.map { state.facts(of: $0, pairings, address: nil) },
      isPaired: core.isPaired, now: server.now, restart: state.restart,
      lookup: { [unowned self] in core.attributes.database.facts(aid: $0, iid: $1) })
    facts.abandonedSetup = state.abandonedSetup.map { facts.now - $0 }
    facts.isOffline = core.attributes.hasUnreachable
    facts.idle = arrivals[connection.id]?.heard.map { facts.now - $0 } ?? .zero
    return facts
  }
}

extension PlainMessage {
  fileprivate var isPairVerify: Bool { path == "/pair-verify" }
}
