import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPLoop
import HAPModel
import HAPTestSupport
import HAPWire

/// A hub in memory: its homes are real, its accessories keep the values that are written.
final class MemoryHub: Sendable {
  struct Joinable: Sendable {
    var record: NewAccessory
    var code: String
    var description: DeviceDescription
  }

  struct State: Sendable {
    var model = HomeModel()
    var random = SeededGenerator(seed: 1)
    var values: [HomeObjectID: Value] = [:]
    var unreachable: [HomeObjectID: String] = [:]
    var persons: [PersonState] = []
    var reports: [HomeObjectID: [EvaluationReport]] = [:]
    var joinable: [Joinable] = []
    /// The errors of requests to come, by what the request's description contains.
    var refusals: [(part: String, error: HomeError)] = []
    /// The events that the next link gets after `attach`.
    var events: [HubEvent] = []
    var requests: [HubRequest] = []
    var identified: [String] = []
    var status: HubStatus?
    /// Whether the hub is in the process of the command, because no other one runs.
    var isEmbedded = false
  }

  let state = Guarded(State())

  static func zoneRules(_ zone: ZoneName) -> ZoneRules? {
    switch zone.text {
    case "UTC": .utc
    case "Test/City": try? ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")
    default: nil
    }
  }

  var model: HomeModel { state.withLock { $0.model } }
  var home: Home { model.homes[0] }
  var requests: [HubRequest] { state.withLock { $0.requests } }

  /// Performs commands before a test.
  func prepare(_ commands: HomeCommand...) throws {
    for command in commands {
      _ = try state.withLock { state in
        try state.model.perform(
          command, in: HomeContext(now: Instant(seconds: 0), zoneRules: Self.zoneRules), using: &state.random)
      }
    }
  }

  func answer(_ request: HubRequest, now: Instant) throws(HomeError) -> HubAnswer {
    do {
      return try state.withLock { state in
        state.requests.append(request)
        if let index = state.refusals.firstIndex(where: { "\(request)".contains($0.part) }) {
          throw state.refusals.remove(at: index).error
        }
        return try state.answer(request, now: now)
      }
    } catch let error as HomeError { throw error } catch { preconditionFailure("\(error)") }
  }
}

extension MemoryHub.State {
  fileprivate mutating func perform(_ command: HomeCommand, _ now: Instant) throws(HomeError) -> [HomeChange] {
    try model.perform(command, in: HomeContext(now: now, zoneRules: MemoryHub.zoneRules), using: &random)
  }

  fileprivate mutating func answer(_ request: HubRequest, now: Instant) throws(HomeError) -> HubAnswer {
    switch request {
    case .attach:
      return .attached(HubSnapshot(model: model, unreachable: unreachable, persons: persons))
    case .perform(let command): return .changed(try perform(command, now))
    case .execute(let sets):
      return .executed(
        execute(sets.flatMap { id in set(id).actions.map { (id, $0) } }))
    case .write(_, let actions): return .executed(execute(actions.map { (nil, $0) }))
    case .read(let ids):
      return .values(
        ids.map { id in
          values[id].map { CharacteristicReading(id, value: $0) }
            ?? CharacteristicReading(
              id, error: HomeError(.accessoryNotReachable, nil, "the accessory can't be reached"))
        })
    case .subscribe, .unsubscribe, .authorize, .endSearch, .stop: return .done
    case .fire(let trigger):
      let report = EvaluationReport(
        trigger: trigger, number: 1, time: now, outcome: "executed", text: "fired\n  event: by hand", detail: "{}")
      reports[trigger, default: []].append(report)
      return .evaluated(report)
    case .explain(let trigger): return .explained(reports[trigger] ?? [])
    case .place(let person):
      persons = persons.filter { $0.user != person.user } + [person]
      return .done
    case .identify(let id):
      identified.append(id.description)
      return .done
    case .identifyNew(let device):
      identified.append(device.text)
      return .done
    case .search: return .found(joinable.map(\.record))
    case .add(let addition): return try add(addition, now)
    case .adopt(let adoption): return try adopt(adoption, now)
    case .remove(let id, forgets: let forgets):
      if let why = unreachable[id], !forgets {
        throw HomeError(.accessoryNotReachable, nil, "the accessory can't be reached: \(why); --forget removes it")
      }
      return .changed(try perform(.removeAccessory(id), now))
    case .drop(let device):
      identified.append("drop \(device)")
      return .done
    case .requestShare(let name): return .document("request of \(name)\n")
    case .share(let sharing): return .shared(try share(sharing, now))
    case .renewShare: return .document("share again\n")
    case .acceptShare(let text):
      if !text.hasPrefix("share") { throw HomeError(.invalidParameter, nil, "this is no shared home") }
      return .changed(try perform(.addHome(name: "Shared", zone: .utc, location: nil, owner: "Ann"), now))
    case .pageToken(let user, let renews):
      return .document("token of \(user.map { "\($0)" } ?? "the owner")\(renews ? ", renewed" : "")")
    case .status:
      guard let status else { throw HomeError(.noHomeHub, nil, "no status") }
      return .status(status)
    }
  }

  private mutating func share(_ sharing: HomeSharing, _ now: Instant) throws(HomeError) -> SharedHome {
    let changes = try perform(
      .addUser(home: sharing.home, name: String(sharing.request.dropLast().suffix(3)), role: sharing.role), now)
    guard case .userAdded(let user) = changes[0].detail else { preconditionFailure("no user") }
    return SharedHome(user: user.id, document: "share\n", later: unreachable.keys.sorted(), changes: changes)
  }

  private func set(_ id: HomeObjectID) -> ActionSet {
    guard let set = model.homes.flatMap(\.actionSets).find(id) else { preconditionFailure("no set \(id)") }
    return set
  }

  private mutating func execute(_ actions: [(HomeObjectID?, HomeAction)]) -> ExecutionResult {
    var results: [ExecutionResult.Action] = []
    for (set, action) in actions {
      let accessory = model.homes.compactMap { $0.characteristic(action.characteristic)?.accessory }.first
      if let id = accessory?.id, unreachable[id] != nil {
        results.append(
          .init(
            actionSet: set, action: action, outcome: .notSent,
            error: HomeError(.accessoryNotReachable, nil, "the accessory can't be reached")))
      } else {
        values[action.characteristic] = action.value
        results.append(.init(actionSet: set, action: action, outcome: .done))
      }
    }
    let done = results.filter { $0.outcome == .done }.count
    let error: HomeError? =
      done == results.count
      ? nil
      : HomeError(
        done == 0 ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess, nil,
        "\(results.count - done) of \(results.count) actions failed")
    return ExecutionResult(actions: results, skipped: [], error: error)
  }

  private mutating func add(_ addition: AccessoryAddition, _ now: Instant) throws(HomeError) -> HubAnswer {
    let match = joinable.firstIndex { entry in
      addition.device.map { $0 == entry.record.device } ?? addition.code.hasSuffix("7OSX")
    }
    guard let match else { throw HomeError(.notFound, nil, "no accessory has the setup ID of the payload") }
    let entry = joinable[match]
    guard addition.code == entry.code || addition.code.hasPrefix("X-HM:") else {
      throw HomeError(.accessoryPairingFailed, nil, "the code is wrong: it is on the accessory's label")
    }
    joinable.remove(at: match)
    let changes = try perform(.addDevice(home: addition.home, entry.description), now)
    return .added(changes.added, changes)
  }

  private mutating func adopt(_ adoption: PairingAdoption, _ now: Instant) throws(HomeError) -> HubAnswer {
    let device = adoption.device
    guard let description = DeviceDescription.all.first(where: { $0.device == device }) else {
      throw HomeError(.accessoryNotReachable, nil, "the accessory \(device) can't be reached")
    }
    var changes = try perform(.addDevice(home: adoption.home, description), now)
    let ids = changes.added
    for id in ids {
      guard let home = model.home(adoption.home), let accessory = home.accessories.find(id) else { continue }
      if let name = adoption.names[accessory.aid] { changes += try perform(.rename(id, name), now) }
      guard let room = adoption.rooms[accessory.aid] else { continue }
      if !home.rooms.contains(where: { $0.name.text == room }) {
        changes += try perform(.addRoom(home: home.id, name: room), now)
      }
      guard let target = model.home(home.id)?.rooms.first(where: { $0.name.text == room }) else { continue }
      changes += try perform(.moveAccessory(id, room: target.id), now)
    }
    return .added(ids, changes)
  }
}

extension [HomeChange] {
  fileprivate var added: [HomeObjectID] {
    compactMap { if case .accessoryAdded(let accessory) = $0.detail { accessory.id } else { nil } }
  }
}

/// The link of one command.
final class MemoryLink: HomeLink {
  let replica = HomeReplica()
  let events: AsyncStream<HubEvent>
  private let event: AsyncStream<HubEvent>.Continuation
  private let hub: MemoryHub
  private let loop: EventLoop

  init(_ hub: MemoryHub, _ loop: EventLoop) {
    (events, event) = AsyncStream.makeStream()
    (self.hub, self.loop) = (hub, loop)
  }

  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer {
    let now = Instant(seconds: loop.readWallClock().components.seconds)
    var answer = try hub.answer(request, now: now)
    if case .status(var status) = answer, hub.state.withLock({ $0.isEmbedded }) {
      status.processID = Int(loop.localSocketFiles.processID)
      answer = .status(status)
    }
    replica.receive(answer)
    if case .attach = request { for next in hub.state.withLock({ $0.events }) { event.yield(next) } }
    return answer
  }

  func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void) {
    loop.startTask { [self] in
      do throws(HomeError) { reply(.success(try await ask(request))) } catch { reply(.failure(error)) }
    }
  }

  func close() async {
    event.finish()
    replica.end()
  }
}
