import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWorld

/// What happened in a run, as seen from outside of the hub. `HubLedger+Checks` compares it with the rules.
final class HubLedger {
  typealias Span = (start: UInt64, end: UInt64)

  /// A time at which a trigger has to be evaluated.
  struct Occurrence {
    let trigger: Int
    /// The time for which it was planned; nil: a value or a person changed.
    let due: Instant?
    let time: UInt64
    /// The time of the hub's clock.
    let wall: Instant
    /// The devices of the event.
    var devices: [Int] = []
    /// Whether the trigger did not execute its sets for the last time before.
    let isPossible: Bool
  }

  /// The writes of one action of the engine.
  struct Execution {
    let origin: HubWrite.Origin
    let trigger: Int
    let start: UInt64
    var writes: [HomeAction] = []
    var applied: [UInt64] = []
  }

  /// An execution or an end that the hub recorded.
  struct Recorded {
    let trigger: HomeObjectID
    let started: TriggerState.Started
    /// The start of the hub, and the number of its evaluation.
    let process: Int
    var number: Int?
    var isDurable = false
    var isResolved = false
  }

  let population: HubPopulation
  private let log: ((String) -> Void)?
  private let agenda: Agenda
  let indices: [HomeObjectID: Int]
  var coverage = HubCoverage()
  private(set) var violations: [HubViolation] = []

  // Disturbances. The last span can be open.
  private(set) var downs: [Span] = []
  private(set) var diskFaults: [Span] = []
  private(set) var clockChanges: [(time: UInt64, offset: Duration)]
  private(set) var deviceDowns = [[Span]](repeating: [], count: HubPopulation.deviceCount)

  // Inputs.
  private(set) var changes: [HomeObjectID: [(time: UInt64, value: Value)]] = [:]
  private(set) var moves: [(time: UInt64, atHome: Set<HomeObjectID>)] = [(0, [])]
  var occurrences: [Occurrence] = []
  /// The end of the run.
  var agendaEnd: UInt64 { agenda.now }
  /// The latest time of the clock that the hub has seen.
  private var seen: Instant?

  // What the hub did.
  private(set) var executions: [Execution] = []
  private(set) var records: [Recorded] = []
  private(set) var evaluations: [(time: UInt64, evaluation: Evaluation)] = []
  private(set) var states: [HomeObjectID: TriggerState] = [:]
  /// The times of the executions whose record began, for each trigger.
  private(set) var fires: [HomeObjectID: [Instant]] = [:]
  /// The greatest `HubWrite.Origin.records` of each trigger.
  private var sentRecords: [HomeObjectID: Int] = [:]
  /// The triggers that began to record an execution, except for a record that failed or that a crash prevented.
  private var done: Set<HomeObjectID> = []
  private var process = 0
  private var starts: [HomeObjectID: Set<TriggerState.Started>] = [:]

  init(_ population: HubPopulation, _ agenda: Agenda, log: ((String) -> Void)?) {
    (self.population, self.agenda, self.log) = (population, agenda, log)
    clockChanges = [(0, population.clockOffset)]
    indices = Dictionary(uniqueKeysWithValues: population.triggers.enumerated().map { ($1.id, $0) })
    for (id, value) in population.values { changes[id] = [(0, value)] }
  }

  func report(_ invariant: HubInvariant, _ text: String) {
    note("VIOLATION of \(invariant.rawValue): \(text)")
    // Many violations of one invariant do not hide another.
    if violations.count(where: { $0.invariant == invariant }) < 20 {
      violations.append(HubViolation(invariant: invariant, text: text))
    }
  }

  func note(_ text: @autoclosure () -> String) { log?("\(Duration.nanoseconds(Int64(agenda.now))) \(text())") }

  private func name(_ trigger: HomeObjectID) -> String { "trigger \(indices[trigger] ?? -1)" }

  // MARK: Disturbances

  func hubStarted(at time: UInt64) {
    process += 1
    starts = [:]
    note("the hub starts")
    if downs.last?.end == .max { downs[downs.count - 1].end = time }
  }

  func hubDied(at time: UInt64, losingPower: Bool) {
    note("the hub dies\(losingPower ? " in a power loss" : "")")
    coverage.add(.crashes)
    downs.append((time, .max))
  }

  func diskFault(_ isActive: Bool) {
    note("disk fault: \(isActive)")
    if isActive { diskFaults.append((agenda.now, .max)) } else { diskFaults[diskFaults.count - 1].end = agenda.now }
  }

  /// Whether the disk fails now, or failed in the last seconds.
  var hasDiskFault: Bool { diskFaults.contains { $0.end == .max || $0.end + 1_000_000_000 > agenda.now } }

  func device(_ device: Int, isDown: Bool) {
    note("device \(device) is \(isDown ? "lost" : "found")")
    if isDown {
      deviceDowns[device].append((agenda.now, .max))
    } else {
      deviceDowns[device][deviceDowns[device].count - 1].end = agenda.now
    }
  }

  func clockChanged(to offset: Duration, at time: UInt64) {
    note("the clock is \(offset) ahead")
    clockChanges.append((time, offset))
  }

  /// The time of the hub's clock.
  func wall(_ time: UInt64) -> Instant {
    let offset = clockChanges.last { $0.time <= time }!.offset
    return Instant(nanoseconds: Int64(time)).advanced(by: SimulatedHost.worldBegin + offset)
  }

  // MARK: Inputs

  func changed(_ sensor: HubPopulation.Sensor, from before: Value, to after: Value, at time: UInt64) {
    note("sensor of device \(sensor.device): \(before) becomes \(after)")
    if sensor.kind != .button { changes[sensor.id]!.append((time, after)) }
    addOccurrences(at: time, [sensor.device]) { $0.happens(sensor.id, before, after, isButton: sensor.kind == .button) }
  }

  /// Adds an occurrence for each trigger with such an event.
  /// - Returns: whether there is one.
  @discardableResult
  private func addOccurrences(at time: UInt64, _ devices: [Int], _ happens: (HomeEvent) -> Bool) -> Bool {
    var isAny = false
    for (index, trigger) in population.triggers.enumerated() {
      guard let events = trigger.kind.eventTrigger?.events, events.contains(where: happens) else { continue }
      isAny = true
      occurrences.append(
        Occurrence(
          trigger: index, due: nil, time: time, wall: wall(time), devices: devices, isPossible: canExecute(trigger)))
    }
    return isAny
  }

  func moved(_ user: HomeObjectID, from before: HubSpot, to after: HubSpot, at time: UInt64) {
    let wereAtHome = moves.last!.atHome
    var areAtHome = wereAtHome
    if after.isHome { areAtHome.insert(user) } else { areAtHome.remove(user) }
    note("user \(population.users.firstIndex(of: user)!) moves: \(after), \(areAtHome.count) are at home")
    moves.append((time, areAtHome))
    addOccurrences(at: time, []) { $0.happens(user, wereAtHome, areAtHome, population.users) }
    let isRegion = addOccurrences(at: time, []) { event in
      guard case .location(let region, let onEntry, let onExit) = event, user == population.users[0] else {
        return false
      }
      return before.isIn(region) != after.isIn(region) && (after.isIn(region) ? onEntry : onExit)
    }
    if isRegion { coverage.add(.regions) }
  }

  /// A person fires a trigger by hand.
  func fired(_ index: Int, at time: UInt64) {
    note("trigger \(index) is fired by hand")
    coverage.add(.byHand)
    occurrences.append(
      Occurrence(
        trigger: index, due: nil, time: time, wall: wall(time), isPossible: canExecute(population.triggers[index])))
  }

  /// The hub reads its clock: planned occurrences until then are due.
  func hubSees(_ wall: Instant, _ model: HomeModel) {
    guard let seen else { return self.seen = wall }
    guard wall > seen else { return }
    self.seen = wall
    for (index, trigger) in population.triggers.enumerated() where canExecute(trigger) {
      var dues: Set<Instant> = []
      for next in trigger.kind.plannedTimes(at: HubPopulation.place, in: population.zone) {
        var due = next(seen)
        while let found = due, found <= wall {
          dues.insert(found)
          due = next(found)
        }
      }
      for due in dues.sorted() {
        occurrences.append(Occurrence(trigger: index, due: due, time: agenda.now, wall: wall, isPossible: true))
      }
    }
  }

  /// Whether the trigger is enabled: it executes more than once, or has no record of an execution.
  private func canExecute(_ trigger: HubPopulation.PlannedTrigger) -> Bool {
    !(trigger.kind.eventTrigger?.executesOnce ?? false) || !done.contains(trigger.id)
  }

  // MARK: The hub

  /// The hub has read its store.
  func loaded(_ loaded: [TriggerState], _ model: HomeModel) {
    for state in loaded { states[state.trigger] = state }
    for trigger in model.homes[0].triggers {
      let found = trigger.lastFire.flatMap { fires[trigger.id]?.lastIndex(of: $0) }.map { $0 + 1 } ?? 0
      if found < sentRecords[trigger.id] ?? 0 {
        report(
          .recordedFirst,
          "\(name(trigger.id)): \(sentRecords[trigger.id] ?? 0) executions were sent, \(found) are stored")
      }
    }
    for state in loaded { stored(state) }
    done = Set(model.homes[0].triggers.filter { !$0.isEnabled }.map(\.id))
  }

  /// The hub begins to store a state.
  func recording(_ state: TriggerState, _ changes: [HomeChange], at time: UInt64) {
    for change in changes {
      // An earlier time takes back an execution that could not be recorded.
      if case .triggerFired(let id, at: let fire?) = change.detail, fire == wall(time) {
        fires[id, default: []].append(fire)
        done.insert(id)
      }
    }
    let known = starts[state.trigger] ?? []
    for started in state.started where !known.contains(started) {
      records.append(Recorded(trigger: state.trigger, started: started, process: process))
    }
    starts[state.trigger] = Set(state.started)
  }

  /// A state is on the disk.
  func recorded(_ state: TriggerState) {
    states[state.trigger] = state
    stored(state)
  }

  /// An occurrence whose first record was lost in a crash has several records: the last one is on the disk.
  private func stored(_ state: TriggerState) {
    for started in state.started {
      if let index = records.lastIndex(where: { $0.trigger == state.trigger && $0.started == started }) {
        records[index].isDurable = true
      }
    }
  }

  func explained(_ evaluation: Evaluation, at time: UInt64) {
    note("\(name(evaluation.trigger)) \(evaluation.number): \(evaluation.cause): \(evaluation.outcome)")
    evaluations.append((time, evaluation))
    func resolve(_ matches: (Recorded) -> Bool) {
      if let index = records.lastIndex(where: { $0.trigger == evaluation.trigger && matches($0) }) {
        records[index].isResolved = true
      }
    }
    switch evaluation.outcome {
    case .executing, .ending:
      if let index = records.lastIndex(where: { $0.trigger == evaluation.trigger }), records[index].number == nil {
        records[index].number = evaluation.number
      }
    case .notRecorded:
      if evaluation.isLast { done.remove(evaluation.trigger) }
      resolve { $0.process == process && $0.number == evaluation.number }
    case .executed, .ended:
      resolve { $0.process == process && $0.number == evaluation.number }
    case .notConfirmed(let started): resolve { $0.started == started && $0.process < process }
    default: break
    }
  }

  private var lastNumber = 0

  func newOrigin(_ trigger: HomeObjectID, isEnd: Bool, _ occurrence: Instant) -> HubWrite.Origin {
    lastNumber += 1
    return HubWrite.Origin(
      trigger: trigger, isEnd: isEnd, number: lastNumber, occurrence: occurrence, records: fires[trigger]?.count ?? 0)
  }

  // MARK: Writes

  func sent(_ write: HubWrite, at time: UInt64) {
    let origin = write.origin
    note(
      "\(name(origin.trigger)): write \(write.action.value), \(origin.isEnd ? "end" : "start") of \(origin.occurrence)")
    agenda.trace.note("hub.write", UInt64(origin.number), time)
    let isRecorded = records.contains {
      $0.isDurable && $0.trigger == origin.trigger && $0.started.time == origin.occurrence
        && $0.started.isEnd == origin.isEnd
    }
    if !isRecorded {
      report(.recordedFirst, "\(name(origin.trigger)): the occurrence \(origin.occurrence) is not recorded")
    }
    if !origin.isEnd { sentRecords[origin.trigger] = max(origin.records, sentRecords[origin.trigger] ?? 0) }
    if executions.last?.origin.number != origin.number {
      executions.append(Execution(origin: origin, trigger: indices[origin.trigger]!, start: time))
    }
    executions[executions.count - 1].writes.append(write.action)
  }

  func applied(_ write: HubWrite, at time: UInt64) {
    let id = write.action.characteristic
    let before = changes[id]!.last!.value
    changes[id]!.append((time, write.action.value))
    // The hub sends itself no event, and a trigger can activate another one.
    let isEvent = addOccurrences(at: time, [population.devices[id]!]) {
      $0.happens(id, before, write.action.value, isButton: false)
    }
    if isEvent { coverage.add(.lampEvents) }
    if let index = executions.lastIndex(where: { $0.origin.number == write.origin.number }) {
      executions[index].applied.append(time)
    }
  }
}
