import HAPHome
import HAPHomeSwarm
import HAPHubLink
import HAPModel
import HAPWorld
import Testing

/// A home with lamps on several accessories, and one app. Confined to the world's thread.
struct FaultBench: @unchecked Sendable {  // see above
  let lab: HomeLab
  let app: LabApp
  var devices: [LabDevice] { lab.devices }
  var hub: LabHub { lab.hub }

  /// The first lamp of a device.
  func lamp(_ number: Int) throws -> LabSlot { try #require(app.home.slots(of: devices[number]).first) }

  /// How often the first lamp of a device got a value.
  func count(_ number: Int, _ value: Int) throws -> Int {
    let slot = try lamp(number)
    return devices[number].writes(of: slot.tokenID, .integer(Int128(value))).count
  }

  /// Adds a set that writes a value to the first lamp of each device.
  func addScene(_ name: String, _ value: Int) async throws {
    let actions = try devices.indices.map { HomeAction(try lamp($0).token, .integer(Int128(value))) }
    try await app.addSet(name, actions)
  }

  /// The reachability of the accessory of a device, in the order of the events.
  func reachability(of number: Int) -> [Bool] {
    let id = app.home.accessories(of: devices[number]).first?.id
    return app.events.compactMap {
      if case .reachability(id, let isReachable, _) = $0 { isReachable } else { nil }
    }
  }

  /// Waits until the app sees whether the accessory of a device can be reached.
  func becomes(_ number: Int, reachable: Bool, within limit: Duration = .seconds(150)) async throws {
    let id = try #require(app.home.accessories(of: devices[number]).first?.id)
    let isMet = await lab.wait(atMost: limit) { app.snapshot.map { ($0.unreachable[id] == nil) == reachable } ?? false }
    #expect(isMet, "device \(number): \(app.snapshot?.unreachable[id] ?? "reachable")")
  }
}

/// Runs a test with accessories that have been added to a home.
/// - Parameter bridges: the numbers of the devices that are bridges.
func withHome(
  devices count: Int, bridges: Set<Int> = [], seed: UInt64 = 1,
  _ body: @escaping @Sendable (FaultBench) async throws -> Void
) async throws {
  let world = SimulatedWorld(seed: seed)
  try await world.runApart(WorldLimits(time: .seconds(200_000), deniesForeignWork: true), atEnd: { $0 }) {
    let lab = HomeLab(world)
    for number in 0..<count {
      let name = ["Alpha", "Beta", "Gamma"][number]
      let device = lab.addDevice(
        name,
        bridges.contains(number) ? LabProfile.bridge(name, lamps: 1) : LabProfile.accessory(name, lamps: 1))
      await device.start()
    }
    let app = lab.addApp("app")
    let bench = FaultBench(lab: lab, app: app)
    #expect(await lab.hub.start() == nil)
    #expect(await app.attach())
    try await app.setUp(lab.devices)
    for number in 0..<count { try await bench.becomes(number, reachable: true) }
    app.forgetEvents()
    try await body(bench)
    lab.end()
  }
}

extension ExecutionResult {
  /// The outcome of each action, in the order of the set.
  var outcomes: [Outcome] { actions.map(\.outcome) }
  var codes: [HomeError.Code?] { actions.map(\.error?.code) }
}
