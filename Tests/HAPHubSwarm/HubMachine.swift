import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPStore
import HAPWorld

/// The host of the hub, with its disk and its clock. Confined to the thread that runs the seed.
final class HubMachine: @unchecked Sendable {  // see above
  let host: SimulatedHost
  let disk: SimulatedDisk
  let board: HubBoard
  let ledger: HubLedger
  let mutation: HubMutation?
  var random: WorldRandom
  /// The times until a restart in nanoseconds: occurrences are late, missed, or many of them are.
  private static let restarts: [ClosedRange<UInt64>] = [
    100_000_000...3_000_000_000, 1_000_000_000...90_000_000_000, 60_000_000_000...7_200_000_000_000,
  ]
  private let agenda: Agenda
  private let fresh: HomeModel
  let zone: HubZone
  private(set) var process: SimulatedProcess?
  private(set) var shell: HubShell?
  /// The next crash at a step.
  private var plan: (step: HubStep, losesPower: Bool)?
  /// Called after the hub has started.
  var onStart: (() -> Void)?

  init(
    _ world: SimulatedWorld, _ population: HubPopulation, _ board: HubBoard, _ ledger: HubLedger,
    _ mutation: HubMutation?
  ) {
    (self.board, self.ledger, self.mutation) = (board, ledger, mutation)
    (agenda, fresh, zone) = (world.agenda, population.model, population.zone)
    random = WorldRandom(seed: world.seed).fork("hub")
    host = world.network.addHost("hub")
    host.clockOffset = population.clockOffset
    let box = Box()
    var options = SimulatedDisk.Options(seed: world.seed)
    options.onCrash = { box.machine?.diskCrashed(losingPower: $0) }
    disk = SimulatedDisk(options)
    box.machine = self
    disk.ignoresSync = mutation == .diskIgnoresSync
    board.onEvent = { [unowned self] id, value in shell?.event(id, value) }
  }

  /// A weak reference from the disk to its machine.
  private final class Box: @unchecked Sendable { weak var machine: HubMachine? }

  var now: UInt64 { agenda.now }
  /// The time of the host's clock.
  var wall: Instant { Instant(nanoseconds: 0).advanced(by: host.wallClock) }
  var isUp: Bool { process?.isAlive == true && shell != nil }

  // MARK: Lifecycle

  /// Starts the hub; repeatedly, while the disk refuses.
  func start() {
    guard !isUp else { return }
    shell = nil
    if disk.isDown { disk.start() }
    host.start()
    guard let process = host.startProcess("hub") else { return }
    self.process = process
    do throws(StoreError) {
      let shell = try HubShell(self, process, fresh)
      self.shell = shell
      ledger.hubStarted(at: now)
      shell.start()
      if isUp { onStart?() }
    } catch {
      if !disk.isDown, !ledger.hasDiskFault { ledger.report(.storeOpens, "the hub does not start: \(error)") }
      process.kill()
      disk.kill()
      agenda.schedule(after: 5_000_000_000) { [self] in start() }
    }
  }

  func die(losingPower: Bool) {
    guard isUp else { return }
    if losingPower {
      host.powerOff()
      disk.losePower()
    } else {
      process?.kill()
      disk.kill()
    }
    died(losingPower: losingPower)
  }

  /// The disk has crashed in the middle of a transaction, or of a start.
  private func diskCrashed(losingPower: Bool) {
    if losingPower { host.powerOff() } else { process?.kill() }
    if shell != nil { died(losingPower: losingPower) }
  }

  private func died(losingPower: Bool) {
    plan = nil
    ledger.hubDied(at: now, losingPower: losingPower)
    agenda.schedule(after: random.nanoseconds(Self.restarts[Int(random.upTo(2))])) { [self] in
      guard !isUp else { return }
      shell = nil
      if mutation == .fileDamaged, let bytes = disk.contents(of: "/hub/home.db") {
        disk.start()
        disk.place([UInt8](repeating: 0xFF, count: min(100, bytes.count)) + bytes.dropFirst(100), at: "/hub/home.db")
      }
      if random.chance(0.1) { loseClock() }
      start()
    }
  }

  /// The clock has no battery: it starts in 1970, and is set within a minute.
  private func loseClock() {
    let offset = host.clockOffset
    ledger.coverage.add(.lostClocks)
    setClock(by: .zero - host.wallClock)
    agenda.schedule(after: random.nanoseconds(1_000_000...50_000_000_000)) { [self] in
      setClock(by: offset - host.clockOffset)
    }
  }

  // MARK: Crashes at a step

  /// Plans a crash before the next step of a kind.
  func planCrash(before step: HubStep, losingPower: Bool) { plan = (step, losingPower) }

  /// Crashes now, if that is planned.
  func crashes(before step: HubStep) -> Bool {
    guard let plan, plan.step == step, isUp else { return false }
    self.plan = nil
    ledger.coverage.add("crash before \(step.rawValue)")
    ledger.note("crash before \(step.rawValue)")
    die(losingPower: plan.losesPower)
    return true
  }

  func cancelPlan() { plan = nil }

  // MARK: The clock

  func setClock(by step: Duration) {
    host.clockOffset += step
    ledger.clockChanged(to: host.clockOffset, at: now)
    shell?.feed { _ in [] }
  }

  /// Returns what the hub makes of a value: under a mutation, the wrong one.
  func seen(_ value: Value) -> Value {
    if mutation == .conditionsInverted, case .bool(let flag) = value { return .bool(!flag) }
    return value
  }

  /// Ends the process without a restart.
  func end() {
    process?.kill()
    disk.kill()
    shell = nil
  }
}

extension WorldRandom {
  mutating func nanoseconds(_ range: ClosedRange<UInt64>) -> UInt64 {
    range.lowerBound + upTo(range.upperBound - range.lowerBound)
  }
}
