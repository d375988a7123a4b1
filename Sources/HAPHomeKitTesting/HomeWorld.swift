import Foundation
import HAPAlmanac
import HAPHome
import HAPHomeKit
import HAPHub
import HAPHubLink
import HAPLoop
import HAPSimulator
import HAPSimulatorCore
import HAPWorld

/// A simulated world for the test of an app with HomeKit: accessories, a network, a home hub, and virtual time.
///
/// ```swift
/// @Test func theLampIsSwitchedOn() async throws {
///   let world = try await HomeWorld.start(home: "My Home", accessories: [.init("Lamp", .new("light-bulb"))])
///   defer { world.end() }
///   let manager = try await world.makeManager()
///   let lamp = try #require(manager.homes.first?.accessories.first)
///   …
///   try await world.accessory("Lamp").written("On", true)
/// }
/// ```
///
/// The clock stands while the test computes. It moves while a request of the app is open, and in ``advance(by:)``. So an
/// hour takes no real time, and two runs with one seed do the same. `Timer` and `DispatchQueue.asyncAfter` of the app
/// wait in real time.
public final class HomeWorld: Sendable {
  /// The seed that determines everything. `HAPSIM_SEED` in the environment sets it, to repeat a failure.
  public let seed: UInt64
  let thread: WorldThread
  let world: World
  let machine: HubMachine
  let zones: SystemZones
  let zone: ZoneName
  /// The link of the test itself.
  private let control = Guarded<(any HomeLink)?>(nil)
  let devices = Guarded<[String: HomeWorldAccessory]>([:])
  /// The place of `makeCurrent`.
  private let current = Guarded<WorldPlace?>(nil)
  private let place: String

  /// The settings of a world.
  public struct Options: Sendable {
    /// Determines everything in the world. `HAPSIM_SEED` in the environment replaces it.
    public var seed: UInt64 = 1
    /// The civil time at the start.
    public var date: Date?
    /// The time zone of the hub, and of homes that an app adds, such as "Europe/Berlin".
    public var timeZone = "UTC"
    /// The latitude and the longitude of the home in degrees, for sunrise and sunset; nil: none.
    public var location: (latitude: Double, longitude: Double)?

    /// Creates settings: seed 1, 2026-01-01 in UTC.
    public init() {}
  }

  private init(
    _ thread: WorldThread, _ world: World, _ machine: HubMachine, _ zones: SystemZones, _ zone: ZoneName,
    at place: String
  ) {
    (self.thread, self.world, self.machine) = (thread, world, machine)
    (self.zones, self.zone, self.place) = (zones, zone, place)
    seed = world.seed
  }

  /// Starts a world with a hub, one home, and accessories.
  /// - Parameters:
  ///   - home: the name of the home; nil: no home. Then the accessories are only on the network.
  ///   - document: the path of a `.hashome` file, which the home is made to match. Its accessories are found by name.
  ///   - accessories: served by simulators, and added to the home.
  ///   - options: the seed, the time and the place.
  ///   - file: appears in messages.
  ///   - line: appears in messages.
  /// - Throws: ``HomeWorldError`` with the object that is wrong.
  public static func start(
    home: String? = "My Home", document: String? = nil, accessories: [Device] = [], options: Options = Options(),
    file: String = #fileID, line: Int = #line
  ) async throws -> HomeWorld {
    AppPlaces.replaceSystem(by: NoPlace.shared)
    let place = "\(file):\(line)"
    let given: UInt64?
    do throws(SimulationFailure) { given = try SeedVariable.read() } catch {
      throw HomeWorldError(error.message, seed: options.seed, at: place)
    }
    let zones = SystemZones(folder: nil) { path, limit in
      FileManager.default.contents(atPath: path).flatMap { $0.count <= limit ? Array($0) : nil }
    }
    guard let zone = ZoneName(options.timeZone), zones.rules(of: zone) != nil else {
      throw HomeWorldError("the machine has no time zone \"\(options.timeZone)\"", seed: options.seed, at: place)
    }
    let thread = WorldThread(seed: given ?? options.seed)
    let (world, machine) = try await thread.run {
      let world = World(thread.world)
      let machine = HubMachine(in: world, thread.world, zones: zones)
      if let date = options.date { machine.setClock(to: Instant(date)) }
      return (world, machine)
    }
    let made = HomeWorld(thread, world, machine, zones, zone, at: place)
    thread.whenTakenApart { [devices = made.devices] in
      machine.forget()
      world.forgetHosts()
      devices.withLock { $0 = [:] }
    }
    do {
      try await made.begin(home, document, accessories, options)
      return made
    } catch {
      made.end()
      throw made.explained(error, at: place)
    }
  }

  /// Ends the world. Managers that are still used get errors. May be called repeatedly.
  public func end() {
    if let place = current.withLock({ $0 }) { AppPlaces.withdraw(place) }
    control.withLock { $0 = nil }
    thread.end()
  }

  private func begin(
    _ home: String?, _ document: String?, _ accessories: [Device], _ options: Options
  ) async throws {
    try await startHub()
    var id: HomeObjectID?
    if home == nil, document != nil { throw InputProblem("a document needs a home: pass home:") }
    if let home {
      let coordinate = options.location.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
      if let location = options.location, coordinate == nil {
        throw InputProblem(
          "\(location.latitude), \(location.longitude) is no place: use -90...90 and -180...180 degrees")
      }
      let changes = try await perform(.addHome(name: home, zone: zone, location: coordinate, owner: "Owner"))
      id = changes.first?.home
    }
    for device in accessories {
      if devices.withLock({ $0[device.name] }) != nil {
        throw InputProblem("two accessories have the name \"\(device.name)\"")
      }
      let accessory = try await served(device)
      if let id, device.isAdded { try await add(accessory, device, to: id) }
    }
    await untilReachable()
    if let document, let id { try await apply(document, to: id) }
  }

  /// Waits until the hub reports the added accessories as reachable, some 250 ms after their additions, so that the app can
  /// use them at once.
  private func untilReachable() async {
    let limit = now + .seconds(10)
    while now < limit, control.withLock({ $0 })?.replica.snapshot?.unreachable.isEmpty == false {
      await thread.advance(by: .milliseconds(50))
    }
  }

  // MARK: The app

  /// Makes a manager, as another app has it, and waits until its homes are known.
  ///
  /// Code that makes an `HMHomeManager()` itself gets this world by ``makeCurrent()`` or ``perform(_:)``.
  public func makeManager() async throws -> HMHomeManager {
    let manager = HMHomeManager(newPlace())
    await settle()
    return manager
  }

  /// Gives this world to each `HMHomeManager()` and `HMAccessoryBrowser()` that the process makes from now on, until
  /// ``end()``. For tests that do not run in parallel; others use ``perform(_:)``.
  public func makeCurrent() {
    let place = newPlace()
    current.withLock { $0 = place }
    AppPlaces.replace(by: place)
  }

  /// Gives this world to each `HMHomeManager()` and `HMAccessoryBrowser()` that `body` makes.
  public func perform<T>(_ body: () async throws -> T) async rethrows -> T {
    try await AppPlaces.$current.withValue(newPlace(), operation: body)
  }

  private func newPlace() -> WorldPlace { WorldPlace(thread, machine, zone) }

  // MARK: Time

  /// The civil time; after the end of the world, that of its end.
  public var date: Date { Date(machine.now) }

  /// The virtual time since the start of the world.
  public var now: Duration { thread.world.now }

  /// Moves the clock, and runs everything that happens meanwhile, also on the main queue.
  public func advance(by duration: Duration) async {
    await thread.advance(by: duration)
    await thread.settle()
  }

  /// Moves the clock, for a synchronous test that waits with `wait(for:timeout:)`. At the end, the function is called on the
  /// main queue, such as `expectation.fulfill`.
  public func advance(by duration: Duration, then done: @escaping @Sendable () -> Void) {
    thread.advance(by: duration) { DispatchQueue.main.async(execute: done) }
  }

  /// Moves the clock to a civil time, as ``advance(by:)`` does: `advance(to: trigger.fireDate)`.
  /// - Throws: ``HomeWorldError`` if the time has passed.
  public func advance(to date: Date, file: String = #fileID, line: Int = #line) async throws {
    let now = machine.now
    let rest = now.duration(to: Instant(date))
    // A `Date` has whole milliseconds here, so the present time can seem to have passed.
    if rest <= .milliseconds(-1) {
      let message = "the clock can't go back to \(Instant(date)): it shows \(now); use setDate(_:)"
      throw HomeWorldError(message, seed: seed, at: "\(file):\(line)")
    }
    await advance(by: max(rest, .zero))
  }

  /// Waits until no request of the app is open, and 500 ms more: other apps learn of its changes, and the app of values
  /// that accessories report. An accessory may gather events for 250 ms.
  public func settle() async {
    await thread.settle()
    await thread.advance(by: .milliseconds(500))
    await thread.settle()
  }

  /// Sets the civil clock of the hub.
  public func setDate(_ date: Date) async throws {
    try await run { [machine] in machine.setClock(to: Instant(date)) }
  }

  // MARK: The world

  /// Runs code in the world, with all that `World` of HAPSimulator offers: hosts, faults of the network, tasks.
  public func run<T: Sendable>(_ body: @escaping @Sendable (World) async throws -> T) async throws -> T {
    try await run { [world] in try await body(world) }
  }

  func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    if thread.hasEnded { throw HomeWorldError("the world has ended", seed: seed, at: place) }
    return try await thread.run(body)
  }

  /// Stops all traffic between machines until ``healNetwork()``. Apps still reach the hub: they run on its machine.
  public func cutNetwork() async throws { try await run { $0.network.cut() } }
  /// Ends the cut.
  public func healNetwork() async throws { try await run { $0.network.heal() } }

  /// Kills the hub, as a crash does. Apps see `homeHubState == .disconnected`.
  public func killHub() async throws { try await run { [machine] in machine.kill() } }

  /// Starts the hub again, with the homes on its disk. Apps attach again within a second.
  public func startHub() async throws {
    try await run { [machine, control] in
      try await machine.start()
      guard let loop = machine.startApp() else { preconditionFailure("the machine of the hub is on") }
      let link = try await machine.connect(on: loop)
      _ = try await link.ask(.attach(app: "test"))
      control.withLock { $0 = link }
    }
  }

  /// Returns a served accessory by the name that it was given.
  public func accessory(_ name: String, file: String = #fileID, line: Int = #line) throws -> HomeWorldAccessory {
    let devices = devices.withLock { $0 }
    if let accessory = devices[name] { return accessory }
    let names = devices.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    throw HomeWorldError("the world has no accessory \"\(name)\"; it has \(names)", seed: seed, at: "\(file):\(line)")
  }

  // MARK: Requests of the test

  func ask(_ request: HubRequest) async throws -> HubAnswer {
    guard let link = control.withLock({ $0 }) else {
      throw HomeWorldError("the world has ended", seed: seed, at: place)
    }
    return try await run { try await link.ask(request) }
  }

  func perform(_ command: HomeCommand) async throws -> [HomeChange] {
    guard case .changed(let changes) = try await ask(.perform(command)) else { return [] }
    return changes
  }

  var model: HomeModel { control.withLock { $0 }?.replica.snapshot?.model ?? HomeModel() }

  func explained(_ error: any Error, at place: String) -> HomeWorldError {
    (error as? HomeWorldError) ?? HomeWorldError("\(error)", seed: seed, at: place)
  }
}

extension HomeWorld: CustomStringConvertible {
  /// "the simulated world of seed 7 (HAPSIM_SEED=7 runs it again)", for comments of expectations.
  public var description: String { "the simulated world of seed \(seed) (HAPSIM_SEED=\(seed) runs it again)" }
}

/// An error of a test's world: what failed, where, and the seed.
public struct HomeWorldError: Error, CustomStringConvertible, Sendable {
  /// What failed, and on what.
  public let message: String
  /// The seed that runs it again.
  public let seed: UInt64
  /// The place in the test: "FILE:LINE".
  public let place: String

  init(_ message: String, seed: UInt64, at place: String) {
    (self.message, self.seed, self.place) = (message, seed, place)
  }

  /// "FILE:LINE: MESSAGE (HAPSIM_SEED=7 runs it again)".
  public var description: String { "\(place): \(message) (HAPSIM_SEED=\(seed) runs it again)" }
}
