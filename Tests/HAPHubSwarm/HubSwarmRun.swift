import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWorld

/// The run of one seed: a random home whose hub crashes, loses its disk, its clock and its devices at random times.
/// Confined to the thread that runs it.
package final class HubSwarmRun {
  /// The time with faults. Afterwards, effects end and the last occurrences are executed.
  private static let length: UInt64 = 24 * 3600 * 1_000_000_000
  private static let ending: UInt64 = 3600 * 1_000_000_000
  private static let mostSetBack = Duration.seconds(40 * 3600)

  package let seed: UInt64
  private let world: SimulatedWorld
  private let agenda: Agenda
  private let population: HubPopulation
  private let ledger: HubLedger
  private let board: HubBoard
  private let machine: HubMachine
  private var random: WorldRandom
  private var spots: [HomeObjectID: HubSpot] = [:]
  /// The users in the order of their last moves.
  private var lastMoves: [HomeObjectID] = []
  private var lastStart: UInt64 = 0
  private var setBack = Duration.zero
  private var isEnding: Bool { agenda.now >= Self.length }

  /// - Parameters:
  ///   - mutation: a deliberate error.
  ///   - log: receives a line for each event.
  package init(seed: UInt64, mutation: HubMutation? = nil, log: ((String) -> Void)? = nil) {
    self.seed = seed
    world = SimulatedWorld(seed: seed)
    agenda = world.agenda
    random = WorldRandom(seed: seed).fork("hub swarm")
    population = HubPopulation(random.fork("population"))
    ledger = HubLedger(population, agenda, log: log)
    board = HubBoard(population, agenda, random.fork("board"), ledger)
    machine = HubMachine(world, population, board, ledger, mutation)
  }

  /// Runs the seed.
  package func run() -> HubOutcome {
    ledger.note("zone \(population.zone.name)")
    for (index, trigger) in population.triggers.enumerated() { ledger.note("trigger \(index): \(trigger.kind)") }
    machine.onStart = { [unowned self] in hubStarted() }
    machine.start()
    agenda.schedule(after: 30_000_000_000) { [self] in act() }
    agenda.schedule(after: 60_000_000_000) { [self] in causeFault() }
    agenda.run(until: Self.length)
    settle()
    agenda.run(until: Self.length + Self.ending)
    ledger.check()
    let outcome = HubOutcome(
      seed: seed, coverage: ledger.coverage, violations: ledger.violations, traceHash: world.trace.hash,
      duration: world.now)
    machine.end()
    machine.onStart = nil
    world.end()
    return outcome
  }

  /// Ends all faults.
  private func settle() {
    machine.cancelPlan()
    machine.disk.clearFaults()
    for device in 0..<HubPopulation.deviceCount where !board.isReachable[device] { find(device) }
    machine.start()
  }

  private func later(_ range: ClosedRange<UInt64>, _ action: @escaping () -> Void) {
    agenda.schedule(after: random.nanoseconds(range), action)
  }

  // MARK: Surroundings

  /// A person moves, fires a trigger by hand, or changes a sensor.
  private func act() {
    if isEnding { return }
    switch random.upTo(15) {
    case 0...3: move()
    case 4: fire()
    default: changeSensor()
    }
    let wait: ClosedRange<UInt64> =
      random.chance(0.2) ? 1_000_000...3_000_000_000 : 10_000_000_000...900_000_000_000
    later(wait) { [self] in act() }
  }

  private func changeSensor() {
    let sensor = population.sensors[Int(random.upTo(UInt64(population.sensors.count - 1)))]
    let value: Value =
      switch sensor.kind {
      case .flag: .bool(random.chance(0.5))
      case .level: .integer(Int128(random.upTo(100)))
      case .button: .integer(Int128(random.upTo(1)))
      }
    if sensor.kind == .button || board.values[sensor.id] != value { board.change(sensor, to: value) }
  }

  private func fire() {
    guard machine.isUp else { return }
    let number = Int(random.upTo(UInt64(population.triggers.count - 1)))
    ledger.fired(number, at: agenda.now)
    machine.shell?.fire(population.triggers[number].id)
  }

  /// A person moves. The hub has to know the last move before.
  private func move() {
    guard machine.isUp, lastStart + 5_000_000_000 < agenda.now else { return }
    let user = population.users[Int(random.upTo(UInt64(population.users.count - 1)))]
    let before = spots[user] ?? .away
    let others = HubSpot.allCases.filter { $0 != before }
    let spot = others[Int(random.upTo(UInt64(others.count - 1)))]
    spots[user] = spot
    lastMoves.removeAll { $0 == user }
    lastMoves.append(user)
    ledger.moved(user, from: before, to: spot, at: agenda.now)
    machine.shell?.person(user, spot)
  }

  /// The phones report where they are.
  private func hubStarted() {
    lastStart = agenda.now
    later(100_000_000...2_000_000_000) { [self] in
      for user in lastMoves { machine.shell?.person(user, spots[user]!) }
    }
  }

  // MARK: Faults

  private func causeFault() {
    if isEnding { return }
    let fault = HubFault.allCases[Int(random.upTo(UInt64(HubFault.allCases.count - 1)))]
    if canCause(fault) {
      ledger.coverage.add("fault \(fault.rawValue)")
      ledger.note("fault \(fault.rawValue)")
      cause(fault)
    }
    let wait: ClosedRange<UInt64> =
      random.chance(0.3) ? 1_000_000...5_000_000_000 : 60_000_000_000...2_400_000_000_000
    later(wait) { [self] in causeFault() }
  }

  private func canCause(_ fault: HubFault) -> Bool {
    switch fault {
    case .kill, .powerLoss, .killAtStep, .powerLossAtStep, .crashInCommit, .clockAhead: machine.isUp
    case .diskFull, .failingSync: machine.isUp && !ledger.hasDiskFault
    case .clockBack: machine.isUp && setBack < Self.mostSetBack
    case .deviceLost: board.isReachable.contains(true)
    }
  }

  private func cause(_ fault: HubFault) {
    switch fault {
    case .kill: machine.die(losingPower: false)
    case .powerLoss: machine.die(losingPower: true)
    case .killAtStep, .powerLossAtStep:
      let step = HubStep.allCases[Int(random.upTo(UInt64(HubStep.allCases.count - 1)))]
      machine.planCrash(before: step, losingPower: fault == .powerLossAtStep)
    case .crashInCommit:
      machine.disk.crash(after: Int(random.upTo(20)), losingPower: random.chance(0.5))
    case .diskFull, .failingSync: failDisk(fault)
    case .clockAhead: machine.setClock(by: .seconds(Int(random.chance(0.5) ? random.upTo(90) : random.upTo(7200))))
    case .clockBack:
      let step = Duration.seconds(Int(random.chance(0.5) ? random.upTo(600) : random.upTo(7200)))
      setBack += step
      machine.setClock(by: .zero - step)
    case .deviceLost: lose(Int(random.upTo(UInt64(HubPopulation.deviceCount - 1))))
    }
  }

  private func failDisk(_ fault: HubFault) {
    ledger.diskFault(true)
    if fault == .diskFull {
      machine.disk.capacity = machine.disk.used
    } else {
      machine.disk.fail(.sync, after: Int(random.upTo(3)), isLasting: true)
    }
    later(1_000_000_000...900_000_000_000) { [self] in
      machine.disk.capacity = 1 << 30
      machine.disk.clearFaults()
      ledger.diskFault(false)
    }
  }

  private func lose(_ device: Int) {
    guard board.isReachable[device] else { return }
    board.setReachable(device, false)
    ledger.device(device, isDown: true)
    machine.shell?.deviceLost(device)
    later(500_000_000...300_000_000_000) { [self] in find(device) }
  }

  private func find(_ device: Int) {
    guard !board.isReachable[device] else { return }
    board.setReachable(device, true)
    ledger.device(device, isDown: false)
    machine.shell?.deviceFound(device)
  }
}
