import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// An engine with a shell: accessories whose values the test sets, and a store that can lose its process.
struct EngineBench {
  struct Execution: Equatable {
    var trigger: HomeObjectID
    var sets: [HomeObjectID]
    var time: Instant
  }

  var model = HomeModel()
  var engine: HomeEngine
  var now: Instant
  /// The clock that is never set; nil: the engine does not get it.
  var uptime: Duration?
  /// The values of the accessories.
  var world: [HomeObjectID: Value] = [
    .lock: 1, .motion: false, .window: false, .temperature: 20.0, .battery: 80.0, .text: "a", .lampOn: false,
    .lampBrightness: 50, .lampHue: 0.0,
  ]
  /// Characteristics that do not answer.
  var unreachable: Set<HomeObjectID> = []
  // What is durable.
  var states: [HomeObjectID: TriggerState] = [:]
  var persons: [HomeObjectID: PersonState] = [:]
  var storedModel = HomeModel()

  // Whether the answers to actions are given by the test.
  var holdsReads = false
  var holdsRecords = false
  var holdsScenes = false
  var held: [EngineAction] = []

  var executions: [Execution] = []
  var restored: [[HomeAction]] = []
  var told: [HomeChange.Detail] = []
  var explained: [Evaluation] = []
  /// All actions and inputs in their order.
  var trace: [EngineAction] = []
  var subscribed: [HomeObjectID] = []
  /// The number of actions until the process ends; nil: it does not.
  var actionsLeft: Int?
  var isDead: Bool { actionsLeft == 0 }

  /// Starts an engine with these triggers.
  init(
    _ triggers: [Trigger], zone: String = "Europe/Berlin", location: Coordinate? = Home.berlin,
    at time: String = "2026-06-01T12:00", knowsValues: Bool = true
  ) {
    var home = Home.test(zone: zone, location: location)
    home.triggers = triggers
    model.homes = [home]
    storedModel = model
    engine = HomeEngine(zoneRules: TestZones.rules)
    now = TestZones.rules(ZoneName(zone)!)!.instant(of: try! CivilTime(time))
    start(knowsValues: knowsValues)
  }

  mutating func start(knowsValues: Bool = true) {
    perform(engine.start(model, states: Array(states.values), persons: Array(persons.values), at: now))
    if knowsValues { catchUp() }
  }

  /// Passes the values of all subscribed characteristics, as a shell does after it subscribed.
  mutating func catchUp() {
    for id in subscribed where !unreachable.contains(id) {
      if let value = world[id] { perform(engine.value(value, of: id, isCatchUp: true)) }
    }
  }

  /// Starts a new engine from what is durable.
  mutating func restart(after duration: Duration = .zero, knowsValues: Bool = true) {
    now = now.advanced(by: duration)
    (model, held, actionsLeft, subscribed) = (storedModel, [], nil, [])
    engine = HomeEngine(zoneRules: TestZones.rules)
    start(knowsValues: knowsValues)
  }

  // MARK: Time

  func instant(_ time: String) -> Instant {
    TestZones.rules(model.homes[0].zone)!.instant(of: try! CivilTime(time))
  }

  /// Lets time pass: the engine is called at each of its deadlines.
  mutating func run(until time: Instant) {
    while !isDead, let deadline = engine.nextDeadline, deadline <= time {
      pass(to: max(now, deadline))
    }
    guard !isDead else { return }
    pass(to: time)
  }

  private mutating func pass(to time: Instant) {
    if let uptime { self.uptime = uptime + now.duration(to: time) }
    now = time
    perform(engine.advance(to: now, uptime: uptime))
  }

  mutating func run(until time: String) { run(until: instant(time)) }
  mutating func run(for duration: Duration) { run(until: now.advanced(by: duration)) }

  /// Sets the clock; without an uptime, or with `isSleep`, time has passed if it is later. The engine is called once,
  /// afterwards.
  mutating func jump(to time: Instant, isSleep: Bool = false) {
    if isSleep { return pass(to: time) }
    now = time
    perform(engine.advance(to: now, uptime: uptime))
  }

  mutating func jump(to time: String) { jump(to: instant(time)) }

  // MARK: Inputs

  /// An accessory changes a value, and sends an event.
  mutating func set(_ id: HomeObjectID, _ value: Value, isCatchUp: Bool = false) {
    guard !isDead else { return }
    world[id] = value
    perform(engine.value(value, of: id, isCatchUp: isCatchUp))
  }

  mutating func person(_ user: HomeObjectID, _ place: PersonState.Place) {
    guard !isDead else { return }
    perform(engine.person(user, place))
  }

  /// A person changes the home.
  mutating func change(_ details: HomeChange.Detail...) { change(details) }

  mutating func change(_ details: [HomeChange.Detail]) {
    let changes = details.map { HomeChange(.home, $0) }
    model.apply(changes)
    storedModel.apply(changes)
    perform(engine.changed(changes, model))
  }

  mutating func update(_ trigger: HomeObjectID, _ body: (inout Trigger) -> Void) {
    var changed = model.homes[0].triggers.find(trigger)!
    body(&changed)
    change(.triggerUpdated(changed))
  }

  // MARK: Actions

  mutating func perform(_ actions: [EngineAction]) {
    var queue = actions[...]
    while let action = queue.popFirst() {
      if let left = actionsLeft {
        guard left > 0 else { return }
        actionsLeft = left - 1
        if left == 1 { return }
      }
      trace.append(action)
      queue += perform(action)
    }
  }

  /// Performs an action, and returns the actions after its answer.
  private mutating func perform(_ action: EngineAction) -> [EngineAction] {
    switch action {
    case .subscribe(let ids): subscribed = ids
    case .read:
      if holdsReads { held.append(action) } else { return answer(action) }
    case .record(_, with: let changes, ticket: _):
      model.apply(changes)
      if holdsRecords { held.append(action) } else { return answer(action) }
    case .recordPerson:
      if holdsRecords { held.append(action) } else { return answer(action) }
    case .execute(let sets, let trigger, ticket: _):
      executions.append(Execution(trigger: trigger, sets: sets, time: now))
      if holdsScenes { held.append(action) } else { return answer(action) }
    case .restore(let writes, trigger: _, ticket: _):
      restored.append(writes)
      if holdsScenes { held.append(action) } else { return answer(action) }
    case .tell(let change): told.append(change.detail)
    case .explain(let evaluation): explained.append(evaluation)
    }
    return []
  }

  /// Answers an action as the accessories and the store do.
  mutating func answer(_ action: EngineAction) -> [EngineAction] {
    switch action {
    case .read(let ids, let ticket):
      let values = world.filter { ids.contains($0.key) && !unreachable.contains($0.key) }
      return engine.readEnded(ticket, values, why: "the accessory is not reachable")
    case .record(let state, with: let changes, let ticket):
      states[state.trigger] = state
      storedModel.apply(changes)
      return engine.recorded(ticket)
    case .recordPerson(let person, let ticket):
      persons[person.user] = person
      return engine.recorded(ticket)
    case .execute(let sets, trigger: _, let ticket):
      let all = sets.flatMap { set in model.homes[0].actionSets.find(set)!.actions }
      return write(all, ticket)
    case .restore(let writes, trigger: _, let ticket): return write(writes, ticket)
    case .subscribe, .tell, .explain: return []
    }
  }

  private mutating func write(_ actions: [HomeAction], _ ticket: EngineTicket) -> [EngineAction] {
    var result: [EngineAction] = []
    var failures: [ExecutionReport.Failure] = []
    for action in actions {
      if unreachable.contains(action.characteristic) {
        failures.append(.init(action.characteristic, why: "the accessory is not reachable"))
      } else {
        world[action.characteristic] = action.value
        result += engine.written(action.value, of: action.characteristic)
      }
    }
    return result
      + engine.sceneEnded(ticket, ExecutionReport(done: actions.count - failures.count, failures: failures))
  }

  /// Gives the answers that were held back.
  mutating func answerHeld() {
    let actions = held
    held = []
    for action in actions { perform(answer(action)) }
  }

  // MARK: Results

  /// The last evaluation that the engine keeps.
  var last: Evaluation? { model.homes[0].triggers.compactMap { engine.evaluations(of: $0.id).last }.last }
  var outcome: Evaluation.Outcome? { last?.outcome }

  /// The lines that `hapctl home why` prints of an evaluation.
  func text(_ evaluation: Evaluation?) -> String {
    let home = model.homes[0]
    let printer = EvaluationText(home, zone: TestZones.rules(home.zone)!)
    return evaluation.map { printer.lines($0).joined(separator: "\n") } ?? ""
  }

  var why: String { text(last) }
}

extension Evaluation.Outcome {
  /// Whether the sets were executed without a failure.
  var isExecuted: Bool { if case .executed(let report) = self { report.failures.isEmpty } else { false } }
}
