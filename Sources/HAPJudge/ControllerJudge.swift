import HAPIP
import HAPModel
import HAPReport
import HAPWire

/// A judge of controllers. It receives everything that happens on connections to accessories, and tests it against each
/// rule.
///
/// The judge does no I/O and reads no clock. Its memory is bounded, regardless of duration and input.
package final class ControllerJudge {
  private final class RuleState {
    let description: RuleDescription
    var rule: any JudgeRule
    var chances = 0
    var breaches = 0
    /// The first violations.
    var kept: [Breach] = []

    init(_ type: any JudgeRule.Type) {
      description = type.description
      rule = type.init()
    }
  }

  private struct Breach {
    var text: String
    var at: Duration
    var transcript: [TranscriptEntry]
  }

  /// The maximum number of violations of a rule that a report lists.
  private static let mostKept = 10
  /// The maximum number of bytes of a message in evidence.
  private static let mostShown = 2048

  /// Called with each violation when it is found: the rule, and the text.
  package var onBreach: ((RuleDescription, String) -> Void)?

  private let states = ControllerJudge.rules.map { RuleState($0) }
  private(set) var connections: [UInt64: JudgedConnection] = [:]
  private let told = SentDatabases()
  private var scene: JudgeScene
  private let start: Duration
  /// The identifiers, in order of arrival.
  private var controllers: [String] = []

  /// - Parameters:
  ///   - patience: the time that a controller has to reconnect, to subscribe again, and to read the database again.
  ///   - now: the machine's time since an arbitrary origin.
  package init(patience: Duration, at now: Duration) {
    scene = JudgeScene(now: now, patience: patience)
    start = now
  }

  /// The descriptions of all rules, in the order of reports.
  package static var descriptions: [RuleDescription] { rules.map { $0.description } }

  // MARK: Inputs

  /// - Parameters:
  ///   - act: the action; actions must be passed in order.
  ///   - number: the number of the connection, which has one `opened` and one `closed`.
  package func take(
    _ act: ControllerAct, on number: UInt64, of accessory: any JudgedAccessory, at now: Duration
  ) {
    advance(to: now)
    if case .opened(let peer) = act { connections[number] = JudgedConnection(to: accessory, from: peer, at: now, told) }
    guard let connection = connections[number] else { return }
    note(act, on: connection)
    switch act {
    case .verified(let controller):
      connection.controller = controller
      connection.verifiedAt = now
      if !controllers.contains(controller), controllers.count < 1000 { controllers.append(controller) }
    case .left: connection.leftAt = connection.leftAt ?? now
    case .closed: connection.closedAt = now
    case .opened, .arrived, .asked, .answered, .told, .unreadable, .named: break
    }
    ask(connection) { $0.take(act, on: connection, scene, &$1) }
    switch act {
    case .asked(let request): begin(request, on: connection)
    case .answered(let answer): settle(answer, on: connection)
    case .told: connection.lastEventAt = now
    case .arrived: connection.hasArrived = true
    case .closed: connections[number] = nil
    case .opened, .unreadable, .named, .verified, .left: break
    }
  }

  package func take(_ change: AccessoryChange, of accessory: any JudgedAccessory, at now: Duration) {
    // Advance the time before the rules see the change. If the accessory has become reachable, its controllers get
    // their whole time from now on.
    scene.now = max(scene.now, now)
    ask(nil) { $0.take(change, of: accessory, scene, &$1) }
  }

  /// Advances the time without an event.
  package func advance(to now: Duration) {
    scene.now = max(scene.now, now)
    ask(nil) { $0.advance(scene, &$1) }
  }

  private func begin(_ request: PlainMessage, on connection: JudgedConnection) {
    connection.owed = (request, scene.now)
    connection.hasArrived = false
    connection.requests += 1
    for entry in request.writeEntries {
      // Unknown characteristics are ignored, because they can't be subscribed to and the memory must be bounded.
      if entry.flag("ev") == true, let id = entry.attributeID, connection.knows(id) { connection.attempted.insert(id) }
    }
  }

  private func settle(_ answer: PlainMessage?, on connection: JudgedConnection) {
    let request = connection.owed?.request
    connection.owed = nil
    connection.lastStatus = answer?.status
    connection.lastAnswerAt = scene.now
    connection.wasRefused = answer?.isRefusal ?? false
    guard let answer, let status = answer.status, let request else { return }
    if (200..<300).contains(status), answer.pairingError == nil { connection.hasServed = true }
    if request.name == "GET /accessories" { told.take(answer, on: connection) }
    guard request.name == "PUT /characteristics", status == 204 || status == 200 || status == 207 else { return }
    let refused = status == 204 ? [] : answer.refusedIDs
    for entry in request.entries {
      guard let id = entry.attributeID, let ev = entry.flag("ev"), !refused.contains(id), connection.knows(id) else {
        continue
      }
      if ev { connection.subscriptions.insert(id) } else { connection.subscriptions.remove(id) }
    }
  }

  private func ask(_ connection: JudgedConnection?, _ body: (inout any JudgeRule, inout JudgeFindings) -> Void) {
    for state in states {
      var findings = JudgeFindings()
      body(&state.rule, &findings)
      state.chances += findings.chances
      state.breaches += findings.breaches.count
      for (text, other) in findings.breaches {
        if state.kept.count < Self.mostKept {
          state.kept.append(Breach(text: text, at: scene.now, transcript: (other ?? connection)?.recent ?? []))
        }
        onBreach?(state.description, text)
      }
    }
  }

  // MARK: Evidence

  private func note(_ act: ControllerAct, on connection: JudgedConnection) {
    func keep(
      _ kind: TranscriptEntry.Kind, _ title: String, _ direction: TranscriptEntry.Direction = .none, body: [UInt8] = []
    ) {
      let text = body.count <= Self.mostShown ? String(validating: body, as: UTF8.self) : nil
      connection.keep(
        TranscriptEntry(
          time: scene.now - start, kind: kind, direction: direction, connection: connection.who, title: title,
          decoded: text ?? (body.isEmpty ? "" : "\(body.count) bytes")))
    }
    switch act {
    case .arrived: break
    case .opened(let peer): keep(.connection, "opened by \(peer)")
    // For pairing messages, keep only the state, because proofs and keys are secret.
    case .asked(let request):
      keep(.message, request.start + state(of: request), .sent, body: request.isPairing ? [] : request.body)
    case .answered(let answer?):
      keep(.message, answer.start + state(of: answer), .received, body: answer.isPairing ? [] : answer.body)
    case .answered(nil): keep(.raw, "bytes that are not HTTP", .received)
    case .told(let event): keep(.message, event.start, .received, body: event.body)
    case .unreadable(let reason): keep(.note, "unreadable: \(reason)")
    case .named: break
    case .verified(let controller): keep(.note, "verified: \(controller)")
    case .left: keep(.connection, "ended by the controller")
    case .closed: keep(.connection, "closed")
    }
  }

  private func state(of message: PlainMessage) -> String {
    guard message.isPairing, let state = message.tlv?.state else { return "" }
    let error = message.tlv?[TLVType.error]?.first.map { ", error \($0)" } ?? ""
    return " M\(state)\(error)"
  }

  // MARK: The report

  /// Returns the results so far, as a run in which each case is a rule.
  /// - Parameter header: the head of the run: version, accessories, command line.
  package func events(_ header: RunHeader) -> [RunEvent] {
    var header = header
    header.facts += controllers.enumerated().map {
      ("controller\($0.offset == 0 ? "" : " \($0.offset + 1)")", $0.element)
    }
    let outcomes = states.map(outcome)
    let counts = Dictionary(outcomes.map { ($0.verdict, 1) }, uniquingKeysWith: +)
    return [.began(header), .planned(outcomes.map { PlannedCase($0.description) })] + outcomes.map { .caseEnded($0) }
      + [.ended(RunSummary(duration: scene.now - start, counts: counts))]
  }

  private func outcome(of state: RuleState) -> CaseOutcome {
    let description = state.description.caseDescription
    guard let first = state.kept.first else {
      guard state.chances > 0 else {
        return CaseOutcome(description, .skip, message: "not observed: \(state.description.chance)")
      }
      return CaseOutcome(description, .pass, notes: ["kept \(state.chances) times"])
    }
    let others = state.kept.dropFirst().map { "at \(Self.clock($0.at - start)): \($0.text)" }
    let more = state.breaches - state.kept.count
    return CaseOutcome(
      description, .fail, message: first.text,
      got: "broken \(state.breaches) of \(state.chances) times, first at \(Self.clock(first.at - start))",
      notes: others + (more > 0 ? ["and \(more) times more"] : []), start: first.at - start,
      transcript: first.transcript)
  }

  /// Returns a time such as "12.345 s".
  private static func clock(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let thousandths = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds).\(String(repeating: "0", count: 3 - thousandths.count))\(thousandths) s"
  }
}
