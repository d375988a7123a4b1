import HAPCrypto
import HAPFuzzing
import HAPLoop

/// A whole run of the fuzzer, or of a reproducer, from the start of the accessory to its end.
package struct FuzzSession: Sendable {
  /// Number of the latest messages that may have caused a finding.
  private static let window = 48
  /// Number of rounds between two thorough checks.
  private static let thoroughInterval = 8
  private static let trialLimit = 400
  private static let minimisingLimit = Duration.seconds(180)

  package var target: ConformanceSession.Target
  /// A shell command that starts the accessory; nil if it already runs.
  package var command: String?
  package var readyLimit: Duration = .seconds(20)
  package var code: String?
  /// Names of interfaces for multicast DNS; empty: all of the local network.
  package var interfaces: [String] = []
  package var areas = FuzzArea.allCases
  package var seed: UInt64 = 0
  /// Time for all areas together.
  package var time: Duration = .seconds(60)
  /// Rounds for each state of an area; nil: limited by time only.
  package var roundLimit: Int?
  /// Number of Pair Setup proofs that may be sent and could count as wrong codes.
  package var proofLimit = 12

  package init(target: ConformanceSession.Target) { self.target = target }

  package enum Event: Equatable, Sendable {
    case began(address: String, areas: [FuzzArea])
    /// A remark for the user.
    case remark(String)
    case entered(FuzzArea, FuzzState)
    case ended(FuzzArea, FuzzState, FuzzTally)
    /// A finding; its messages are minimized next.
    case found(FuzzFinding)
    case tried(Int, messages: Int, bytes: Int)
  }

  package struct Outcome: Sendable {
    package var tally = FuzzTally()
    /// The finding; nil if the run found no failure.
    package var finding: FuzzFinding?
    package var reproducer: FuzzReproducer?
    package var wasInterrupted = false
    /// Why the cleanup at the end is incomplete.
    package var leftover: String?
  }

  // MARK: Run

  /// Runs the session on a running loop. Cancelling the task ends the run with cleanup.
  package func run(on loop: EventLoop, tell: @escaping @Sendable (Event) -> Void) async throws -> Outcome {
    let ground = FuzzGround(self, seed: seed, on: loop)
    var outcome = Outcome()
    var failure: (any Error)?
    do { outcome = try await run(ground, tell) } catch is CaseInterrupted {
      outcome.wasInterrupted = true
    } catch { failure = error }
    outcome.tally = await ground.tally
    // Cancelled or not, remove the pairing and end the process.
    let finding = outcome.finding
    outcome.leftover = await loop.startTask { await ground.end(after: finding) }.value
    if let failure {
      if Task.isCancelled { outcome.wasInterrupted = true } else { throw failure }
    }
    return outcome
  }

  /// A part of the run: one state of an area.
  private struct Part {
    var area: FuzzArea
    var state: FuzzState
    var time: Duration
  }

  private func run(_ ground: FuzzGround, _ tell: @Sendable (Event) -> Void) async throws -> Outcome {
    try await ground.begin()
    let parts = try await parts(ground, tell)
    var all: [FuzzArea] = []
    for part in parts where !all.contains(part.area) { all.append(part.area) }
    tell(.began(address: await ground.address, areas: all))
    for part in parts {
      tell(.entered(part.area, part.state))
      let before = await ground.tally
      if let outcome = try await run(part, ground, tell) { return outcome }
      tell(.ended(part.area, part.state, await ground.tally - before))
    }
    return Outcome()
  }

  /// Returns the parts of the run; those that need no pairing come first.
  private func parts(_ ground: FuzzGround, _ tell: @Sendable (Event) -> Void) async throws -> [Part] {
    let (hasCode, isForeign) = await (ground.hasCode, ground.isForeign)
    let hasSession = hasCode && !isForeign
    var areas = areas
    if !hasSession {
      let why = isForeign ? "another controller is paired with it" : "the setup code is not known"
      let left = areas.filter { !$0.needsSession }
      guard !left.isEmpty else {
        throw ConformanceSession.Failure(message: "\(Self.list(areas)) needs a session, but \(why)")
      }
      if left.count < areas.count {
        tell(.remark("\(why); skipped: \(Self.list(areas.filter(\.needsSession)))"))
      }
      areas = left
    }
    let share = time / areas.count
    var parts: [Part] = []
    if hasSession {
      if areas.contains(.tlv) { parts.append(Part(area: .tlv, state: .unpaired, time: share / 2)) }
      for area in areas { parts.append(Part(area: area, state: .paired, time: area == .tlv ? share / 2 : share)) }
    } else {
      let state = await ground.wasPaired ? FuzzState.found : .unpaired
      parts = areas.map { Part(area: $0, state: state, time: share) }
    }
    return parts
  }

  private static func list(_ areas: [FuzzArea]) -> String { areas.map(\.rawValue).joined(separator: ", ") }

  private func run(_ part: Part, _ ground: FuzzGround, _ tell: @Sendable (Event) -> Void) async throws -> Outcome? {
    var stream = FuzzStream(part.area, seed: seed, facts: try await ground.prepare(part.state))
    let deadline = Self.deadline(part.time, on: ground.loop)
    var recent: [FuzzMessage] = []
    var count = 0
    while ground.loop.readClock() < deadline, count < roundLimit ?? .max {
      if Task.isCancelled { throw CaseInterrupted() }
      count += 1
      let round = stream.round()
      // Check thoroughly after the last round too, if it is known to be the last.
      let isThorough = count % Self.thoroughInterval == 0 || count == roundLimit
      let (finding, sent) = try await ground.feed(round, thoroughly: isThorough)
      recent = Array((recent + sent).suffix(Self.window))
      if let finding { return try await conclude(finding, recent, part, ground, tell) }
    }
    let (finding, _) = try await ground.feed([], thoroughly: true)
    if let finding { return try await conclude(finding, recent, part, ground, tell) }
    return nil
  }

  private static func deadline(_ time: Duration, on loop: EventLoop) -> UInt64 {
    loop.readClock() &+ UInt64(max(time / .nanoseconds(1), 0))
  }

  // MARK: Findings

  private func conclude(
    _ finding: FuzzFinding, _ recent: [FuzzMessage], _ part: Part, _ ground: FuzzGround,
    _ tell: @Sendable (Event) -> Void
  ) async throws -> Outcome {
    tell(.found(finding))
    var outcome = Outcome()
    outcome.finding = finding
    var messages = recent
    var isConfirmed = false
    do {
      (messages, isConfirmed) = try await minimised(recent, finding, part.state, ground, tell)
    } catch is CaseInterrupted { outcome.wasInterrupted = true }
    let address = await ground.address
    outcome.reproducer = FuzzReproducer(
      area: part.area, seed: seed, target: command ?? address, state: part.state, finding: finding,
      isConfirmed: isConfirmed, messages: messages)
    return outcome
  }

  /// Whether repeating the messages could exceed the limit of proofs. An accessory accepts about a hundred wrong proofs in its lifetime.
  static func spendsProofs(_ messages: [FuzzMessage], command: String?) -> Bool {
    command == nil && messages.contains { $0.way == .proof }
  }

  /// Returns the smallest messages that reproduce the finding, and whether any trial reproduced it.
  private func minimised(
    _ recent: [FuzzMessage], _ finding: FuzzFinding, _ state: FuzzState, _ ground: FuzzGround,
    _ tell: @Sendable (Event) -> Void
  ) async throws -> ([FuzzMessage], Bool) {
    if Self.spendsProofs(recent, command: command) {
      tell(
        .remark("wrong proofs count against the accessory's limit, and haptest can't restart it; no trials are made"))
      return (recent, false)
    }
    let deadline = Self.deadline(Self.minimisingLimit, on: ground.loop)
    guard !recent.isEmpty, try await happens(finding.kind, recent, state, ground, isFresh: true) == true else {
      tell(.remark("the same messages didn't reproduce it, or the accessory didn't come back"))
      return (recent, false)
    }
    // First reuse an accessory that passed a trial. If that doesn't reproduce the finding, restart the accessory for each trial.
    for isFresh in [false, true] {
      var minimiser = FuzzMinimiser(recent)
      while minimiser.trials < Self.trialLimit, ground.loop.readClock() < deadline,
        let candidate = minimiser.candidate()
      {
        guard let still = try await happens(finding.kind, candidate, state, ground, isFresh: isFresh) else { break }
        minimiser.take(still)
        let bytes = minimiser.messages.reduce(0) { $0 + $1.bytes.count }
        tell(.tried(minimiser.trials, messages: minimiser.messages.count, bytes: bytes))
      }
      if try await happens(finding.kind, minimiser.messages, state, ground, isFresh: true) == true {
        return (minimiser.messages, true)
      }
    }
    return (recent, true)
  }

  /// Returns whether messages reproduce a finding.
  /// - Parameter isFresh: whether to restart the accessory even if it is in a usable state.
  /// - Returns: nil if the accessory is no longer reachable.
  private func happens(
    _ kind: FuzzFinding.Kind, _ messages: [FuzzMessage], _ state: FuzzState, _ ground: FuzzGround, isFresh: Bool
  ) async throws -> Bool? {
    let isReady = await ground.isReady(for: state)
    if isFresh || !isReady {
      guard await ground.again() else {
        if Task.isCancelled { throw CaseInterrupted() }
        return nil
      }
      do { _ = try await ground.prepare(state) } catch is ConformanceSession.Failure {
        if Task.isCancelled { throw CaseInterrupted() }
        return nil
      }
    }
    let finding = try await ground.feed(messages, thoroughly: kind == .events || kind == .pairing).finding
    if finding != nil { await ground.distrust() }
    return finding?.kind == kind
  }

  // MARK: Replay

  /// Sends the messages of a reproducer.
  /// - Returns: an outcome without a finding if the failure doesn't occur.
  package func replay(_ reproducer: FuzzReproducer, on loop: EventLoop) async throws -> Outcome {
    let ground = FuzzGround(self, seed: reproducer.seed, on: loop)
    var outcome = Outcome()
    var failure: (any Error)?
    do {
      try await ground.begin()
      if reproducer.state != .found {
        if await ground.isForeign {
          throw ConformanceSession.Failure(message: "another controller is paired with it")
        }
        _ = try await ground.prepare(reproducer.state)
      }
      outcome.finding = try await ground.feed(reproducer.messages, thoroughly: true).finding
    } catch is CaseInterrupted { outcome.wasInterrupted = true } catch { failure = error }
    outcome.tally = await ground.tally
    let finding = outcome.finding
    outcome.leftover = await loop.startTask { await ground.end(after: finding) }.value
    if let failure { throw failure }
    return outcome
  }
}
