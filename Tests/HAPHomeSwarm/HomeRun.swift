import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWorld

/// The run of one seed: a random home with a real hub, in a separate world, with random apps, persons and faults.
/// Confined to the thread that runs it.
package final class HomeRun: @unchecked Sendable {  // see above
  private static let mostViolations = 20
  private static let leastOperations = 60
  private static let leastFaults = 5
  private static let longestFaults = Duration.seconds(1500)

  package let seed: UInt64
  let world: SimulatedWorld
  let lab: HomeLab
  let mutation: HomeMutation?
  var random: WorldRandom
  private(set) var plan: HomePlan!
  let ledger = HomeLedger()
  var coverage = HomeCoverage()
  private(set) var violations: [HomeViolation] = []
  /// The faults that are active, by their subject.
  var active: [String: Set<HomeFault>] = [:]
  /// Whether no more operations and faults are started.
  private(set) var isEnding = false
  /// The device that is added and removed; no trigger and no scene uses it.
  private(set) var guest: LabDevice?
  private(set) var user: HomeObjectID!
  /// The greatest offset of the hub's clock so far.
  var greatestOffset = Duration.zero
  private var backup: [String: [UInt8]] = [:]
  private let log: ((String) -> Void)?

  /// - Parameters:
  ///   - mutation: a deliberate error.
  ///   - log: receives a line for each event.
  package init(seed: UInt64, mutation: HomeMutation? = nil, log: ((String) -> Void)? = nil) {
    self.seed = seed
    self.mutation = mutation
    self.log = log
    world = SimulatedWorld(seed: seed)
    lab = HomeLab(world, log: log)
    random = WorldRandom(seed: seed).fork("homes")
  }

  /// Runs the seed.
  package func run() throws -> HomeOutcome {
    mutate()
    try world.run { [self] in
      guard await populate() else { return }
      await operate()
      await settle()
    }
    let outcome = HomeOutcome(
      seed: seed, coverage: coverage, violations: violations, traceHash: world.trace.hash, duration: world.now)
    lab.end()
    world.end()
    if world.foreignJobCount > 0 { report(.workEnds, "\(world.foreignJobCount) jobs came from other threads") }
    return outcome
  }

  // MARK: Start

  private func populate() async -> Bool {
    let count = 2 + Int(random.upTo(3))
    for number in 0..<count {
      let name = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"][number]
      let isBridge = number > 0 && random.chance(0.35)
      let profile = isBridge ? LabProfile.bridge(name, lamps: 2) : LabProfile.accessory(name, lamps: 4)
      await lab.addDevice(name, profile).start()
    }
    if count > 2 { guest = lab.devices.last }
    for number in 0...Int(random.upTo(2)) { lab.addApp("app \(number)").keepsEvents = { _ in false } }
    await startHub()
    let app = lab.apps[0]
    do {
      guard await app.attach() else { throw LabRefusal(description: "the app is not attached") }
      try await app.setUp(lab.devices)
      let used = lab.devices.filter { $0 !== guest }
      plan = HomePlan(app.home, used, apps: lab.apps.count, wall: lab.hub.wall, &random)
      user = plan.user
      for index in plan.scenes.indices { try await add(sceneAt: index, app) }
      for index in plan.triggers.indices { try await add(triggerAt: index, app) }
    } catch {
      report(.requestsAreAnswered, "the home can't be made: \(error)")
      return false
    }
    for app in lab.apps { if await attach(app) == false { return false } }
    if random.chance(0.6) { await share(app, random.chance(0.5) ? .guest : .administrator) }
    return true
  }

  private func add(sceneAt index: Int, _ app: LabApp) async throws {
    let scene = plan.scenes[index]
    let actions = scene.slots.flatMap {
      [HomeAction($0.on, .bool(true)), HomeAction($0.token, .integer(Int128(scene.value)))]
    }
    try await app.addSet(scene.name, actions)
    guard let set = app.home.actionSet(scene.name) else { throw LabRefusal(description: "no set") }
    plan.scenes[index].id = set.id
    ledger.fix(scene.name, set.id)
  }

  private func add(triggerAt index: Int, _ app: LabApp) async throws {
    let trigger = plan.triggers[index]
    let set = "Set \(trigger.name)"
    try await app.addSet(
      set, trigger.slots.map { HomeAction($0.token, .integer(Int128(trigger.value))) })
    try await app.addTrigger(trigger.name, plan.kind(of: trigger), runs: set)
    guard let made = app.home.trigger(trigger.name) else { throw LabRefusal(description: "no trigger") }
    plan.triggers[index].id = made.id
    ledger.fix(trigger.name, made.id)
    ledger.enabled[made.id, default: 0] += 1
    note("\(trigger.name): \(trigger.cause), test \(String(describing: trigger.test)), once \(trigger.isOnce)")
  }

  // MARK: Time

  var now: Duration { lab.now }
  func sleep(_ duration: Duration) async { await lab.sleep(duration) }

  // MARK: Operations and faults

  private func operate() async {
    var tasks = lab.apps.indices.map { number in
      Task(executorPreference: world) { [self] in
        var random = WorldRandom(seed: seed).fork("app \(number)")
        while !isEnding {
          await sleep(random.duration(.milliseconds(300), .seconds(9)))
          if !isEnding { await act(number, &random) }
        }
      }
    }
    tasks.append(
      Task(executorPreference: world) { [self] in
        var random = WorldRandom(seed: seed).fork("sensors")
        while !isEnding {
          await sleep(random.duration(.seconds(1), .seconds(25)))
          await changeSensor(&random)
        }
      })
    let sampling = Task(executorPreference: world) { [self] in
      while !isEnding {
        await sleep(.seconds(5))
        checkLoad()
        if mutation == .storeRolledBack { keepBackup() }
      }
    }
    await causeFaults()
    isEnding = true
    for task in tasks { await task.value }
    await sampling.value
  }

  var isEnough: Bool {
    coverage.operations >= Self.leastOperations && coverage.faults >= Self.leastFaults && now > .seconds(400)
      || now > Self.longestFaults
  }

  /// Changes the value of a random sensor.
  private func changeSensor(_ random: inout WorldRandom) async {
    let sensors = plan.motion.keys.sorted()
    let number = sensors[Int(random.upTo(UInt64(sensors.count - 1)))]
    coverage.add(.sensor)
    await setMotion(number, random.chance(0.6))
  }

  func setMotion(_ number: Int, _ isDetected: Bool) async {
    if isDetected { ledger.caused(plan.triggers.filter { $0.cause == .motion(number) }, at: now) }
    await lab.devices[number].setMotion(isDetected)
  }

  // MARK: The hub

  /// Starts the hub, repeatedly while its disk has a fault.
  func startHub() async {
    coverage.add(.starts)
    for _ in 0..<60 {
      let why = await lab.hub.start()
      if lab.hub.isUp { return }
      note("the hub does not start: \(why ?? "")")
      if active["hub", default: []].isDisjoint(with: [.hubDiskFull, .hubFailingSync, .hubCrashInWrite]) {
        report(.storeOpens, "the hub does not start: \(why ?? "no reason")")
      }
      await sleep(.seconds(1))
    }
  }

  /// Changes the files of the hub after a crash, for mutations.
  func damageStore() {
    let disk = lab.hub.disk
    switch mutation {
    case .storeRolledBack:
      disk.start()
      for path in disk.paths(in: LabHub.folder) where path.contains("home.db") { try? disk.remove(path) }
      for (path, bytes) in backup.sorted(by: { $0.key < $1.key }) { disk.place(bytes, at: path) }
    case .identityChanged:
      disk.start()
      changeIdentity()
    case .fileDamaged:
      disk.start()
      // With its log, SQLite repairs the first pages.
      for path in disk.paths(in: LabHub.folder) where path.contains("home.db") { try? disk.remove(path) }
      disk.place(Array(repeating: 0x5A, count: 8192), at: LabHub.folder + "/home.db")
    default: break
    }
  }

  private func keepBackup() {
    // Before the times of timers, which are executed again if they are at most a minute ago.
    guard lab.hub.isUp, !lab.hub.disk.isDown, lab.hub.wall.seconds % 60 >= 50 || backup.isEmpty else { return }
    backup = [:]
    for path in lab.hub.disk.paths(in: LabHub.folder) where path.contains("home.db") {
      backup[path] = lab.hub.disk.contents(of: path)
    }
  }

  // MARK: Reports

  func report(_ invariant: HomeInvariant, _ text: String) {
    note("VIOLATION of \(invariant.rawValue): \(text)")
    if violations.count < Self.mostViolations { violations.append(HomeViolation(invariant: invariant, text: text)) }
  }

  func note(_ text: @autoclosure () -> String) { log?("\(now) \(text())") }
}

extension WorldRandom {
  mutating func duration(_ from: Duration, _ to: Duration) -> Duration {
    from + .nanoseconds(Int64(upTo(UInt64(max((to - from) / .nanoseconds(1), 0)))))
  }

  mutating func pick<T>(_ list: [T]) -> T { list[Int(upTo(UInt64(list.count - 1)))] }
}
