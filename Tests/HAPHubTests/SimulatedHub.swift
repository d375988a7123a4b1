#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPWorld
  import Testing

  @testable import HAPHub
  @testable import HAPSimulator

  /// A hub in a simulated world with accessories of hapsim. Confined to the world's thread.
  final class SimulatedHub: @unchecked Sendable {  // see above
    let world: World
    /// The host of the accessories.
    let house: World.Host
    private let machine: World.Host
    private let disk: SimulatedDisk
    private var running: HomeHub?
    var hub: HomeHub { running! }

    /// - Parameter other: another hub of the same world; nil: the first one.
    init(_ world: World, besides other: SimulatedHub? = nil) {
      self.world = world
      house = other?.house ?? world.addHost("house")
      machine = world.addHost(other == nil ? "hub" : "other-hub")
      disk = SimulatedDisk(SimulatedDisk.Options(seed: world.seed))
    }

    func start() async throws {
      if disk.isDown { disk.start() }
      let loop = try machine.runningAppLoop()
      let hub = HomeHub(
        on: loop, folder: "/hub", files: disk, port: HAPPort(on: loop, interfaces: ["eth0"]),
        zoneRules: { $0 == .utc ? .utc : nil }, version: "1")
      running = hub
      try await hub.start()
    }

    func kill() {
      machine.kill()
      disk.kill()
      running = nil
    }

    func wait(_ time: Duration = .seconds(1)) async throws { try await world.sleep(for: time) }

    /// Attaches an app, and adds a home with accessories.
    func home(_ accessories: [RunningAccessory]) async throws -> TestApp {
      let app = TestApp("a", try await hub.attach(app: "a"))
      try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
      for accessory in accessories {
        let device = try #require(DeviceID(accessory.deviceID))
        try await app.ask(.add(AccessoryAddition(home: app.home.id, device: device, code: accessory.setupCode)))
      }
      try await wait()
      app.forget()
      return app
    }
  }

  func withSimulatedHub(
    seed: UInt64 = 1, _ body: @escaping @Sendable (SimulatedHub) async throws -> Void
  ) async throws {
    try await withSimulatedWorld(seed: seed) { world in
      let hub = SimulatedHub(world)
      try await hub.start()
      try await body(hub)
    }
  }

  extension RunningAccessory {
    /// The numbers of values that were written at the same time, in the order of time.
    var writes: [Int] {
      let times = history.filter { $0.kind == .wrote }.map(\.time)
      return Set(times).sorted().map { time in times.count { $0 == time } }
    }
  }

  enum Profiles {
    static let lock = ProfileSource.json(
      """
      { "format": "hasaccessory/1", "name": "Front Door Lock", "category": "door-lock", "setupCode": "031-45-154",
        "services": [ { "type": "LockMechanism", "name": "Front Door Lock", "primary": true } ] }
      """)
    static let motion = ProfileSource.json(
      """
      { "format": "hasaccessory/1", "name": "Motion Sensor", "category": "sensor", "setupCode": "031-45-154",
        "services": [ { "type": "MotionSensor", "name": "Motion Sensor", "primary": true } ] }
      """)
    static let lamp = ProfileSource.json(
      """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "setupCode": "031-45-154",
        "services": [ { "type": "Lightbulb", "name": "Lamp", "primary": true } ] }
      """)

    /// A bridge with lights in colours.
    static func bridge(_ lights: String...) -> ProfileSource {
      let accessories = lights.map { name in
        """
        { "name": "\(name)", "category": "lightbulb", "serialNumber": "\(name)",
          "services": [ { "type": "Lightbulb", "name": "\(name)", "primary": true, "characteristics": [
            { "type": "On" }, { "type": "Brightness" }, { "type": "Hue" }, { "type": "Saturation" } ] } ] }
        """
      }
      return .json(
        """
        { "format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "setupCode": "031-45-154",
          "bridgedAccessories": [ \(accessories.joined(separator: ", ")) ] }
        """)
    }
  }

  extension TypeID {
    static let hue: TypeID = 0x13
    static let saturation: TypeID = 0x2F
  }
#endif
