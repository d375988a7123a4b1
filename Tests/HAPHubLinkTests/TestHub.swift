import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPLoop

@testable import HAPHubLink

/// A hub without accessories: homes that apps change, and requests that are answered on demand.
actor TestHub: HubServing {
  private struct Client {
    let app: any HubApp
    /// Nil: not attached.
    var name: String?
  }

  typealias Reply = @Sendable (Result<HubAnswer, HomeError>) -> Void

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var homes = RandomHomes(seed: 1)
  private var random = HubRandom(seed: 2)
  private var unreachable: [HomeObjectID: String] = [:]
  private var persons: [HomeObjectID: PersonState] = [:]
  private var clients: [ObjectIdentifier: Client] = [:]
  /// The replies to `read` and `identify`, which wait for `release`.
  private var held: [Reply] = []
  private var ended = false
  /// Counts the requests that were taken.
  private(set) var takenCount = 0
  private var waiters: [(isMet: (TestHub) -> Bool, CheckedContinuation<Void, Never>)] = []

  init(_ loop: EventLoop) { self.loop = loop }

  // MARK: Apps

  func connect(_ app: any HubApp) {
    if ended { return app.end() }
    clients[ObjectIdentifier(app)] = Client(app: app)
    check()
  }

  func holder(ofToken token: String) -> TokenHolder? { nil }
  func whenTokenEnds(_ body: @escaping @Sendable () -> Void) {}

  func disconnect(_ app: any HubApp) {
    clients[ObjectIdentifier(app)] = nil
    check()
  }

  func take(_ request: HubRequest, from app: any HubApp, reply: @escaping Reply) async {
    takenCount += 1
    defer { check() }
    let key = ObjectIdentifier(app)
    guard clients[key] != nil else { return reply(.failure(HomeError(.noHomeHub, nil, "unknown app"))) }
    switch request {
    case .attach(let name):
      clients[key]?.name = name
      reply(.success(.attached(snapshot)))
    case .perform(let command):
      do throws(HomeError) {
        let changes = try homes.perform(command)
        reply(.success(.changed(changes)))
        changed(changes, by: key)
      } catch { reply(.failure(error)) }
    case .place(let person):
      persons[person.user] = person
      reply(.success(.done))
      publish(.person(person), except: key)
    case .read, .identify: held.append(reply)
    case .status: reply(.success(.status(status)))
    case .explain: reply(.success(.explained([EvaluationReport](repeating: longReport, count: 20))))
    case .stop:
      reply(.success(.done))
      stop()
    default: reply(.success(.done))
    }
  }

  private func publish(_ event: HubEvent, except key: ObjectIdentifier? = nil) {
    let shared = SharedHubEvent(event)
    for (other, client) in clients where other != key && client.name != nil { client.app.receive(shared) }
  }

  private func changed(_ changes: [HomeChange], by key: ObjectIdentifier?) {
    publish(.changed(changes, app: key.flatMap { clients[$0]?.name }), except: key)
    for change in changes {
      switch change.detail {
      case .accessoryAdded(let accessory): unreachable[accessory.id] = HubSnapshot.newConnection
      case .accessoryRemoved(let id): unreachable[id] = nil
      case .userRemoved(let id): persons[id] = nil
      default: break
      }
    }
    let users = Set(homes.model.homes.flatMap(\.users).map(\.id))
    let accessories = Set(homes.model.homes.flatMap(\.accessories).map(\.id))
    persons = persons.filter { users.contains($0.key) }
    unreachable = unreachable.filter { accessories.contains($0.key) }
  }

  func stop() {
    ended = true
    publish(.stopping)
    let apps = clients.values.map(\.app)
    clients = [:]
    for app in apps { app.end() }
  }

  /// About 6 KB.
  private let longReport = EvaluationReport(
    trigger: HomeObjectID("00000000-0000-4000-8000-000000000001")!, number: 1, time: Instant(seconds: 0), outcome: "",
    text: String(repeating: "x", count: 6000), detail: "{}")

  // MARK: For tests

  var snapshot: HubSnapshot {
    HubSnapshot(
      model: homes.model, unreachable: unreachable, persons: persons.values.sorted { $0.user < $1.user })
  }

  var status: HubStatus {
    HubStatus(
      version: "test", processID: 1, started: Instant(seconds: 0), devices: [],
      apps: clients.values.map { client in
        HubStatus.App(
          name: client.name ?? "", processID: client.app.processID, subscriptions: 0, gaps: client.app.gaps)
      }.sorted { $0.name < $1.name }, problems: [])
  }

  var clientCount: Int { clients.count }
  var heldCount: Int { held.count }

  /// Changes the homes, the place of a user or the reachability of an accessory, as the hub itself does.
  func step() {
    switch random.number(0...9) {
    case 0:
      guard let home = homes.model.homes.first, let user = home.users.last else { return }
      let person = PersonState(user.id, random.pick([.home, .away]))
      persons[user.id] = person
      publish(.person(person))
    case 1...3:
      guard let accessory = homes.model.homes.flatMap(\.accessories).last?.id else { return }
      let why = random.optional { $0.text() }
      unreachable[accessory] = why
      publish(.reachability(accessory, isReachable: why == nil, why: why))
    default: changed(homes.step().changes, by: nil)
    }
  }

  func send(_ event: HubEvent) { publish(event) }

  /// Returns a command that is valid now.
  func validCommand() -> HomeCommand {
    var copy = homes
    let command = copy.step().command
    homes.generator = copy.generator
    return command
  }

  /// Answers the requests that wait, the last one first.
  func release() {
    while let reply = held.popLast() { reply(.success(.values([]))) }
  }

  /// Waits until a condition is true.
  func wait(_ isMet: @escaping @Sendable (isolated TestHub) -> Bool) async {
    if isMet(self) { return }
    await withCheckedContinuation { continuation in
      waiters.append(({ hub in hub.assumeIsolated { isMet($0) } }, continuation))
    }
  }

  private func check() {
    let met = waiters.filter { $0.isMet(self) }
    waiters.removeAll { $0.isMet(self) }
    for (_, continuation) in met { continuation.resume() }
  }
}
