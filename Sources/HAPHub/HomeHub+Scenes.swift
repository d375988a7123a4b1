import HAPAccessoryPort
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel

/// An execution of action sets or writes that has not ended.
struct HubExecution {
  enum Origin {
    case app(HubClient, (Result<ExecutionResult, HomeError>) -> Void)
    case trigger(HomeObjectID, EngineTicket)
  }
  let sets: [HomeObjectID]
  let origin: Origin
}

// Action sets and writes: the hub as the shell of `SceneRun`.
extension HomeHub {
  /// Executes action sets or writes for an app, answers with the result, and returns then.
  func execute(
    _ request: SceneRequest, _ sets: [HomeObjectID], for client: HubClient, _ answer: @escaping Answer
  ) async -> HubAnswer? {
    await withCheckedContinuation { continuation in
      let done: (Result<ExecutionResult, HomeError>) -> Void = { result in
        answer(result.map { .executed($0) })
        continuation.resume()
      }
      // The hub may have begun to end before this closure.
      guard phase == .running else { return done(.failure(.hubEnds)) }
      if let error = start(request, sets, .app(client, done)) { done(.failure(error)) }
    }
    return nil
  }

  /// Starts an execution.
  /// - Returns: the reason if an app's request is refused. A refused execution of a trigger is reported to the engine.
  @discardableResult
  func start(_ request: SceneRequest, _ sets: [HomeObjectID], _ origin: HubExecution.Origin) -> HomeError? {
    let context = SceneContext(
      connection: { self.devices[$0]?.state ?? .ended }, isUnreachable: { self.isUnreachableBehindBridge($0) })
    do throws(HomeError) {
      let ticket = try scenes.start(request, in: model, context, at: sceneTime)
      executions[ticket] = HubExecution(sets: sets, origin: origin)
      performScenes()
      return nil
    } catch {
      guard case .trigger(let trigger, let ticket) = origin else { return error }
      let objects = sets.isEmpty ? [trigger] : sets
      let failures = objects.map { ExecutionReport.Failure($0, why: error.message) }
      feed { self.engine.sceneEnded(ticket, ExecutionReport(done: 0, failures: failures)) }
      return nil
    }
  }

  /// Performs the actions of the machine.
  func performScenes() {
    while true {
      let actions = scenes.takeActions()
      if actions.isEmpty { break }
      for action in actions { perform(action) }
    }
    guard let timer = sceneTimer.value else { return }
    if let deadline = scenes.nextDeadline {
      timer.start(after: max(.zero, deadline - sceneTime.uptime))
    } else {
      timer.cancel()
    }
  }

  func sceneTimerFired() {
    scenes.advance(to: sceneTime)
    performScenes()
  }

  private func perform(_ action: SceneAction) {
    switch action {
    case .put(let put): send(put)
    case .giveUp(let id):
      puts[id] = nil
      guard let device = devices[id.device] else { return }
      connectionLost(device, "a request had no answer within 10 s")
      let connection = device.connection
      loop.startTask { await connection.drop() }
    case .ended(let ticket, let result, let changes): ended(ticket, result, changes)
    }
  }

  private func send(_ put: ScenePut) {
    guard let device = devices[put.id.device] else {
      return scenes.answered(put.id, .notSent, at: sceneTime)
    }
    puts[put.id] = put
    let authorizations = authorizations(of: put)
    loop.startTask { [self] in
      let answer = await device.connection.write(put.entries, authorizations, isTimed: put.isTimed)
      answered(put, answer)
    }
  }

  private func answered(_ put: ScenePut, _ answer: SceneAnswer) {
    guard phase == .running, puts.removeValue(forKey: put.id) != nil else { return }
    // The values come first: the end of an execution can activate another trigger.
    wrote(put, answer)
    scenes.answered(put.id, answer, at: sceneTime)
    performScenes()
  }

  /// Reports the values that an accessory confirmed: it sends no event to the controller that wrote.
  private func wrote(_ put: ScenePut, _ answer: SceneAnswer) {
    let refused: Set<AttributeID>
    switch answer {
    case .done:
      refused = []
      heard(put.entries.map { ($0.id, 0) }, from: put.id.device)
    case .statuses(let statuses):
      let named = Set(statuses.map(\.id))
      refused = Set(statuses.lazy.filter { $0.status != 0 }.map(\.id))
        .union(put.entries.lazy.map(\.id).filter { !named.contains($0) })
      heard(statuses.map { ($0.id, $0.status) }, from: put.id.device)
    case .refused, .notSent, .connectionLost, .unreadable, .wrongSignature: return
    }
    let done = put.entries.filter { !refused.contains($0.id) }
    passFirst {
      for entry in done { passWritten(entry.value, of: entry.characteristic) }
    } then: {
      publish(done, of: put)
    }
  }

  private func publish(_ done: [ScenePut.Entry], of put: ScenePut) {
    if clients.contains(where: { !$0.subscribed.isEmpty }) {
      var client: HubClient?
      if case .app(let origin, _) = executions[put.ticket]?.origin { client = origin }
      publish(
        done.map { CharacteristicReading($0.characteristic, value: $0.value) }, isCatchUp: false, except: client)
    }
  }

  private func ended(_ ticket: SceneTicket, _ result: SceneResult, _ changes: [HomeChange]) {
    guard let execution = executions.removeValue(forKey: ticket) else { return }
    let answer = ExecutionResult(result)
    switch execution.origin {
    case .app(let client, let done):
      done(.success(answer))
      publish(
        .executed(answer, sets: execution.sets, trigger: nil, app: client.name), except: client)
    case .trigger(let trigger, let ticket):
      publish(.executed(answer, sets: execution.sets, trigger: trigger, app: nil))
      feed { self.engine.sceneEnded(ticket, ExecutionReport(result)) }
    }
    if changes.isEmpty { return }
    // The answer is sent first.
    loop.later {
      self.feed {
        self.record(changes)
        return []
      }
    }
  }

  /// Records the times of executions. All apps get the changes, because the answer does not contain them.
  private func record(_ changes: [HomeChange]) {
    let sets = Set(model.homes.lazy.flatMap(\.actionSets).map(\.id))
    let changes = changes.filter {
      if case .actionSetExecuted(let id, at: _) = $0.detail { sets.contains(id) } else { false }
    }
    record(changes, with: []) { error in
      if error == nil { self.publish(.changed(changes, app: nil)) }
    }
  }
}
