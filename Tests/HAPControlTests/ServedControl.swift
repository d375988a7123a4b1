import HAPPreparation
import HAPCommands
import HAPHost
import HAPLoop
import HAPMatter
import HAPModel
import HAPProfile
import HAPStore
import HAPWeb
import HAPWire
import Synchronization
@testable import HAPControl

/// The control API of some accessories on a loop, without a socket. Every call is asynchronous; none blocks.
final class ServedControl: Sendable {
  let loop = EventLoop(name: "control")
  private let held = Mutex<Held?>(nil)

  /// The state that is confined to the loop.
  private final class Held: @unchecked Sendable {
    let simulation: Simulation
    let journal: ControlJournal
    let api: ControlAPI

    init(_ simulation: Simulation, _ journal: ControlJournal, _ api: ControlAPI) {
      self.simulation = simulation
      self.journal = journal
      self.api = api
    }
  }

  /// Records events from callbacks on any loop.
  private final class Sink: @unchecked Sendable { var journal: ControlJournal? }

  /// - Parameters:
  ///   - profiles: the texts of the profiles to serve.
  ///   - reportsAll: whether all events are recorded before a client reads them.
  ///   - matter: nil: the accessories are not served over Matter.
  init(
    _ profiles: [String], pace: SimulationClock.Pace = .standing, reportsAll: Bool = true,
    readerPatience: Duration = .seconds(600), scenarios: (any ControlledScenarios)? = nil,
    matter: MatterSettings? = nil
  ) async throws {
    loop.start()
    let folder = StateFolder.ephemeral()
    let prepared = try profiles.enumerated().map { index, text in
      try PreparedAccessory(
        AccessoryProfile(json: Array(text.utf8), fileName: "profile"), in: folder, random: .seeded(UInt64(index)))
    }
    try await onLoop { [self] in
      let sink = Sink()
      var setting = Simulation.Setting(
        folder: folder, places: [ListeningPlace(.loopbackV4)],
        sink: { sink.journal?.append(.simulator($0), now: .zero) })
      setting.tellsAll = reportsAll
      setting.tellsRequests = reportsAll
      if let matter { setting.frontEnds.append(MatterFrontEnd.choice(matter)) }
      let simulation = Simulation(setting, in: SimulationClock(pace, on: loop), on: loop)
      for accessory in prepared { try simulation.serve(accessory, port: 0) }
      let journal = ControlJournal(run: "here") { .seconds(1_700_000_000) }
      sink.journal = journal
      let dispatcher = CommandDispatcher(
        simulation, readProfile: { throw Failure(message: "no file is to be read: \($0)") }, onAllStopped: {})
      let api = ControlAPI(
        [ControlledPart(simulation, dispatcher)], dispatcher, LoopBound(here: loop, journal), scenarios: scenarios,
        readerPatience: readerPatience, on: loop)
      held.withLock { $0 = Held(simulation, journal, api) }
    }
  }

  struct Failure: Error { let message: String }

  /// Must be called at the end: it breaks the reference cycle with the loop.
  func stop() async throws {
    guard let held = held.withLock({ $0 }) else { return }
    try await onLoop {
      held.api.close()
      held.simulation.stop()
    }
    self.held.withLock { $0 = nil }
    loop.stop()
  }

  func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      loop.schedule { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Calls `body` with the API and the journal, on the loop.
  func look<R: Sendable>(_ body: @escaping @Sendable (isolated ControlAPI, ControlJournal) -> R) async throws -> R {
    guard let held = held.withLock({ $0 }) else { throw Failure(message: "it was stopped") }
    return try await onLoop { held.api.assumeIsolated { body($0, held.journal) } }
  }

  /// - Parameter target: a target such as "/v1/accessories?x=1", without percent-encoding.
  func ask(
    _ method: String, _ target: String, _ body: String = "", type: String = "application/json"
  ) async throws -> WebAnswer {
    let parts = target.split(separator: "?", maxSplits: 1)
    var query: [(name: String, value: String)] = []
    for pair in parts.count < 2 ? [] : parts[1].split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1)
      query.append((String(halves[0]), halves.count > 1 ? String(halves[1]) : ""))
    }
    let request = WebRequest(
      method, path: parts[0].split(separator: "/").map(String.init), query: query,
      fields: body.isEmpty ? [] : [HTTPField("content-type", type)], body: Array(body.utf8))
    guard let api = held.withLock({ $0?.api }) else { throw Failure(message: "it was stopped") }
    return await api.answer(request)
  }

  /// Returns the answer to a request that must succeed.
  func node(_ method: String, _ target: String, _ body: String = "") async throws -> JSONNode {
    let answer = try await ask(method, target, body)
    guard (200..<300).contains(answer.status) else {
      throw Failure(message: "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return try JSONNode.parse(answer.body)
  }

  /// "422 invalid-value: Target Door State can't be 7: maxValue is 1 (value 1:10)"
  func refusal(_ method: String, _ target: String, _ body: String = "", type: String = "application/json") async throws
    -> String
  {
    let answer = try await ask(method, target, body, type: type)
    guard answer.status >= 400, let error = try JSONNode.parse(answer.body)["error"] else { return "\(answer.status)" }
    var text = "\(answer.status) \(error["code"]?.stringValue ?? "?"): \(error["message"]?.stringValue ?? "?")"
    if let line = error["line"]?.integerValue, let column = error["column"]?.integerValue {
      text += " (\(error["path"]?.stringValue ?? "") \(line):\(column))"
    }
    return text
  }
}

/// Runs `body` with the API of these profiles, and always stops it afterwards.
func controlled<T>(
  _ profiles: String..., pace: SimulationClock.Pace = .standing, matter: MatterSettings? = nil,
  _ body: (ServedControl) async throws -> T
) async throws -> T {
  let served = try await ServedControl(profiles, pace: pace, matter: matter)
  do {
    let result = try await body(served)
    try await served.stop()
    return result
  } catch {
    try await served.stop()
    throw error
  }
}

enum Profiles {
  static let garage = """
    {"format": "hasaccessory/1", "name": "Garage", "category": "garage-door-opener", "services": [
      {"type": "GarageDoorOpener", "primary": true, "behaviour": {"travelTime": "10s"}}]}
    """
  static let lamp = """
    {"format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [
      {"type": "LightBulb", "primary": true, "characteristics": [{"type": "Brightness", "value": 50}]}]}
    """
  static let button = """
    {"format": "hasaccessory/1", "name": "Button", "category": "programmable-switch", "services": [
      {"type": "StatelessProgrammableSwitch", "primary": true}]}
    """
  static let bridge = """
    {"format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "bridgedAccessories": [
      {"name": "Desk", "services": [{"type": "LightBulb", "primary": true}]},
      {"name": "Floor", "services": [{"type": "LightBulb", "primary": true}]}]}
    """
}

extension String {
  /// Replaces the first occurrence only.
  func replacing(_ old: String, with new: String) -> String {
    guard let place = firstRange(of: old) else { return self }
    return self[..<place.lowerBound] + new + self[place.upperBound...]
  }
}
