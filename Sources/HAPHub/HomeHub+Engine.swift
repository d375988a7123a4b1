import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPStore

// The hub as the shell of the engine: docs/internals/home.md, "What a shell has to do".
extension HomeHub {
  /// The longest time between two looks at the clock while something is planned. The machine's timers do not notice
  /// that the clock was set, nor that the machine slept.
  private static let longestWait = Duration.seconds(10)
  /// The time within which values are read for the engine, which waits for 5 s: those that are there by then are used.
  private static let readLimit = EnginePolicy().readLimit - .milliseconds(500)
  /// The number of inputs that wait for a disk, after which further values are lost: they are read again then.
  static let mostWaiting = 10_000

  // MARK: Inputs

  /// Passes an input to the engine, with the time before it. While a command is being stored, the input waits.
  func feed(_ input: @escaping () -> [EngineAction]) {
    guard phase == .running, runsAutomations else { return }
    if journal.holdsEngine { return automation.waiting.append(input) }
    feedNow(input)
  }

  /// Passes a value of a characteristic to the engine. It is lost if too many inputs wait.
  func feedValue(of id: HomeObjectID, _ input: @escaping () -> [EngineAction]) {
    if journal.holdsEngine, automation.waiting.count >= Self.mostWaiting {
      automation.lostValues.insert(id)
    } else {
      feed(input)
    }
  }

  /// Passes an answer to a record, or the changes of a command, which do not wait.
  func feedNow(_ input: () -> [EngineAction]) {
    guard phase == .running, runsAutomations else { return }
    let due = engine.advance(to: wall, uptime: loop.readUptime())
    perform(due + input())
  }

  /// Passes the input of a command, and then those that waited. Then the next transaction begins.
  func releaseEngine(_ first: () -> [EngineAction] = { [] }) {
    guard phase == .running else { return }
    let inputs = automation.waiting
    automation.waiting = []
    automation.isReleasing = true
    feedNow(first)
    for input in inputs { feedNow(input) }
    if !automation.lostValues.isEmpty { readLostValues() }
    automation.isReleasing = false
    storeNext()
  }

  private func readLostValues() {
    let lost = automation.lostValues
    automation.lostValues = []
    feedNow {
      self.engine.valuesLost(lost)
      return []
    }
    catchUp(lost.sorted())
  }

  func engineTimerFired() { feed { [] } }

  // MARK: Actions

  func perform(_ actions: [EngineAction]) {
    automation.actions += actions
    guard !automation.isPerforming else { return }
    automation.isPerforming = true
    while !automation.actions.isEmpty {
      let actions = automation.actions
      automation.actions = []
      perform(inOneTurn: actions)
    }
    automation.isPerforming = false
    storeNext()
    guard let timer = engineTimer.value else { return }
    if let deadline = engine.nextDeadline {
      timer.start(after: min(max(.zero, wall.duration(to: deadline)), Self.longestWait))
    } else {
      timer.cancel()
    }
  }

  /// Performs actions in their order, with one exception: apps get their events last, so that no PUT waits for them. The
  /// reports of the engine come before the events of its other actions.
  private func perform(inOneTurn actions: [EngineAction]) {
    let outer = automation.held
    automation.held = []
    for action in actions where !action.isReport { perform(action) }
    let held = automation.held ?? []
    automation.held = outer
    for action in actions where action.isReport { perform(action) }
    for body in held { tell(body) }
  }

  private func perform(_ action: EngineAction) {
    switch action {
    case .subscribe(let ids):
      let new = Set(ids).subtracting(automation.subscribed)
      automation.subscribed = Set(ids)
      refreshSubscriptions()
      catchUp(new)
    case .read(let ids, let ticket):
      startRead(ids, limit: Self.readLimit) { read in
        let why = read.errors.values.map(\.message).min() ?? "the accessory does not answer"
        self.feed { self.engine.readEnded(ticket, read.values, why: why) }
      }
    case .record(let state, with: let changes, let ticket): record(state, changes, ticket)
    case .recordPerson(let person, let ticket): record(person, ticket)
    case .execute(let sets, let trigger, let ticket):
      start(.actionSets(sets, trigger: trigger), sets, HubExecution.Origin.trigger(trigger, ticket))
    case .restore(let actions, let trigger, let ticket):
      guard let home = model.home(ofTrigger: trigger) else { return }
      start(.writes(home: home.id, actions), [], HubExecution.Origin.trigger(trigger, ticket))
    case .tell(let change): publish(.changed([change], app: nil))
    case .explain(let evaluation): tell { self.explain(evaluation) }
    }
  }

  // MARK: Records

  private func record(_ state: TriggerState, _ changes: [HomeChange], _ ticket: EngineTicket) {
    let row = HomeRowChange.keep(
      .triggerState(HomeStateRow(id: state.trigger.description, json: state.json.compactText)))
    record(changes, with: [row]) { error in
      self.feedNow { self.engine.recorded(ticket, failure: error.map { "\($0)" }) }
    }
    // While the record of an execution is being stored.
    if state.started.last?.isEnd == false, let home = model.home(ofTrigger: state.trigger),
      let trigger = home.triggers.find(state.trigger)
    {
      tell { self.scenes.prepare(trigger.actionSets, in: home, self.model) }
    }
  }

  /// The place of a person counts from now on.
  private func record(_ person: PersonState, _ ticket: EngineTicket) {
    keep(person) { failure in
      self.feedNow { self.engine.recorded(ticket, failure: failure) }
      self.automation.places.removeValue(forKey: ticket)?(failure)
    }
  }

  /// - Parameter done: called with the reason if the place could not be stored.
  private func keep(_ person: PersonState, done: @escaping (String?) -> Void) {
    persons[person.user] = person
    let row = HomeRowChange.keep(
      .person(HomeStateRow(id: person.user.description, json: person.json.compactText)))
    record([], with: [row]) { error in done(error.map { "\($0)" }) }
  }

  // MARK: Requests of apps

  /// Sets the place of a user, and answers when it is stored.
  func place(
    _ person: PersonState, for client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    guard let home = home(ofUser: person.user) else { throw HomeError.unknown(.user, person.user) }
    try checkRunsTriggers(of: home)
    guard runsAutomations else { throw HomeError.noAutomations }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      func refuse(_ error: HomeError) {
        answer(.failure(error))
        continuation.resume()
      }
      // The hub may have begun to end before this closure.
      guard phase == .running else { return refuse(.hubEnds) }
      func end(_ failure: String?) {
        // The place counts, so the copy of the homes in this app has to have it, too.
        if failure != nil, let present = self.persons[person.user] { client.receive(SharedHubEvent(.person(present))) }
        answer(failure.map { .failure(.placeNotStored($0)) } ?? .success(.done))
        continuation.resume()
      }
      feed {
        // The user may have been removed while a command was being stored.
        guard self.home(ofUser: person.user) != nil else {
          refuse(.unknown(.user, person.user))
          return []
        }
        let actions = self.engine.person(person.user, person.place)
        let ticket = actions.lazy.compactMap { action -> EngineTicket? in
          if case .recordPerson(_, let ticket) = action { ticket } else { nil }
        }.first
        guard let ticket else {
          // The place is as before for the engine. A user without one is away, too.
          if self.persons[person.user] == person, !self.journal.hasUnstored(person.user) {
            end(nil)
          } else {
            self.publish(.person(person), except: client)
            self.keep(person, done: end)
          }
          return actions
        }
        self.automation.places[ticket] = end
        self.publish(.person(person), except: client)
        return actions
      }
    }
    return nil
  }

  private func home(ofUser id: HomeObjectID) -> Home? { model.homes.first { $0.users.find(id) != nil } }

  /// Fires a trigger by hand, and waits for the end of its writes.
  func fire(_ trigger: HomeObjectID) async throws(HomeError) -> EvaluationReport {
    guard let home = model.home(ofTrigger: trigger) else { throw HomeError.unknown(.trigger, trigger) }
    try checkRunsTriggers(of: home)
    guard runsAutomations else { throw HomeError.noAutomations }
    return try await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<EvaluationReport, HomeError>, Never>) in
      // As above.
      guard phase == .running else { return continuation.resume(returning: .failure(.hubEnds)) }
      feed {
        // The trigger may have been removed while a command was being stored.
        guard self.engine.activation(of: trigger) != nil else {
          continuation.resume(returning: .failure(.unknown(.trigger, trigger)))
          return []
        }
        var fire = HubFire(number: nil) { continuation.resume(returning: $0) }
        let actions = self.engine.fire(trigger)
        // An evaluation at once is that of this request; otherwise earlier events of the trigger come first.
        for case .explain(let evaluation) in actions where evaluation.trigger == trigger && evaluation.isByHand {
          fire.number = evaluation.number
        }
        self.automation.fires[trigger, default: []].append(fire)
        return actions
      }
    }.get()
  }

  /// Returns the last evaluations of a trigger.
  func explanations(of trigger: HomeObjectID) throws(HomeError) -> [EvaluationReport] {
    guard let home = model.home(ofTrigger: trigger) else { throw HomeError.unknown(.trigger, trigger) }
    try checkRunsTriggers(of: home)
    return engine.evaluations(of: trigger).map { report($0, in: home) }
  }

  private func report(_ evaluation: Evaluation, in home: Home) -> EvaluationReport {
    EvaluationReport(evaluation, in: home, zone: zoneRules(home.zone) ?? .utc)
  }

  private func explain(_ evaluation: Evaluation) {
    guard let home = model.home(ofTrigger: evaluation.trigger) else { return }
    let fires = automation.fires[evaluation.trigger] ?? []
    if clients.isEmpty && fires.isEmpty { return }
    let report = report(evaluation, in: home)
    publish(.evaluated(report))
    guard
      let place = fires.firstIndex(where: { $0.number == evaluation.number })
        ?? (evaluation.isByHand ? fires.firstIndex { $0.number == nil } : nil)
    else { return }
    automation.fires[evaluation.trigger]?[place].number = evaluation.number
    if evaluation.isOpen { return }
    automation.fires[evaluation.trigger]?.remove(at: place)
    if fires.count == 1 { automation.fires[evaluation.trigger] = nil }
    fires[place].done(.success(report))
  }

  /// Refuses the requests to fire triggers that were removed.
  func endFiresOfRemovedTriggers() {
    for (trigger, fires) in automation.fires where model.home(ofTrigger: trigger) == nil {
      automation.fires[trigger] = nil
      for fire in fires { fire.done(.failure(.unknown(.trigger, trigger))) }
    }
  }
}

extension EngineAction {
  /// Whether only apps have to know it.
  fileprivate var isReport: Bool {
    switch self {
    case .tell, .explain: true
    default: false
    }
  }
}

extension HomeError {
  fileprivate static let noAutomations = HomeError(
    .noHomeHub, nil, "this hub runs no triggers: start 'hapctl hub run'")

  fileprivate static func placeNotStored(_ why: String) -> HomeError {
    HomeError(
      .unexpectedError, nil,
      "the place counts, but could not be stored: \(why): the hub tries again every 10 s, and a hub that ends before has the earlier place"
    )
  }
}
