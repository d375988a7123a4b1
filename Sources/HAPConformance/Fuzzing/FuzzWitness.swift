import HAPExpectation
import HAPFuzzing
import HAPIP
import HAPModel
import HAPSuite
import HAPWire

/// A correct session that must be served regardless of malformed messages on other connections.
struct FuzzWitness: Sendable {
  private let run: CaseRun
  private let target: FuzzFacts.Target?
  private let readable: AttributeID?
  /// Whether events arrived before any other message was sent. Only then is a missing event a finding.
  let hasEvents: Bool

  /// Opens the session.
  init(_ run: CaseRun, facts: FuzzFacts) async throws {
    self.run = run
    target = facts.targets.first { $0.hasEvents && !$0.isTimed }
    readable = target?.id ?? facts.readable.first
    hasEvents = try await run.beginWitness(target)
  }

  /// - Parameter thoroughly: whether the session must also get an event for a write by another session.
  func finding(thoroughly: Bool) async throws -> FuzzFinding? {
    let request = readable.map { ControllerRequest.read([$0]) } ?? .accessories
    do { try await run.witness(request) } catch let failure as CaseFailure {
      return FuzzFinding(
        kind: .session, message: "another, correct session was lost: \(failure.message)")
    }
    guard thoroughly, hasEvents, let target else { return nil }
    for _ in 0..<2 {
      do { if try await run.witnessHears(of: target) { return nil } } catch let failure as CaseFailure {
        return FuzzFinding(kind: .session, message: "a new session isn't served: \(failure.message)")
      }
    }
    return FuzzFinding(
      kind: .events, message: "a session subscribed to \(target.id) no longer gets its events")
  }

  func close() async { await run.close() }
}

extension CaseRun {
  private static let witnessName = "witness"

  /// Opens the session of a witness.
  /// - Returns: whether it gets events.
  fileprivate func beginWitness(_ target: FuzzFacts.Target?) async throws -> Bool {
    try await pairVerify(on: Self.witnessName, as: device.owner ?? device.admin)
    guard let target else { return false }
    let answer = try await request(.write([.init(target.id, ev: true)]), on: Self.witnessName)
    return answer.status == 204 ? try await witnessHears(of: target) : false
  }

  fileprivate func witness(_ request: ControllerRequest) async throws {
    _ = try await self.request(request, on: Self.witnessName)
  }

  /// Writes another value over a new session, and waits for the event on the witness session.
  fileprivate func witnessHears(of target: FuzzFacts.Target) async throws -> Bool {
    let writer = "writer"
    connections.removeValue(forKey: writer)?.close(.fin)
    try await pairVerify(on: writer, as: device.owner ?? device.admin)
    let read = try await request(.read([target.id]), on: writer)
    let present = (try? JSONNode.parse(read.body))?["characteristics"]?.elements?.first?["value"]
    let value = target.values.last { value in present.map { !Pattern.equal(DatabaseView.node(value), $0) } ?? true }
    let witness = try await connection(Self.witnessName)
    witness.forgetEvents()
    let answer = try await request(.write([.init(target.id, value: value ?? target.values[0])]), on: writer)
    // A refused write proves nothing.
    guard answer.status == 204 else { return true }
    let event = try await witness.event(within: world.answerLimit) { message throws(StepError) in
      let entries = (try? JSONNode.parse(message.body))?["characteristics"]?.elements ?? []
      return entries.contains {
        $0["aid"]?.integerValue == Int128(target.id.aid) && $0["iid"]?.integerValue == Int128(target.id.iid)
      }
    }
    if Task.isCancelled { throw CaseInterrupted() }
    connections.removeValue(forKey: writer)?.close(.fin)
    return event != nil
  }

  private func request(_ request: ControllerRequest, on name: String) async throws -> WireMessage {
    try await self.request(
      request.method, request.target, type: request.contentType, body: request.body, on: try await connection(name),
      name)
  }
}
