import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPStore
import HAPWire
import HAPWorld

/// The process of the hub: it performs the actions of an engine with a store on a simulated disk, and with devices on
/// the network. It ends with its process.
final class HubShell {
  private let machine: HubMachine
  private let process: SimulatedProcess
  private let store: HomeStore
  private(set) var model: HomeModel
  private(set) var engine: HomeEngine
  private var home: HomeObjectID { model.homes[0].id }

  private var queue: [EngineAction] = []
  private var isPerforming = false
  private var timer: SimulatedProcess.Timer?
  private var subscribed: Set<HomeObjectID> = []
  /// The transactions that are not stored yet, in order.
  private var commits: [Commit] = []
  private var isCommitting = false
  /// The last recorded execution and the last recorded end of each trigger.
  private var lastStarts: [HomeObjectID: TriggerState.Started] = [:]
  private var lastEnds: [HomeObjectID: TriggerState.Started] = [:]

  private struct Commit {
    let rows: [HomeRowChange]
    let state: TriggerState?
    let ticket: EngineTicket
  }

  /// Opens the store, and stores the home if it is empty.
  /// - Parameter fresh: the home as the commands left it.
  init(_ machine: HubMachine, _ process: SimulatedProcess, _ fresh: HomeModel) throws(StoreError) {
    (self.machine, self.process) = (machine, process)
    store = try HomeStore(folder: "/hub", files: machine.disk)
    model = fresh
    let rules = machine.zone.rules
    engine = HomeEngine { _ in rules }
    let rows = try store.load()
    guard !rows.objects.isEmpty else {
      let home = fresh.homes[0]
      try store.commit(home.triggers.map { HubTriggerRow($0).row(in: home.id) })
      return
    }
    for row in rows.objects.compactMap(HubTriggerRow.init) { restore(row) }
    let read = rows.objects.count(where: { HubTriggerRow($0) != nil })
    if !rows.damaged.isEmpty || read != fresh.homes[0].triggers.count {
      machine.ledger.report(.storeOpens, "the store has damaged rows, or not those of all triggers: \(rows.damaged)")
    }
    states = rows.triggerStates.compactMap { row in
      guard let node = try? JSONNode.parse(Array(row.json.utf8)) else { return nil }
      return try? TriggerState(machine.mutation == .effectsForgotten ? node.without("running") : node)
    }
    persons = rows.people.compactMap { row in
      (try? JSONNode.parse(Array(row.json.utf8))).flatMap { try? PersonState($0) }
    }
    if states.count != rows.triggerStates.count || persons.count != rows.people.count {
      machine.ledger.report(.storeOpens, "the state of a trigger or of a person cannot be read")
    }
    machine.ledger.loaded(states, model)
    if machine.mutation == .statesForgotten { states = [] }
  }

  private var states: [TriggerState] = []
  private var persons: [PersonState] = []

  private func restore(_ row: HubTriggerRow) {
    if let time = row.lastFire { model.apply([HomeChange(home, .triggerFired(row.id, at: time))]) }
    guard !row.isEnabled, machine.mutation != .disablingForgotten else { return }
    let rules = machine.zone.rules
    let context = HomeContext(now: machine.wall) { _ in rules }
    _ = try? model.perform(.disableTrigger(row.id), in: context, using: &machine.random)
  }

  /// Starts the engine with what was loaded.
  func start() {
    machine.ledger.hubSees(machine.wall, model)
    queue += engine.start(model, states: states, persons: persons, at: machine.wall)
    perform()
  }

  // MARK: Inputs

  /// Passes an input to the engine.
  func feed(_ input: (inout HomeEngine) -> [EngineAction]) {
    guard process.isAlive else { return }
    machine.ledger.hubSees(machine.wall, model)
    queue += engine.advance(to: machine.wall, uptime: .nanoseconds(Int64(machine.now)))
    queue += input(&engine)
    perform()
  }

  func event(_ id: HomeObjectID, _ value: Value) {
    if subscribed.contains(id) { feed { $0.value(machine.seen(value), of: id) } }
  }

  func person(_ user: HomeObjectID, _ spot: HubSpot) { feed { $0.person(user, spot.place) } }

  func fire(_ trigger: HomeObjectID) { feed { $0.fire(trigger) } }

  func deviceLost(_ device: Int) {
    feed { engine in
      engine.valuesLost(subscribed.filter { machine.board.device($0) == device })
      return []
    }
  }

  func deviceFound(_ device: Int) { catchUp(subscribed.filter { machine.board.device($0) == device }) }

  /// Reads values that events did not report.
  private func catchUp(_ ids: some Sequence<HomeObjectID>) {
    for id in ids.sorted() {
      machine.board.read(id) { [weak self] value in
        guard let self else { return }
        feed { $0.value(machine.seen(value), of: id, isCatchUp: true) }
      }
    }
  }

  // MARK: Actions

  private func perform() {
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while !queue.isEmpty {
      perform(queue.removeFirst())
      guard process.isAlive else { return }
    }
    if let timer { process.cancel(timer) }
    timer =
      engine.nextDeadline.map { deadline in
        let delay = max(.zero, machine.wall.duration(to: deadline))
        return process.schedule(after: UInt64(delay / .nanoseconds(1))) { [unowned self] in feed { _ in [] } }
      } ?? nil
  }

  private func perform(_ action: EngineAction) {
    if let step = action.step, machine.crashes(before: step) { return }
    switch action {
    case .subscribe(let ids):
      let new = Set(ids).subtracting(subscribed)
      subscribed = Set(ids)
      catchUp(new)
    case .read(let ids, let ticket): read(ids, ticket)
    case .record(let state, with: let changes, let ticket): record(state, changes, ticket)
    case .recordPerson(let person, let ticket): commit(Commit(rows: [person.row], state: nil, ticket: ticket))
    case .execute(let sets, let trigger, let ticket):
      let actions = sets.flatMap { set in model.homes[0].actionSets.first { $0.id == set }!.actions }
      write(actions, lastStarts[trigger], isEnd: false, trigger, ticket)
    case .restore(let actions, let trigger, let ticket):
      write(actions, lastEnds[trigger], isEnd: true, trigger, ticket)
    case .tell: break
    case .explain(let evaluation): machine.ledger.explained(evaluation, at: machine.now)
    }
  }

  private func read(_ ids: [HomeObjectID], _ ticket: EngineTicket) {
    var values: [HomeObjectID: Value] = [:]
    for id in ids {
      machine.board.read(id) { [weak self] value in
        values[id] = self?.machine.seen(value) ?? value
        if values.count == ids.count { self?.feed { $0.readEnded(ticket, values) } }
      }
    }
    // A device that does not answer: the engine has stopped waiting before.
    process.schedule(after: 6_000_000_000) { [unowned self] in
      feed { $0.readEnded(ticket, values, why: "the accessory does not answer") }
    }
  }

  // MARK: Records

  private func record(_ state: TriggerState, _ changes: [HomeChange], _ ticket: EngineTicket) {
    model.apply(changes)
    var rows = [
      HomeRowChange.keep(.triggerState(HomeStateRow(id: state.trigger.description, json: state.json.compactText)))
    ]
    if changes.contains(where: \.detail.isOfTrigger) {
      let trigger = model.homes[0].triggers.first { $0.id == state.trigger }!
      rows.append(HubTriggerRow(trigger).row(in: home))
    }
    if let start = state.started.last(where: { !$0.isEnd }) { lastStarts[state.trigger] = start }
    if let end = state.started.last(where: \.isEnd) { lastEnds[state.trigger] = end }
    machine.ledger.recording(state, changes, at: machine.now)
    commit(Commit(rows: rows, state: state, ticket: ticket))
    if machine.mutation == .executesBeforeRecord { queue.insert(contentsOf: engine.recorded(ticket), at: 0) }
  }

  private func commit(_ commit: Commit) {
    commits.append(commit)
    if !isCommitting { commitNext() }
  }

  /// Stores the first transaction. A pool of threads needs some time, and the process may be killed meanwhile.
  private func commitNext() {
    guard let commit = commits.first else { return isCommitting = false }
    isCommitting = true
    process.schedule(after: machine.random.nanoseconds(100_000...20_000_000)) { [unowned self] in
      if machine.crashes(before: .commit) { return }
      commits.removeFirst()
      let failure = store(commit)
      guard process.isAlive else { return }
      if failure == nil, let state = commit.state { machine.ledger.recorded(state) }
      process.schedule(after: machine.random.nanoseconds(1_000...10_000_000)) { [unowned self] in
        if machine.crashes(before: .committed) { return }
        feed { $0.recorded(commit.ticket, failure: failure) }
        if process.isAlive { commitNext() }
      }
    }
  }

  /// - Returns: the reason if the transaction could not be stored.
  private func store(_ commit: Commit) -> String? {
    do throws(StoreError) {
      try store.commit(commit.rows)
      return nil
    } catch {
      machine.ledger.note("a transaction fails: \(error)")
      return "\(error)"
    }
  }

  // MARK: Writes

  /// Sends one request for each write, and waits at most 10 s for the answers.
  private func write(
    _ actions: [HomeAction], _ started: TriggerState.Started?, isEnd: Bool, _ trigger: HomeObjectID,
    _ ticket: EngineTicket
  ) {
    guard let started else { return machine.ledger.report(.recordedFirst, "an execution without a record") }
    if machine.mutation == .executionsLost, machine.random.chance(0.1) { return }
    let origin = machine.ledger.newOrigin(trigger, isEnd: isEnd, started.time)
    let answers = Answers(actions.map(\.characteristic))
    func end() {
      guard !answers.isEnded else { return }
      answers.isEnded = true
      let failures = answers.missing.sorted().map { ExecutionReport.Failure($0, why: "no answer within 10 s") }
      feed { $0.sceneEnded(ticket, ExecutionReport(done: actions.count - failures.count, failures: failures)) }
    }
    for (number, action) in actions.enumerated() {
      if number > 0, machine.crashes(before: .nextWrite) { return }
      machine.board.send(HubWrite(origin: origin, action: action)) { [weak self] in
        guard let self, process.isAlive, !machine.crashes(before: .answer) else { return }
        answers.missing.remove(action.characteristic)
        feed { $0.written(action.value, of: action.characteristic) }
        if answers.missing.isEmpty { end() }
      }
    }
    process.schedule(after: 10_000_000_000) { end() }
  }

  private final class Answers {
    var missing: Set<HomeObjectID>
    var isEnded = false
    init(_ ids: [HomeObjectID]) { missing = Set(ids) }
  }
}

extension EngineAction {
  fileprivate var step: HubStep? {
    switch self {
    case .subscribe: .subscribe
    case .read: .read
    case .record, .recordPerson: nil
    case .execute: .execute
    case .restore: .restore
    case .tell: .tell
    case .explain: .explain
    }
  }
}

extension HomeChange.Detail {
  fileprivate var isOfTrigger: Bool {
    switch self {
    case .triggerUpdated, .triggerFired: true
    default: false
    }
  }
}

extension PersonState {
  fileprivate var row: HomeRowChange { .keep(.person(HomeStateRow(id: user.description, json: json.compactText))) }
}

extension JSONNode {
  fileprivate func without(_ name: String) -> JSONNode {
    guard case .object(let members) = kind else { return self }
    return .object(members.filter { $0.name != name }.map { ($0.name, $0.value) })
  }
}
