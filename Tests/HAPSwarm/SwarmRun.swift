import HAPLoop
import HAPModel
import HAPTransport
import HAPWorld

/// The outcome of one seed.
package struct SwarmOutcome: Sendable {
  package let seed: UInt64
  package let coverage: SwarmCoverage
  package let violations: [SwarmViolation]
  /// The hash of all events, which is equal for two runs of one seed.
  package let traceHash: UInt64
  /// The virtual time of the run.
  package let duration: Duration
}

/// The run of one seed: a random population in a separate world, with random operations and faults. Confined to the
/// thread that runs it.
package final class SwarmRun: @unchecked Sendable {  // see above
  /// The maximum time to an answer while there is no fault, in nanoseconds.
  static let longestWait: UInt64 = 2_000_000_000
  static let longestEventWait: Duration = .seconds(5)
  /// The maximum duration of an operation. It consists of several requests, each with a limit of 15 s.
  private static let longestOperation: Duration = .seconds(300)
  private static let mostViolations = 20

  package let seed: UInt64
  package let world: SimulatedWorld
  package let link: SimulatedLink
  package let mutation: SwarmMutation?
  package var random: WorldRandom
  package private(set) var accessories: [AccessoryMachine] = []
  private(set) var controllers: [ControllerMachine] = []
  /// `nil`: the accessories are served over HAP only.
  let second: (any SecondProtocol)?
  var faultLog = FaultLog()
  package var coverage: SwarmCoverage
  private(set) var violations: [SwarmViolation] = []
  private var expectations: [Expectation] = []
  /// The loop of a process without faults.
  private(set) var clock: EventLoop!
  /// Whether no more operations and faults are started.
  private(set) var isEnding = false
  /// Receives lines about events.
  private let log: ((String) -> Void)?

  /// - Parameters:
  ///   - mutation: a deliberate error.
  ///   - second: another protocol with which the accessories are served.
  ///   - log: receives a line for each event.
  package init(
    seed: UInt64, mutation: SwarmMutation? = nil, second: (any SecondProtocol)? = nil, log: ((String) -> Void)? = nil
  ) {
    self.seed = seed
    self.mutation = mutation
    self.second = second
    self.log = log
    coverage = SwarmCoverage(of: second == nil ? .accessories : .nodes)
    world = SimulatedWorld(seed: seed)
    link = world.network.addLink("lan")
    random = WorldRandom(seed: seed).fork("swarm")
  }

  /// Runs the seed.
  package func run() throws -> SwarmOutcome {
    try populate()
    try world.run { [self] in
      await operate()
      await settle()
    }
    let outcome = SwarmOutcome(
      seed: seed, coverage: coverage, violations: violations, traceHash: world.trace.hash, duration: world.now)
    for accessory in accessories { accessory.kill() }
    for controller in controllers { controller.end(losingPower: false) }
    second?.end()
    world.end()
    // These are cleared, because each of them refers to the run.
    accessories = []
    controllers = []
    expectations = []
    if world.foreignJobCount > 0 { report(.answersAreSound, "\(world.foreignJobCount) jobs came from other threads") }
    return outcome
  }

  package var population: SwarmPopulation { second == nil ? .accessories : .nodes }

  /// The controllers of all protocols, in the order of their numbers.
  package var everyone: [any SwarmController] { controllers + (second?.controllers ?? []) }

  private func populate() throws {
    let person = world.network.addHost("person")
    guard let process = person.startProcess("person") else { preconditionFailure("a new host is on") }
    clock = world.makeLoop("person", of: process)
    for number in 0...Int(random.upTo(2)) {
      let names = mutation?.profile.map { [$0] } ?? SwarmProfile.names(of: population)
      let profile = try SwarmProfile(names[Int(random.upTo(UInt64(names.count - 1)))])
      accessories.append(AccessoryMachine(number, in: self, profile))
      note("accessory \(number) has the profile \(profile.name)")
    }
    let most = second == nil ? 1 + random.upTo(2) : random.upTo(1)
    for number in 0...Int(most) { controllers.append(ControllerMachine(number, in: self)) }
    second?.populate(self)
  }

  /// Performs random operations until there were enough operations and faults.
  private func operate() async {
    for accessory in accessories { accessory.start() }
    for controller in everyone { controller.start() }
    let users = everyone.map { controller in
      Task(executorPreference: world) { [self] in while !isEnding { await controller.step() } }
    }
    await causeFaults()
    isEnding = true
    for user in users { await user.value }
  }

  /// Whether there were enough operations and faults, or an hour has passed.
  var isEnough: Bool {
    (coverage.operations >= 200 && coverage.faultCount >= 3) || world.now > .seconds(3600)
  }

  // MARK: Time

  /// Nanoseconds since the start of the world.
  package var now: UInt64 { world.agenda.now }

  package func sleep(_ duration: Duration) async { try? await clock.sleep(for: duration) }

  // MARK: Reports

  package func report(_ invariant: SwarmInvariant, _ text: String) {
    note("VIOLATION of \(invariant.rawValue): \(text)")
    if violations.count < Self.mostViolations { violations.append(SwarmViolation(invariant: invariant, text: text)) }
  }

  package func note(_ text: @autoclosure () -> String) { log?("\(world.now) \(text())") }

  /// Returns the active faults of an accessory.
  package func faults(of accessory: AccessoryMachine) -> Set<SwarmFault> {
    faultLog.active(accessory.number, nil, from: now, to: now)
  }

  /// Returns the faults between an accessory and a controller since a time.
  package func faults(
    between accessory: AccessoryMachine, and controller: any SwarmController, since start: UInt64
  ) -> Set<SwarmFault> {
    faultLog.active(accessory.number, controller.number, from: start, to: now)
  }

  // MARK: Operations

  /// Runs an operation and counts it.
  /// - Returns: `nil` if the operation did not end in time.
  @discardableResult
  package func perform<T: Sendable>(
    _ operation: SwarmOperation, _ accessory: AccessoryMachine, _ controller: any SwarmController,
    _ body: @escaping @Sendable () async -> T
  ) async -> T? {
    let start = now
    note("controller \(controller.number): \(operation.rawValue) at accessory \(accessory.number)")
    let result = await limited(body)
    if result == nil {
      report(
        .requestsAreAnswered,
        "controller \(controller.number): \(operation.rawValue) at accessory \(accessory.number) never ends")
    }
    count(operation, accessory, controller, since: start)
    return result
  }

  /// Counts an operation without duration.
  package func note(_ operation: SwarmOperation, _ accessory: AccessoryMachine, _ controller: any SwarmController) {
    note("controller \(controller.number): \(operation.rawValue) at accessory \(accessory.number)")
    count(operation, accessory, controller, since: now)
  }

  private func count(
    _ operation: SwarmOperation, _ accessory: AccessoryMachine, _ controller: any SwarmController, since start: UInt64
  ) {
    world.trace.note("swarm.operation", UInt64(SwarmOperation.allCases.firstIndex(of: operation)!), start)
    coverage.add(operation, during: faultLog.active(accessory.number, controller.number, from: start, to: now))
  }

  private func limited<T: Sendable>(_ body: @escaping @Sendable () async -> T) async -> T? {
    let gate = Gate<T>()
    let alarm = world.agenda.schedule(after: UInt64(Self.longestOperation.components.seconds) * 1_000_000_000) {
      gate.open(nil)
    }
    Task(executorPreference: world) { gate.open(await body()) }
    let result = await withCheckedContinuation { gate.wait($0) }
    world.agenda.cancel(alarm)
    return result
  }

  /// Runs `body` on a loop, and waits for its result or the end of the loop.
  package func result<T: Sendable>(
    on loop: EventLoop, _ body: @escaping @Sendable (_ done: @escaping @Sendable (T) -> Void) -> Void
  ) async -> T? {
    let gate = Gate<T>()
    loop.whenEnded { gate.open(nil) }
    loop.schedule { body { gate.open($0) } }
    return await withCheckedContinuation { gate.wait($0) }
  }

  /// Returns a random value of this writer that was never written.
  package func unusedValue(
    of watched: Watched, at accessory: AccessoryMachine, for writer: Int, _ random: inout WorldRandom
  ) -> Int? {
    let writers = everyone.count + 1
    let used = Set(accessory.ledger.registers[watched.id]!.history.writes.map(\.index))
    for _ in 0..<20 {
      let index = Int(random.upTo(UInt64(watched.count / writers - 1))) * writers + writer
      if index < watched.count, !used.contains(index) { return index }
    }
    return nil
  }

  // MARK: Events

  private struct Expectation {
    let connection: SwarmConnection
    let id: AttributeID
    let index: Int
    let since: UInt64
    let deadline: UInt64
  }

  /// Expects an event on each other subscribed connection after a write.
  /// - Parameter writer: the writing connection; `nil` for a person at the accessory.
  func expectEvents(
    of id: AttributeID, _ index: Int, since start: UInt64, from writer: SwarmConnection?, at accessory: AccessoryMachine
  ) {
    let limit = UInt64(Self.longestEventWait.components.seconds) * 1_000_000_000
    for controller in controllers {
      guard let connection = controller.connections[accessory.number], connection !== writer, connection.isUsable,
        connection.start == accessory.starts, let since = connection.subscriptions[id], since < start
      else { continue }
      expectations.append(
        Expectation(connection: connection, id: id, index: index, since: start, deadline: now + limit))
    }
  }

  /// Expects an event on each subscribed connection after a write by another protocol.
  package func expectEvents(of id: AttributeID, _ index: Int, since start: UInt64, at accessory: AccessoryMachine) {
    expectEvents(of: id, index, since: start, from: nil, at: accessory)
  }

  /// Checks the expected events whose time limit is over.
  func checkEvents() {
    second?.check()
    let due = expectations.filter { $0.deadline <= now }
    expectations.removeAll { $0.deadline <= now }
    for expected in due {
      let (connection, id) = (expected.connection, expected.id)
      guard connection.isUsable, connection.start == connection.accessory.starts,
        let since = connection.subscriptions[id], since < expected.since,
        connection.lastWrites[id] ?? 0 < expected.since,
        faultLog.active(
          connection.accessory.number, connection.controller.number, from: expected.since, to: expected.deadline
        ).isEmpty
      else { continue }
      if connection.lastEvents[id] ?? 0 < expected.since {
        report(.noEventLost, "\(connection): no event of \(id) after a write of \(expected.index)")
      }
    }
  }
}

/// A value that is set once, and for which one task can wait.
private final class Gate<T: Sendable>: @unchecked Sendable {  // confined to the world's thread
  private var result: T??
  private var waiting: CheckedContinuation<T?, Never>?

  func open(_ value: T?) {
    guard result == nil else { return }
    result = .some(value)
    waiting?.resume(returning: value)
    waiting = nil
  }

  func wait(_ continuation: CheckedContinuation<T?, Never>) {
    if let result { continuation.resume(returning: result) } else { waiting = continuation }
  }
}

extension WorldRandom {
  package mutating func duration(_ from: Duration, _ to: Duration) -> Duration {
    let range = (to - from) / .nanoseconds(1)
    return from + .nanoseconds(Int64(upTo(UInt64(max(range, 0)))))
  }
}
