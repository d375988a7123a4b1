import HAPDeviations
import HAPDiscovery
import HAPFrontEnds
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore
import HAPWire
import HAPWorld
import MatterProtocol
import Synchronization
import Testing

@testable import HAPCommands
@testable import HAPHost
@testable import HAPMatter

/// A simulated network with a host that serves an accessory, and a host with controllers.
final class MatterHome: @unchecked Sendable {  // confined to the world's thread
  struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
  }

  let world: SimulatedWorld
  let disk: SimulatedDisk
  let link: SimulatedLink
  /// Whether the network has only IPv6.
  let isV6: Bool
  private let server: SimulatedHost
  private let phone: SimulatedHost
  private var processCount = 0

  init(seed: UInt64, isV6: Bool) throws {
    self.isV6 = isV6
    world = SimulatedWorld(seed: seed)
    disk = SimulatedDisk(.init(seed: seed))
    link = world.network.addLink("home")
    (server, phone) = (world.network.addHost("server"), world.network.addHost("phone"))
    for (host, number) in [(server, 1), (phone, 2)] {
      let address = try IPAddress(isV6 ? "fe80::\(number)" : "10.0.0.\(number)")
      _ = host.addInterface("eth0", addresses: [.init(address, prefixLength: isV6 ? 64 : 16)], link: link)
    }
  }

  var anyAddress: IPAddress { isV6 ? .anyV6 : .anyV4 }

  func makeServerLoop() throws -> EventLoop { try makeLoop("hapsim", of: server) }
  func makePhoneLoop() throws -> EventLoop { try makeLoop("app", of: phone) }

  private func makeLoop(_ name: String, of host: SimulatedHost) throws -> EventLoop {
    processCount += 1
    guard let process = host.startProcess("\(name) \(processCount)") else {
      throw Failure(message: "\(name): no power")
    }
    return world.makeLoop("\(name) \(processCount)", of: process)
  }

  /// Cuts the power of the server for a moment.
  func losePower() {
    server.powerOff()
    disk.losePower()
    server.start()
    disk.start()
  }
}

/// Runs a test in a simulated world, in virtual time.
func withMatterHome<T: Sendable>(
  seed: UInt64 = 1, isV6: Bool = false, _ test: @escaping @Sendable (MatterHome) async throws -> T
) async throws -> T {
  let home = try MatterHome(seed: seed, isV6: isV6)
  return try await home.world.runApart(WorldLimits(time: .seconds(86_400), deniesForeignWork: true), atEnd: { $0 }) {
    try await test(home)
  }
}

/// An accessory that is served over Matter, and over IP.
final class ServedNode: @unchecked Sendable {  // confined to the world's thread
  let loop: EventLoop
  private var dispatcher: CommandDispatcher!
  private var simulation: Simulation!
  private var responder: (any Responder)!
  private var frontEnd: MatterFrontEnd?
  private(set) var events: [SimulatorEvent] = []
  private(set) var port: UInt16 = 0
  private(set) var setupCode = ""
  var profiles: [String: String] = [:]

  private struct Held: @unchecked Sendable { let value: (FrontEndParts, FrontEndPlace) }

  /// - Parameters:
  ///   - seed: of the simulation.
  ///   - copy: of the accessory; nil: it is not one of several copies.
  ///   - capture: records each start; nil: none is recorded.
  ///   - defect: nil: the accessory conforms.
  init(
    _ profile: String, in home: MatterHome, settings: MatterSettings = .test, seed: UInt64 = 7,
    copy: AccessoryCopy? = nil, capture: (@Sendable (_ accessory: Int, _ start: Int) -> CaptureMaker)? = nil,
    defect: Defect? = nil
  ) throws {
    loop = try home.makeServerLoop()
    try loop.performAndWait { [self] in
      let folder = try StateFolder.open(path: "/state", files: home.disk)
      let prepared = try PreparedAccessory(
        AccessoryProfile(json: Array(profile.utf8), fileName: "profile"), in: folder,
        choices: .init(defect: defect, copy: copy),
        random: .seeded(1))
      setupCode = prepared.setupCode.text
      responder = try BackEnd.open(.embedded, on: loop, interfaces: [], bindsToAddress: false).responder
      var setting = Simulation.Setting(
        folder: folder, places: [ListeningPlace(home.anyAddress)], seed: seed,
        makeAdvertiser: { [unowned self] in responder.makeAdvertiser() },
        sink: { [unowned self] in events.append($0) })
      setting.frontEnds = [
        .ip,
        .matter { [unowned self] parts, place in
          let made = MatterFrontEnd(parts, place, settings)
          frontEnd = made
          return made
        },
      ]
      setting.capture = capture
      let simulation = Simulation(setting, in: SimulationClock(.running(scale: 1), on: loop), on: loop)
      do { try simulation.serve(prepared, port: 0) } catch {
        responder.close()
        prepared.close()
        throw error
      }
      port = simulation.accessories[0].assumeIsolated { $0.port }
      self.simulation = simulation
      dispatcher = CommandDispatcher(
        simulation,
        readProfile: { [unowned self] path in
          try AccessoryProfile(json: Array((profiles[path] ?? "").utf8), fileName: path)
        }, onAllStopped: {})
    }
  }

  var invitation: MatterInvitation? { get throws { try loop.performAndWait { self.frontEnd?.invitation } } }
  var fabricCount: Int { get throws { try loop.performAndWait { self.frontEnd?.node?.server.fabrics.count ?? 0 } } }
  var subscriptionCount: Int {
    get throws { try loop.performAndWait { self.frontEnd?.node?.server.subscriptionCount ?? 0 } }
  }
  var sessionCount: Int { get throws { try loop.performAndWait { self.frontEnd?.node?.server.sessions.count ?? 0 } } }

  /// Calls a closure in one turn of the loop.
  func withFrontEnd<T: Sendable>(_ body: @escaping @Sendable (MatterFrontEnd) -> T) throws -> T {
    try loop.performAndWait { [self] in
      guard let frontEnd else { throw MatterHome.Failure(message: "there is no front end") }
      return body(frontEnd)
    }
  }

  /// The answer to a command line.
  func answer(_ line: String) async throws -> JSONNode {
    let text = await withCheckedContinuation { continuation in
      loop.schedule { [self] in dispatcher.answer(Array(line.utf8)) { continuation.resume(returning: $0) } }
    }
    return try JSONNode.parse(Array(text.utf8))
  }

  /// Executes a command line in the turn of the loop in which the next datagram of Matter arrives, after that.
  func execute(_ line: String) throws {
    try loop.performAndWait { [self] in
      guard let sockets = frontEnd?.sockets, let pass = sockets.onDatagram else { return }
      sockets.onDatagram = { [unowned self] bytes, source in
        sockets.onDatagram = pass
        pass(bytes, source)
        dispatcher.answer(Array(line.utf8)) { _ in }
      }
    }
  }

  /// The answers to command lines that arrive in one turn of the loop, in which nothing can be stored.
  func answers(_ lines: [String]) async throws -> [JSONNode] {
    let texts = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
      let answers = Mutex<[Int: String]>([:])
      loop.schedule { [self] in
        for (index, line) in lines.enumerated() {
          dispatcher.answer(Array(line.utf8)) { text in
            let all = answers.withLock { answers in
              #expect(answers.updateValue(text, forKey: index) == nil, "two answers to \(line)")
              return answers.count == lines.count ? answers : nil
            }
            if let all { continuation.resume(returning: lines.indices.compactMap { all[$0] }) }
          }
        }
      }
    }
    return try texts.map { try JSONNode.parse(Array($0.utf8)) }
  }

  /// The answer to a command that must succeed.
  @discardableResult func command(_ name: String, _ members: String = "") async throws -> JSONNode {
    let answer = try await answer("{\"command\": \"\(name)\"\(members.isEmpty ? "" : ", " + members)}")
    guard answer["ok"]?.boolValue == true else {
      throw MatterHome.Failure(message: answer["error"]?["message"]?.stringValue ?? "?")
    }
    return answer
  }

  /// The first entry of `status` with the name of a characteristic.
  private func entry(_ name: String) async throws -> JSONNode? {
    let accessories = try await command("status")["accessories"]?.elements ?? []
    return accessories.flatMap { $0["characteristics"]?.elements ?? [] }.first { $0["name"]?.stringValue == name }
  }

  func value(_ name: String) async throws -> JSONNode? { try await entry(name)?["value"] }
  func iid(_ name: String) async throws -> UInt64? { try await entry(name)?["iid"]?.integerValue.map { UInt64($0) } }

  /// Reports each request and message, too.
  func reportEverything() throws { try loop.performAndWait { [self] in simulation.tellEverything() } }

  func eventNames() -> [String] { events.map(\.name) }

  func stop() throws {
    try loop.performAndWait { [self] in
      simulation.stop()
      responder.close()
    }
    loop.stop()
  }
}

extension MatterSettings {
  /// The passcode is known.
  static var test: MatterSettings {
    var settings = MatterSettings()
    (settings.passcode, settings.discriminator) = (20_202_021, 3840)
    return settings
  }
}

/// Profiles for tests.
enum Profile {
  static let light = """
    { "format": "hasaccessory/1", "name": "Lamp", "serialNumber": "L-1", "category": "lightbulb",
      "services": [ { "type": "Lightbulb", "name": "Lamp", "characteristics": [ { "type": "Brightness", "value": 50 } ] } ] }
    """
  static let twoLights = """
    { "format": "hasaccessory/1", "name": "Lamp", "serialNumber": "L-1", "category": "lightbulb",
      "services": [
        { "type": "Lightbulb", "name": "Lamp", "characteristics": [ { "type": "Brightness", "value": 50 } ] },
        { "type": "Lightbulb", "name": "Night Light" } ] }
    """
  /// A service that only its vendor knows.
  static let custom = """
    { "format": "hasaccessory/1", "name": "Cooker", "serialNumber": "C-1", "category": "other",
      "services": [ { "type": "8D930001-860E-4115-99CE-0CB5D9674D77", "name": "Cooker", "characteristics": [
        { "type": "8D930002-860E-4115-99CE-0CB5D9674D77", "description": "Heat", "format": "uint8",
          "perms": ["pr", "pw", "ev"], "value": 5 } ] } ] }
    """
  static let bridge = """
    { "format": "hasaccessory/1", "name": "Bridge", "serialNumber": "B-1", "category": "bridge",
      "bridgedAccessories": [
        { "name": "Desk Lamp", "serialNumber": "L-1", "services": [ { "type": "Lightbulb", "name": "Desk" } ] },
        { "name": "Hall Lamp", "serialNumber": "L-2", "services": [ { "type": "Lightbulb", "name": "Hall" } ] } ] }
    """
}
