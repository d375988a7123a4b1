import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// A home, a machine under test, its clock, and what it asked for.
struct SceneBench {
  var bench = HomeBench()
  let home: HomeObjectID
  var run: SceneRun
  var uptime = Duration.seconds(100)
  var wall = Instant(seconds: 1_780_000_000)
  /// The states of connections; a device that is not in it is ready.
  var connections: [DeviceID: SceneConnection] = [:]
  var unreachable: Set<HomeObjectID> = []
  /// The PUTs in the order of their sending.
  var puts: [ScenePut] = []
  var givenUp: [ScenePut.ID] = []
  var ended: [End] = []

  struct End: Equatable {
    var ticket: SceneTicket
    var result: SceneResult
    var changes: [HomeChange]
    var uptime: Duration
  }

  init(policy: ScenePolicy = ScenePolicy()) throws {
    home = try bench.addHome()
    run = SceneRun(policy: policy)
  }

  var time: SceneTime { SceneTime(uptime: uptime, wall: wall) }
  var model: HomeModel { bench.model }

  // MARK: The home

  mutating func light(_ number: UInt8) throws -> HomeAccessory {
    try bench.add(.light(number, "Lamp \(number)"), to: home)
  }

  /// Adds a bridge and returns its bridged lights.
  mutating func bridge(_ number: UInt8, lights: Int) throws -> [HomeAccessory] {
    let bridge = try bench.add(.bridge(number, "Bridge \(number)", lights: (0..<lights).map { "L\($0)" }), to: home)
    return model.home(home)!.accessories.filter { $0.bridge == bridge.id }
  }

  /// Adds a lock whose target state (iid 21) requires a timed write, with a plain characteristic (iid 22).
  mutating func lock(_ number: UInt8) throws -> HomeAccessory {
    let target = Characteristic(
      iid: 21, type: 0x1E, format: .uint8, perms: [.pairedRead, .pairedWrite, .events, .timedWrite],
      constraints: Constraints(validValues: [0, 1]))
    let plain = Characteristic(iid: 22, type: 0x25, format: .bool, perms: .control)
    let service = Service(iid: 20, type: 0x45, characteristics: [target, plain])
    return try bench.add(.device(number, [.with(aid: 1, "Lock \(number)", [service])]), to: home)
  }

  mutating func set(_ name: String, _ actions: [HomeAction]) throws -> HomeObjectID {
    let set = try bench.addSet(name, to: home)
    for action in actions { try bench.perform(.addAction(actionSet: set, action)) }
    return set
  }

  // MARK: Inputs

  func context(_ user: HomeObjectID? = nil) -> SceneContext {
    let (connections, unreachable) = (connections, unreachable)
    return SceneContext(
      user: user, connection: { connections[$0] ?? .ready }, isUnreachable: { unreachable.contains($0) })
  }

  @discardableResult
  mutating func start(_ request: SceneRequest, as user: HomeObjectID? = nil) throws(HomeError) -> SceneTicket {
    defer { collect() }
    return try run.start(request, in: model, context(user), at: time)
  }

  @discardableResult
  mutating func execute(_ sets: HomeObjectID..., trigger: HomeObjectID? = nil) throws(HomeError) -> SceneTicket {
    try start(.actionSets(sets, trigger: trigger))
  }

  @discardableResult
  mutating func write(_ actions: [HomeAction], as user: HomeObjectID? = nil) throws(HomeError) -> SceneTicket {
    try start(.writes(home: home, actions), as: user)
  }

  /// Returns the number of the error of a request that must be refused, and checks that it sends nothing.
  mutating func refusal(_ request: SceneRequest, as user: HomeObjectID? = nil) -> Int? {
    let before = (puts.count, ended.count, run.running)
    do throws(HomeError) {
      try start(request, as: user)
      return nil
    } catch {
      #expect((puts.count, ended.count, run.running) == before)
      return error.code.rawValue
    }
  }

  mutating func answer(_ put: ScenePut, _ answer: SceneAnswer = .done) {
    run.answered(put.id, answer, at: time)
    collect()
  }

  mutating func connection(_ device: DeviceID, is state: SceneConnection) {
    connections[device] = state
    run.connection(device, is: state, at: time)
    collect()
  }

  mutating func advance(by duration: Duration) {
    uptime += duration
    wall = wall.advanced(by: duration)
    run.advance(to: time)
    collect()
  }

  private mutating func collect() {
    for action in run.takeActions() {
      switch action {
      case .put(let put): puts.append(put)
      case .giveUp(let id): givenUp.append(id)
      case .ended(let ticket, let result, let changes):
        bench.model.apply(changes)
        ended.append(End(ticket: ticket, result: result, changes: changes, uptime: uptime))
      }
    }
  }
}

extension SceneResult {
  /// How each action ended: "done", "refused -70403 14", "not sent 4", "unknown 8".
  var outcomes: [String] {
    actions.map { action in
      switch action.outcome {
      case .done: "done"
      case .refused(let status, let error): "refused \(status.map(String.init) ?? "-") \(error.code.rawValue)"
      case .notSent(let error): "not sent \(error.code.rawValue)"
      case .unknown(let error): "unknown \(error.code.rawValue)"
      }
    }
  }

  var number: Int? { error?.code.rawValue }
}

extension ScenePut {
  /// The entries as "aid.iid".
  var ids: [String] { entries.map(\.id.description) }

  func statuses(_ statuses: [Int]) -> SceneAnswer {
    .statuses(zip(entries, statuses).map { SceneAnswer.Status($0.id, $1) })
  }
}
