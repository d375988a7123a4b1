#if os(Linux)
  import HAPController
  import HAPHome
  import HAPHomeEngine
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// A simulated world with a host for accessories, and a host with a port.
  struct PortWorld: Sendable {
    let world: World
    let home: World.Host
    let hub: World.Host
    let port: HAPPort

    static let identity = ControllerIdentity(identifier: "hub", seed: Array(repeating: 7, count: 32))

    func pair(_ accessory: RunningAccessory) async throws -> DevicePairing {
      try await port.pair(
        with: try DeviceID(of: accessory), code: accessory.setupCode, as: try #require(Self.identity), own: []
      ) { _ in }
    }

    /// Opens a connection with a device without power, whose attempt lasts 10 s. Databases that are known wait for it.
    func openSilent(like pairing: DevicePairing) async throws -> any DeviceConnection {
      let silent = world.addHost("silent")
      silent.losePower()
      var absent = pairing
      absent.device = try #require(DeviceID("0A:0B:0C:0D:0E:0F"))
      absent.addresses = ["\(silent.address):1"]
      let connection = port.open(absent, isNew: true) { _ in }
      try await world.sleep(for: .seconds(1))
      return connection
    }

    /// Pairs with an accessory, opens a connection, and waits for its database.
    func open(_ accessory: RunningAccessory) async throws -> (FollowedDevice, DevicePairing) {
      let pairing = try await pair(accessory)
      let device = FollowedDevice(port, pairing)
      _ = try await device.connected()
      _ = try await device.database()
      return (device, pairing)
    }
  }

  func withPort(seed: UInt64 = 1, _ body: @escaping @Sendable (PortWorld) async throws -> Void) async throws {
    try await withSimulatedWorld(seed: seed) { world in
      let (home, hub) = (world.addHost("home"), world.addHost("hub"))
      let port = HAPPort(on: try hub.runningAppLoop(), interfaces: ["eth0"])
      try await body(PortWorld(world: world, home: home, hub: hub, port: port))
    }
  }

  /// A connection, and its news.
  final class FollowedDevice: @unchecked Sendable {  // confined to the world's thread
    let connection: any DeviceConnection
    private(set) var description: DeviceDescription?
    private var iterator: AsyncStream<DeviceNews>.Iterator
    private let end: AsyncStream<DeviceNews>.Continuation

    init(_ port: HAPPort, _ pairing: DevicePairing, isNew: Bool = true) {
      let (stream, continuation) = AsyncStream.makeStream(of: DeviceNews.self)
      iterator = stream.makeAsyncIterator()
      end = continuation
      connection = port.open(pairing, isNew: isNew) { continuation.yield($0) }
    }

    struct Ended: Error {}

    /// The next news for which `isWanted` returns a value. Other news are skipped.
    func next<T>(_ isWanted: (DeviceNews) -> T?) async throws -> T {
      while let news = await iterator.next(isolation: #isolation) {
        if case .database(let new) = news { description = new }
        if let wanted = isWanted(news) { return wanted }
      }
      throw Ended()
    }

    /// The news that have not been read, as one word each.
    func rest() async -> [String] {
      end.finish()
      var words: [String] = []
      while let news = await iterator.next(isolation: #isolation) { words.append(Self.word(news)) }
      return words
    }

    static func word(_ news: DeviceNews) -> String {
      switch news {
      case .connected: "connected"
      case .lost: "lost"
      case .gaveUp: "gave up"
      case .database: "database"
      case .values: "values"
      case .violation: "violation"
      }
    }

    func connected() async throws -> String {
      try await next { if case .connected(let address) = $0 { address } else { nil } }
    }
    func database() async throws -> DeviceDescription {
      try await next { if case .database(let description) = $0 { description } else { nil } }
    }
    func lost() async throws -> String { try await next { if case .lost(let why) = $0 { why } else { nil } } }
    func gaveUp() async throws -> String { try await next { if case .gaveUp(let why) = $0 { why } else { nil } } }
    func violation() async throws -> String {
      try await next { if case .violation(let text) = $0 { text } else { nil } }
    }
    func values(isCatchUp: Bool) async throws -> [DeviceValue] {
      try await next { if case .values(let values, isCatchUp) = $0 { values } else { nil } }
    }

    /// The first characteristic of a type in the last database.
    func id(_ name: String, aid: UInt64? = nil) throws -> AttributeID {
      for accessory in try #require(description).accessories where aid == nil || accessory.aid == aid {
        for characteristic in accessory.services.flatMap(\.characteristics)
        where Catalogue.characteristic(characteristic.type)?.name == name {
          return AttributeID(aid: accessory.aid, iid: characteristic.iid)
        }
      }
      throw Ended()
    }

    /// An entry of a PUT.
    func entry(_ name: String, _ value: Value) throws -> ScenePut.Entry {
      .make(try id(name), value)
    }
  }

  extension DeviceID {
    init(of accessory: RunningAccessory) throws { self = try #require(DeviceID(accessory.deviceID)) }
  }

  /// The error of an operation.
  func homeError(_ body: () async throws(HomeError) -> Void) async -> HomeError? {
    do throws(HomeError) { try await body() } catch { return error }
    return nil
  }

  enum Profiles {
    static func garage(_ name: String = "Garage", extra: String = "") -> ProfileSource {
      .json(
        """
        { "format": "hasaccessory/1", "name": "\(name)", "category": "garage-door-opener", "setupCode": "031-45-154",
          "services": [
            { "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "12s" } }\(extra) ] }
        """)
    }

    static func lamp(_ name: String) -> ProfileSource {
      .json(
        """
        { "format": "hasaccessory/1", "name": "\(name)", "category": "lightbulb", "setupCode": "031-45-154",
          "services": [ { "type": "Lightbulb", "name": "Lamp", "characteristics": [
            { "type": "On" }, { "type": "Brightness" } ] } ] }
        """)
    }

    static let bridge = ProfileSource.json(
      """
      { "format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "setupCode": "031-45-154",
        "bridgedAccessories": [
          { "name": "Desk", "services": [ { "type": "Lightbulb", "name": "Desk" } ] },
          { "name": "Floor", "services": [ { "type": "Lightbulb", "name": "Floor" } ] } ] }
      """)
  }
#endif
