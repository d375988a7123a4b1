import HAPCrypto
import HAPLoop
import HAPSwarm
import MatterController
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterTestSupport
import MatterWire

/// The outcome of a commissioning, or of the establishment of a session.
enum LinkOutcome: Equatable, Sendable {
  case commissioned
  case connected(isResumed: Bool)
  case failed(String)

  /// The node belongs to no fabric of the controller.
  static let noSharedRoot = LinkOutcome.failed("the peer reports status 1/1")
}

/// The sessions of a controller with one node. Confined to the world's thread.
final class NodeLink: @unchecked Sendable {  // see above
  struct Session {
    /// The run of the node.
    let run: Int
    /// The start of its establishment.
    let since: UInt64
    /// Whether both ends have it: there was no fault when it was established.
    let isSure: Bool
  }

  /// The values of a subscription, as the controller knows them.
  struct Mirror {
    let request: SubscribeRequest
    let maximum: UInt64
    let since: UInt64
    let run: Int
    var values: [AttributePath: Element.Value]
    /// Whether the node may have ended it.
    var isStale = false
  }

  private struct Pending {
    let request: InteractionRequest
    let done: @Sendable (InteractionResult?) -> Void
  }

  let node: NodeLedger
  private unowned let controller: NodeController
  private var swarm: SwarmRun { controller.swarm }
  private let loop: EventLoop
  private var runner: NodeClientRunner?
  private(set) var session: Session?
  private(set) var mirrors: [UInt32: Mirror] = [:]
  /// Whether the next session can be resumed.
  private(set) var canResume = false
  private var pending: [NodeClient.RequestNumber: Pending] = [:]
  private var task: (start: UInt64, done: @Sendable (LinkOutcome) -> Void)?
  /// The first value of each attribute that was read, for a mutation.
  private var firstValues: [AttributePath: Element.Value] = [:]

  init(to node: NodeLedger, of controller: NodeController, on loop: EventLoop, random: RandomSource) {
    (self.node, self.controller, self.loop) = (node, controller, loop)
    try? loop.performAndWait { [self] in
      let client = NodeClient(controller.fabric, node: NodeID(1 + node.accessory.number), random: random)
      runner = try NodeClientRunner(client, on: loop, host: .anyV4) { [unowned self] in
        runner?.connect(to: self.controller.address(of: self.node))
      } onReport: { [unowned self] in
        note($0)
      }
    }
  }

  // MARK: Tasks

  /// Adds the node to the fabric.
  /// - Returns: `nil`: the process has died.
  func commission(passcode: UInt32, authority: [UInt8], at address: SocketAddress) async -> LinkOutcome? {
    guard let authority = try? AttestationCertificate(decoding: authority) else { return .failed("no certificate") }
    return await perform { runner in
      runner.perform {
        $0.commission(at: PeerAddress(address), passcode: passcode, authorities: [authority], at: runner.now)
      }
    }
  }

  /// Establishes a session.
  /// - Returns: `nil`: the process has died.
  func connect(to address: SocketAddress) async -> LinkOutcome? { await perform { $0.connect(to: address) } }

  private func perform(_ body: @escaping @Sendable (NodeClientRunner) -> Void) async -> LinkOutcome? {
    await swarm.result(on: loop) { [self] done in
      guard let runner, !runner.client.isConnecting, task == nil else { return done(.failed("it is connecting")) }
      task = (swarm.now, done)
      body(runner)
    }
  }

  /// Sends a request in the session.
  /// - Returns: `nil`: there is no answer.
  func request(_ request: InteractionRequest) async -> InteractionResult? {
    let answer: InteractionResult?? = await swarm.result(on: loop) { [self] done in
      guard let runner else { return done(nil) }
      runner.perform { client in
        pending[client.request(request, at: runner.now)] = Pending(request: request, done: done)
      }
    }
    return answer ?? nil
  }

  /// Ends the session, and notifies the node.
  func disconnect() async {
    let _: Bool? = await swarm.result(on: loop) { [self] done in
      if let runner { runner.perform { $0.disconnect(at: runner.now) } }
      session = nil
      done(true)
    }
  }

  /// Forgets the session, after a request without an answer. The next one can be resumed.
  func forget() { session = nil }

  func forgetResumption() {
    canResume = false
    runner?.client.forgetResumption()
  }

  /// Whether the node still has a session, as far as the controller can know.
  func isUsable(_ session: Session) -> Bool {
    node.run == session.run
      && !swarm.faults(between: node.accessory, and: controller, since: session.since).contains(.disconnect)
  }

  // MARK: Reports

  private func note(_ report: NodeClient.Report) {
    switch report {
    case .commissioned: established(.commissioned)
    case .connected(let isResumed): established(.connected(isResumed: isResumed))
    case .failed(let failure): finish(.failed(failure.reason))
    case .answered(let number, let result): answered(number, result)
    case .unanswered(let number): pending.removeValue(forKey: number)?.done(nil)
    case .changed(let report): changed(report)
    case .subscriptionEnded(let id):
      mirrors[id] = nil
      swarm.coverage.add(.endedSubscriptions)
    case .sessionEnded(let reason): ended(reason)
    }
  }

  private func established(_ outcome: LinkOutcome) {
    guard let task else { return }
    // The node ends the subscriptions of the session before.
    for id in mirrors.keys { mirrors[id]?.isStale = true }
    session = Session(run: node.run, since: task.start, isSure: controller.isQuiet(node, since: task.start))
    canResume = true
    finish(outcome)
  }

  private func finish(_ outcome: LinkOutcome) {
    let done = task?.done
    task = nil
    done?(outcome)
  }

  private func ended(_ reason: SessionEnd) {
    mirrors = [:]
    guard let ended = session else { return }
    session = nil
    guard reason == .closedByPeer, isUsable(ended), node.membership(of: controller.number) == .yes else { return }
    swarm.report(.removalsHarmNobody, "\(node) has ended the session of \(controller)")
  }

  private func answered(_ number: NodeClient.RequestNumber, _ result: InteractionResult) {
    guard let answered = pending.removeValue(forKey: number) else { return }
    if case .subscription(let response, let report) = result, case .subscribe(let request) = answered.request {
      if !request.keepsOthers { for id in mirrors.keys { mirrors[id]?.isStale = true } }
      mirrors[response.id] = Mirror(
        request: request, maximum: UInt64(response.maximum) * 1_000_000_000, since: swarm.now,
        run: session?.run ?? node.run, values: report.values)
    }
    answered.done(result)
  }

  private func changed(_ report: ReportCollector) {
    guard let id = report.subscription, mirrors[id] != nil else { return }
    if swarm.mutation != .oldReports { mirrors[id]?.values.merge(report.values) { $1 } }
    node.note(report.events, inRun: mirrors[id]?.run ?? 0, "a subscription of \(controller)")
  }

  /// A value in a report.
  func value(_ path: AttributePath, in report: ReportCollector) -> Element.Value? {
    guard let value = report.values[path] else { return nil }
    guard swarm.mutation == .oldValues else { return value }
    if firstValues[path] == nil { firstValues[path] = value }
    return firstValues[path]
  }

  // MARK: Subscriptions

  /// A subscription request was not answered. It can have ended the earlier ones.
  func subscriptionsAreUncertain() { for id in mirrors.keys { mirrors[id]?.isStale = true } }

  /// Checks that the values of each live subscription are present ones.
  func checkSubscriptions() {
    guard let session, session.isSure, isUsable(session), node.accessory.isResponsive,
      node.membership(of: controller.number) == .yes
    else { return }
    let now = swarm.now
    for (id, mirror) in mirrors.sorted(by: { $0.key < $1.key }) where !mirror.isStale && mirror.run == node.run {
      let window = UInt64(mirror.request.minimum) * 1_000_000_000 + NodeSwarm.reportTime
      // The node can have ended it, and the controller does not know it yet.
      let doubt = mirror.maximum + 15_000_000_000 + window
      guard mirror.since + window <= now,
        controller.isQuiet(node, since: max(mirror.since, now > doubt ? now - doubt : 0))
      else { continue }
      for value in node.values {
        guard let element = mirror.values[value.path] else { continue }
        swarm.coverage.add(.liveSubscriptions)
        if let index = value.index(element),
          node.history(of: value).allows(index, from: now - window, to: now)
        {
          continue
        }
        swarm.report(
          .subscriptionsConverge,
          "subscription \(id) of \(controller) has \(element) for \(value) of \(node), not \(node.history(of: value).candidates(at: now))"
        )
      }
    }
  }
}
