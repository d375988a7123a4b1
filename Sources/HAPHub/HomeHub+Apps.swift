import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel

extension HomeHub: HubServing {
  /// Connects an app of this process. The link reports events after its request `attach`.
  /// - Parameter processID: for `status`; nil: unknown.
  package func attach(app: String, processID: Int? = nil) async throws(HomeError) -> InProcessLink {
    let link = link(processID: processID)
    _ = try await link.ask(.attach(app: app))
    return link
  }

  /// Connects an app of this process, which then sends its request `attach`.
  package func link(processID: Int? = nil) -> InProcessLink {
    let link = InProcessLink(self, processID: processID)
    connect(link.app)
    return link
  }

  package func connect(_ app: any HubApp) {
    guard phase == .running || phase == .new else { return app.end() }
    clients.append(HubClient(app))
  }

  package func disconnect(_ app: any HubApp) {
    guard let index = clients.firstIndex(where: { $0.app === app }) else { return }
    let client = clients.remove(at: index)
    client.name = nil
    if !client.subscribed.isEmpty {
      client.subscribed = []
      refreshSubscriptions()
    }
    if client.searches { endSearch(of: client) }
  }

  package func take(
    _ request: HubRequest, from app: any HubApp, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void
  ) async {
    guard phase == .running, let client = clients.first(where: { $0.app === app }) else {
      return reply(.failure(.hubEnds))
    }
    if let user = app.user {
      do throws(HomeError) { try checkPrivileges(request, user) } catch { return reply(.failure(error)) }
    }
    switch request {
    // The answer comes before all later events, so nothing is awaited.
    case .attach(let name): return reply(.success(attached(client, name)))
    case .search: return reply(.success(.found(beginSearch(of: client))))
    // In the order of the app's requests. The wait for the accessories does not delay the next one.
    case .subscribe(let ids):
      do throws(HomeError) { try subscribe(ids, client) } catch { return reply(.failure(error)) }
    default: break
    }
    let waits = !request.waitsForAccessories || client.isCrowded
    let answer = client.opened(reply)
    if waits {
      await handle(request, client, answer)
    } else {
      loop.startTask { await self.handle(request, client, answer) }
    }
  }

  // MARK: Requests

  typealias Answer = (Result<HubAnswer, HomeError>) -> Void

  private func handle(_ request: HubRequest, _ client: HubClient, _ answer: @escaping Answer) async {
    // The hub may have ended since the request was taken.
    guard phase == .running else { return answer(.failure(.hubEnds)) }
    do throws(HomeError) {
      if let result = try await handled(request, client, answer) { answer(.success(result)) }
    } catch { answer(.failure(error)) }
  }

  /// - Parameter answer: called directly for an answer with changes, so that no event of a later change overtakes it.
  /// - Returns: the answer; nil: `answer` was called.
  private func handled(
    _ request: HubRequest, _ client: HubClient, _ answer: @escaping Answer
  ) async throws(HomeError) -> HubAnswer? {
    switch request {
    case .attach, .search: preconditionFailure("these are answered at once")
    case .perform(let command): return try await perform(command, for: client, answer)
    case .execute(let sets): return await execute(.actionSets(sets, trigger: nil), sets, for: client, answer)
    case .write(let home, let actions):
      return await execute(.writes(home: home, actions), [], for: client, answer)
    case .read(let ids): return .values(await read(ids))
    case .subscribe(let ids): await waitForSubscriptions(to: ids)
    case .unsubscribe(let ids):
      client.subscribed.subtract(ids)
      refreshSubscriptions()
    case .fire(let trigger): return .evaluated(try await fire(trigger))
    case .explain(let trigger): return .explained(try explanations(of: trigger))
    case .place(let person): return try await place(person, for: client, answer)
    case .authorize(let characteristic, let data): try await authorize(characteristic, data)
    case .identify(let accessory): try await identify(accessory)
    case .endSearch: endSearch(of: client)
    case .identifyNew(let device): try await port.identifyUnpaired(device)
    case .add(let addition): return try await add(addition, for: client, answer)
    case .adopt(let adoption): return try await adopt(adoption, for: client, answer)
    case .remove(let accessory, let forgets):
      return try await remove(accessory, forgets: forgets, for: client, answer)
    case .drop(let device): try await drop(device)
    case .requestShare(let name): return .document(try await requestShare(name))
    case .share(let sharing): return try await share(sharing, for: client, answer)
    case .renewShare(let user): return .document(try await renewShare(user))
    case .acceptShare(let text): return try await accept(text, for: client, answer)
    case .pageToken(let user, let renews): return .document(try await pageToken(of: user, renews: renews))
    case .status: return .status(status)
    case .stop: loop.startTask { await self.stop() }
    }
    return .done
  }

  private func attached(_ client: HubClient, _ name: String) -> HubAnswer {
    client.name = name
    let users = Set(model.homes.lazy.flatMap(\.users).map(\.id))
    return .attached(
      HubSnapshot(
        model: model, unreachable: unreachable,
        persons: persons.values.filter { users.contains($0.user) }.sorted { $0.user < $1.user }))
  }

  private func subscribe(_ ids: [HomeObjectID], _ client: HubClient) throws(HomeError) {
    for id in ids {
      guard let target = index.targets[id] else { throw HomeError.unknown(.characteristic, id) }
      guard target.permissions.contains(.events) else {
        throw HomeError(.notificationNotSupported, nil, "\(name(of: id)) reports no changes: read it instead")
      }
    }
    let new = Set(ids).subtracting(client.subscribed)
    client.subscribed.formUnion(ids)
    // Accessories report the present values only for a first subscription.
    let present = new.filter { id in
      index.targets[id].map { devices[$0.device]?.wanted.contains($0.id) == true } ?? false
    }
    refreshSubscriptions()
    if present.isEmpty { return }
    startRead(present.sorted(), limit: nil) { [weak client] read in
      let readings = read.readings.filter { $0.value != nil && client?.subscribed.contains($0.characteristic) == true }
      if !readings.isEmpty { client?.receive(SharedHubEvent(.values(readings, isCatchUp: true))) }
    }
  }

  // MARK: Events

  /// Reports an event to all attached apps.
  func publish(_ event: HubEvent, except client: HubClient? = nil) {
    tell { [self] in
      let shared = SharedHubEvent(event)
      for app in clients where app !== client { app.receive(shared) }
    }
  }

  /// Passes inputs to the engine, and then does `last`. Only then do apps get the events about these inputs: what the
  /// engine records is being stored by then.
  func passFirst(_ inputs: () -> Void, then last: () -> Void) {
    precondition(automation.held == nil, "an input is passed while another one is being passed")
    automation.held = []
    inputs()
    let held = automation.held ?? []
    automation.held = nil
    last()
    for body in held { body() }
  }

  /// Tells apps something now, or after the inputs that are being passed.
  func tell(_ body: @escaping () -> Void) {
    if automation.held == nil { body() } else { automation.held?.append(body) }
  }

  /// Reports values to the apps that subscribed to them.
  func publish(_ readings: [CharacteristicReading], isCatchUp: Bool, except client: HubClient? = nil) {
    let all = SharedHubEvent(.values(readings, isCatchUp: isCatchUp))
    for app in clients where app !== client && !app.subscribed.isEmpty {
      let wanted = readings.filter { app.subscribed.contains($0.characteristic) }
      if wanted.isEmpty { continue }
      app.receive(wanted.count == readings.count ? all : SharedHubEvent(.values(wanted, isCatchUp: isCatchUp)))
    }
  }

  /// "Front Door Lock/Lock Current State", for messages.
  func name(of characteristic: HomeObjectID) -> String {
    guard let target = index.targets[characteristic],
      let (home, accessory) = model.accessory(target.accessory),
      let found = home.characteristic(characteristic)
    else { return characteristic.description }
    return "\(accessory.name)/\(found.characteristic.displayName)"
  }
}

extension HubRequest {
  /// Whether the next request of the app is taken before the answer.
  fileprivate var waitsForAccessories: Bool {
    switch self {
    case .attach, .perform, .unsubscribe, .explain, .place, .authorize, .search, .endSearch, .requestShare, .renewShare,
      .acceptShare, .pageToken, .status, .stop:
      false
    case .execute, .write, .read, .subscribe, .fire, .identify, .identifyNew, .add, .adopt, .remove, .drop, .share: true
    }
  }
}
