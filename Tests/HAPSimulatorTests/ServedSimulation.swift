@testable import HAPPreparation
import HAPDiscovery
import HAPFrontEnds
import HAPLoop
import HAPModel
import HAPProfile
import HAPStore
import HAPTransport
import HAPWire
import Synchronization
import Testing
@testable import HAPCommands
@testable import HAPDevices
@testable import HAPHost

/// A simulation on a loop, as in `hapsim run`: on loopback, not announced, without stored state. Every call is
/// asynchronous; none blocks.
final class ServedSimulation: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
  }

  let loop = EventLoop(name: "simulation")
  let events = Mutex<[SimulatorEvent]>([])
  /// Called with the events as well, on the loop.
  let listener = Mutex<(@Sendable (SimulatorEvent) -> Void)?>(nil)
  let profiles = Mutex<[String: String]>([:])
  let allStopped = Mutex(0)
  private let held = Mutex<(simulation: Simulation, dispatcher: Held)?>(nil)

  /// The state that is confined to the loop.
  final class Held: @unchecked Sendable {
    let dispatcher: CommandDispatcher
    init(_ dispatcher: CommandDispatcher) { self.dispatcher = dispatcher }
  }

  /// - Parameters:
  ///   - profiles: the texts of the profiles to serve.
  ///   - host: the address to listen on. On Linux, each address 127.x.x.x is a loopback address.
  init(
    _ profiles: [String], pace: SimulationClock.Pace = .standing, folder: StateFolder = .ephemeral(),
    advertiser: RecordedAdvertiser? = nil, frontEnds: [FrontEndChoice] = [.ip],
    capture: (@Sendable (Int, Int) -> CaptureMaker)? = nil, host: IPAddress = .loopbackV4
  ) async throws {
    loop.start()
    let prepared = try profiles.map {
      try PreparedAccessory(
        AccessoryProfile(json: Array($0.utf8), fileName: "profile"), in: folder, random: .seeded(1))
    }
    try await onLoop { [self] in
      var setting = Simulation.Setting(
        folder: folder, places: [ListeningPlace(host)], seed: 7,
        makeAdvertiser: { advertiser },
        sink: { [self] event in
          events.withLock { $0.append(event) }
          listener.withLock { $0 }?(event)
        })
      setting.frontEnds = frontEnds
      setting.capture = capture
      let simulation = Simulation(setting, in: SimulationClock(pace, on: loop), on: loop)
      for accessory in prepared { try simulation.serve(accessory, port: 0) }
      let dispatcher = CommandDispatcher(
        simulation,
        readProfile: { [self] path in
          guard let text = self.profiles.withLock({ $0[path] }) else { throw Failure(message: "no file \(path)") }
          return try AccessoryProfile(json: Array(text.utf8), fileName: path)
        }, onAllStopped: { [self] in allStopped.withLock { $0 += 1 } })
      held.withLock { $0 = (simulation, Held(dispatcher)) }
    }
  }

  /// An address for one test alone, so that no other test takes a port that it has left; on macOS, the address of all.
  /// - Parameter number: different for each test.
  static func ownHost(_ number: UInt8) throws -> IPAddress {
    #if os(Linux)
      try IPAddress("127.77.1.\(number)")
    #else
      .loopbackV4
    #endif
  }

  /// Must be called at the end: it breaks the reference cycle with the loop.
  func stop() async throws {
    try await onLoop { [self] in simulation.stop() }
    held.withLock { $0 = nil }
    loop.stop()
  }

  var simulation: Simulation {
    guard let held = held.withLock({ $0 }) else { preconditionFailure("it was stopped") }
    return held.simulation
  }
  private var dispatcher: Held {
    guard let held = held.withLock({ $0 }) else { preconditionFailure("it was stopped") }
    return held.dispatcher
  }

  var commands: CommandDispatcher { dispatcher.dispatcher }

  func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      loop.schedule { continuation.resume(with: Result { try body() }) }
    }
  }

  /// The answer to a command line.
  func answer(_ line: String) async throws -> JSONNode {
    let dispatcher = dispatcher
    let text = await withCheckedContinuation { continuation in
      loop.schedule { dispatcher.dispatcher.answer(Array(line.utf8)) { continuation.resume(returning: $0) } }
    }
    return try JSONNode.parse(Array(text.utf8))
  }

  /// The answer to a command that must succeed.
  @discardableResult
  func command(_ name: String, _ members: String = "") async throws -> JSONNode {
    let answer = try await answer("{\"command\": \"\(name)\"\(members.isEmpty ? "" : ", " + members)}")
    guard answer["ok"]?.boolValue == true else {
      throw Failure(message: answer["error"]?["message"]?.stringValue ?? "?")
    }
    return answer
  }

  /// Code and message of a command that must be refused.
  func refusal(_ name: String, _ members: String = "") async throws -> String {
    let answer = try await answer("{\"command\": \"\(name)\"\(members.isEmpty ? "" : ", " + members)}")
    guard let error = answer["error"] else { return "carried out" }
    return "\(error["code"]?.stringValue ?? "?"): \(error["message"]?.stringValue ?? "?")"
  }

  /// A value from `status`.
  func value(_ name: String, accessory: String? = nil) async throws -> JSONNode? {
    let status = try await command("status", accessory.map { "\"accessory\": \"\($0)\"" } ?? "")
    for accessory in status["accessories"]?.elements ?? [] {
      for entry in accessory["characteristics"]?.elements ?? [] where entry["name"]?.stringValue == name {
        return entry["value"]
      }
    }
    return nil
  }

  func eventNames() -> [String] { events.withLock { $0.map(\.name) } }
}

/// Records the advertised data. Confined to the loop's thread.
final class RecordedAdvertiser: Advertiser, @unchecked Sendable {
  private(set) var names: [String] = []
  private(set) var tell: (AdvertisementEvent) -> Void = { _ in }

  func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    names.append(record.name)
    tell = events
  }
  func update(txt: TextRecord) {}
  func withdraw() {}
  func close() {}
}

/// Profiles for tests.
enum ProfileText {
  static let garage = """
    { "format": "hasaccessory/1", "name": "Garage", "serialNumber": "G-1", "category": "garage-door-opener",
      "services": [ { "type": "GarageDoorOpener", "name": "Door" }, { "type": "LockMechanism", "name": "Lock" } ] }
    """
  static let thermostat = """
    { "format": "hasaccessory/1", "name": "Hall", "serialNumber": "H-1", "category": "thermostat",
      "services": [ { "type": "Thermostat", "name": "Hall", "behaviour": { "outside": 0 }, "characteristics": [
        { "type": "TargetHeatingCoolingState", "value": 1 }, { "type": "CurrentTemperature", "value": 10 },
        { "type": "TargetTemperature", "value": 21 } ] } ] }
    """
  static let sensor = """
    { "format": "hasaccessory/1", "name": "Sensor", "serialNumber": "S-1", "category": "sensor",
      "services": [
        { "type": "TemperatureSensor", "name": "Temperature", "characteristics": [ { "type": "StatusTampered" },
          { "type": "StatusLowBattery" } ] },
        { "type": "MotionSensor", "name": "Motion" },
        { "type": "BatteryService", "name": "Battery", "behaviour": { "life": "48h" }, "characteristics": [
          { "type": "BatteryLevel", "value": 100 }, { "type": "ChargingState" } ] } ] }
    """
  static let bridge = """
    { "format": "hasaccessory/1", "name": "Bridge", "serialNumber": "B-1", "category": "bridge",
      "bridgedAccessories": [
        { "name": "Desk Lamp", "serialNumber": "L-1", "services": [ { "type": "LightBulb", "name": "Desk" } ] },
        { "name": "Shed", "serialNumber": "L-2", "services": [ { "type": "GarageDoorOpener", "name": "Shed Door" } ] },
        { "name": "Barn", "serialNumber": "L-3", "services": [ { "type": "GarageDoorOpener", "name": "Barn Door" } ] }
      ] }
    """
}
