import HAPAlmanac
import HAPHome
import HAPModel

/// The state machine of executions: action sets, and writes without a set. home.md §9.
///
/// It receives the starts, the answers of accessories, the state of connections and the time, and gives actions for
/// its shell. The writes of one execution to one connection are as few PUTs as possible, all connections work at once,
/// and each connection has at most one PUT without an answer. Nothing is sent twice. Each action has one outcome.
///
/// The machine keeps no execution that has ended, and nothing is stored: after a restart of the hub, nothing is repeated.
/// It keeps the checked actions of the sets that were executed last, for the next time.
public struct SceneRun: Sendable {
  /// An execution that has not ended.
  private struct Execution {
    let home: HomeObjectID
    let sets: [HomeObjectID]
    let skipped: [SceneResult.SkippedSet]
    let actions: [SceneOutline.Action]
    /// The outcome of each action; nil: open.
    var outcomes: [SceneResult.Outcome?]
    var open: Int
  }

  private let policy: ScenePolicy
  private var now: SceneTime
  private var executions: [SceneTicket: Execution] = [:]
  private var lanes: [DeviceID: SceneLane] = [:]
  private var outlines = SceneOutlines()
  private var actions: [SceneAction] = []
  private var lastTicket = 0
  private var lastPut = 0
  /// The number of actions without an outcome.
  private var open = 0

  /// The sets that are being executed.
  public private(set) var running: Set<HomeObjectID> = []

  /// Creates a machine without executions.
  public init(policy: ScenePolicy = ScenePolicy()) {
    self.policy = policy
    now = SceneTime(uptime: .zero, wall: .distantPast)
  }

  // MARK: Inputs

  /// Checks the actions of sets that are about to be executed, so that the start takes less time.
  public mutating func prepare(_ sets: [HomeObjectID], in home: Home, _ model: HomeModel) {
    let sets = sets.compactMap { home.actionSets.find($0) }.filter { !$0.actions.isEmpty }
    if !sets.isEmpty { _ = outlines.outline(of: sets, in: home, model) }
  }

  /// Starts an execution. It ends with `SceneAction.ended`, perhaps at once.
  /// - Returns: the number of the execution.
  /// - Throws: the reason why nothing of the request can be executed: 2, 12 for objects that do not exist, 11, 17, 25,
  ///   26, 48, 65; 1 for two writes to a characteristic, 49 if too many actions are open. Then nothing is sent.
  public mutating func start(
    _ request: SceneRequest, in model: HomeModel, _ context: SceneContext, at time: SceneTime
  ) throws(HomeError) -> SceneTicket {
    pass(to: time)
    expire()
    let plan = try ScenePlan(request, in: model, context, running: running, &outlines)
    guard plan.actions.count <= policy.actions - open else {
      throw HomeError(
        .maximumObjectLimitReached, .l1,
        "\(open) actions are being executed, and the limit is \(policy.actions): wait for their end")
    }
    lastTicket += 1
    let ticket = SceneTicket(number: lastTicket)
    running.formUnion(plan.sets)
    open += plan.actions.count
    executions[ticket] = Execution(
      home: plan.home, sets: plan.sets, skipped: plan.skipped, actions: plan.actions,
      outcomes: Array(repeating: nil, count: plan.actions.count), open: plan.actions.count)
    for (device, puts) in plan.puts { enqueue(puts, device, ticket, context.connection(device)) }
    for (position, action) in plan.actions.enumerated() {
      if case .failure(let error) = action.target { end([position], of: ticket) { _, _ in .notSent(error) } }
    }
    return ticket
  }

  /// Passes the answer to a PUT, or its failure. It comes before inputs about a later connection to the device. An
  /// answer to a PUT that has ended is ignored.
  public mutating func answered(_ put: ScenePut.ID, _ answer: SceneAnswer, at time: SceneTime) {
    pass(to: time)
    defer { expire() }
    guard case .sent(let sent) = lanes[put.device]?.state, sent.number == put.number else { return }
    switch answer {
    case .notSent, .connectionLost, .wrongSignature:
      lanes[put.device]!.state = .connecting(since: now.uptime)
    case .done, .statuses, .refused, .unreadable:
      lanes[put.device]!.state = .ready
    }
    end(sent, with: answer)
    send(put.device)
  }

  /// Passes the state of the connection to a device. States of devices without writes are ignored.
  ///
  /// A PUT without an answer ends with the connection on which it was sent.
  public mutating func connection(_ device: DeviceID, is connection: SceneConnection, at time: SceneTime) {
    pass(to: time)
    expire()
    set(connection, of: device)
  }

  /// Passes the time.
  public mutating func advance(to time: SceneTime) {
    pass(to: time)
    expire()
  }

  // MARK: Outputs

  /// Returns the actions since the last call.
  public mutating func takeActions() -> [SceneAction] {
    defer { actions = [] }
    return actions
  }

  /// The uptime at which `advance` is required next; nil: never.
  public var nextDeadline: Duration? {
    lanes.values.lazy.compactMap { $0.deadline(policy) }.min()
  }

  /// Whether no execution is open. Then the machine keeps no state of a connection.
  public var isIdle: Bool { executions.isEmpty && lanes.isEmpty && running.isEmpty && open == 0 }

  // MARK: Time

  private mutating func pass(to time: SceneTime) {
    now = SceneTime(uptime: max(now.uptime, time.uptime), wall: time.wall)
  }

  /// Ends the waits that are over.
  private mutating func expire() {
    guard let next = nextDeadline, next <= now.uptime else { return }
    // The end of a wait can begin another one only on the same connection, and that one is not over.
    let due = lanes.filter { $0.value.deadline(policy).map { $0 <= now.uptime } ?? false }.keys.sorted()
    for device in due {
      switch lanes[device]!.state {
      case .ready: preconditionFailure("a connection that is ready has no deadline")
      case .sent(let sent):
        lanes[device]!.state = .connecting(since: now.uptime)
        actions.append(.giveUp(ScenePut.ID(device: device, number: sent.number)))
        end(sent.plan, of: sent.ticket) { target in .noAnswer(target()) }
        removeIfIdle(device)
      case .connecting: dropOverdue(device)
      }
    }
  }

  /// Ends the PUTs that waited too long for a connection.
  private mutating func dropOverdue(_ device: DeviceID) {
    while let deadline = lanes[device]!.deadline(policy), deadline <= now.uptime,
      let waiting = lanes[device]!.takeNext()
    {
      end(waiting.plan, of: waiting.ticket) { target in .notConnected(target()) }
    }
    removeIfIdle(device)
  }

  // MARK: Connections

  private mutating func enqueue(
    _ puts: [ScenePutPlan], _ device: DeviceID, _ ticket: SceneTicket, _ connection: SceneConnection
  ) {
    if lanes[device] == nil { lanes[device] = SceneLane(state: .connecting(since: now.uptime)) }
    for plan in puts {
      lanes[device]!.append(SceneLane.Waiting(ticket: ticket, since: now.uptime, plan: plan))
    }
    set(connection, of: device)
  }

  private mutating func set(_ connection: SceneConnection, of device: DeviceID) {
    guard let lane = lanes[device] else { return }
    switch (connection, lane.state) {
    case (.ready, .sent), (.connecting, .connecting): return
    case (.ready, .ready), (.ready, .connecting): lanes[device]!.state = .ready
    case (.connecting, .ready), (.connecting, .sent): lanes[device]!.state = .connecting(since: now.uptime)
    case (.ended, _): lanes[device] = nil
    }
    if connection != .ready, case .sent(let sent) = lane.state { end(sent, with: .connectionLost) }
    if connection == .ended {
      var rest = lane
      while let waiting = rest.takeNext() {
        end(waiting.plan, of: waiting.ticket) { target in .notConnected(target()) }
      }
    }
    send(device)
  }

  /// Sends the next PUT, if the connection is ready.
  private mutating func send(_ device: DeviceID) {
    guard case .ready = lanes[device]?.state, let next = lanes[device]!.takeNext() else { return removeIfIdle(device) }
    lastPut += 1
    lanes[device]!.state = .sent(
      SceneLane.Sent(
        ticket: next.ticket, number: lastPut, plan: next.plan, deadline: now.uptime + policy.answerLimit))
    actions.append(
      .put(
        ScenePut(
          id: ScenePut.ID(device: device, number: lastPut), ticket: next.ticket, isTimed: next.plan.isTimed,
          entries: next.plan.writes.map(\.entry))))
  }

  /// Removes the lane of a connection on which nothing is sent, if nothing waits.
  private mutating func removeIfIdle(_ device: DeviceID) {
    if lanes[device]?.isEmpty == true { lanes[device] = nil }
  }

  // MARK: Outcomes

  private mutating func end(_ sent: SceneLane.Sent, with answer: SceneAnswer) {
    var statuses: [AttributeID: Int] = [:]
    if case .statuses(let list) = answer {
      // Of two statuses for one entry, a failure counts.
      statuses = Dictionary(list.map { ($0.id, $0.status) }) { $0 == 0 ? $1 : $0 }
    }
    end(sent.plan, of: sent.ticket) { target in
      switch answer {
      case .done: .done
      case .statuses: .answered(statuses[target().id], by: target())
      case .refused(let status): .refusedRequest(status, by: target())
      case .notSent: .notConnected(target())
      case .connectionLost: .connectionLost(target())
      case .unreadable: .unreadable(target())
      case .wrongSignature: .wrongSignature(target())
      }
    }
  }

  /// - Parameter outcome: gets a function, because a write that is done does not need its large target.
  private mutating func end(
    _ plan: ScenePutPlan, of ticket: SceneTicket, with outcome: (() -> SceneTarget) -> SceneResult.Outcome
  ) {
    end(plan.writes.flatMap(\.actions), of: ticket) { actions, position in
      outcome {
        guard case .success(let target) = actions[position].target else {
          preconditionFailure("it failed a check and was sent")
        }
        return target
      }
    }
  }

  /// Gives actions their outcome, and ends the execution if these were its last ones.
  /// - Parameter outcome: gets all actions and the position of one, so that no action is copied.
  private mutating func end(
    _ positions: [Int], of ticket: SceneTicket, with outcome: ([SceneOutline.Action], Int) -> SceneResult.Outcome
  ) {
    guard var execution = executions.removeValue(forKey: ticket) else { preconditionFailure("the execution has ended") }
    for position in positions {
      precondition(execution.outcomes[position] == nil, "an action has two outcomes")
      execution.outcomes[position] = outcome(execution.actions, position)
    }
    open -= positions.count
    execution.open -= positions.count
    guard execution.open == 0 else {
      executions[ticket] = execution
      return
    }
    running.subtract(execution.sets)
    let result = SceneResult(
      actions: zip(execution.actions, execution.outcomes).map { action, outcome in
        SceneResult.Action(actionSet: action.actionSet, action: action.action, outcome: outcome!)
      }, skipped: execution.skipped)
    let changes = execution.sets.map { HomeChange(execution.home, .actionSetExecuted($0, at: now.wall)) }
    actions.append(.ended(ticket, result, changes))
  }
}
