import HAPHome
import HAPHubLink
import HAPLoop

/// The link of an app in the process of the hub.
package final class InProcessLink: HomeLink {
  private let hub: HomeHub
  let app: InProcessApp
  package var replica: HomeReplica { app.replica }
  package var events: AsyncStream<HubEvent> { app.queue.events }

  init(_ hub: HomeHub, processID: Int?) {
    self.hub = hub
    app = InProcessApp(processID: processID)
  }

  deinit {
    let (hub, app) = (hub, app)
    app.end()
    hub.loop.startTask { await hub.disconnect(app) }
  }

  package func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer {
    let result = await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  package func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void) {
    let (hub, app) = (hub, app)
    if app.hasEnded { return reply(.failure(.hubEnds)) }
    hub.loop.startTask {
      await hub.take(request, from: app) { result in
        if case .success(let answer) = result { app.replica.receive(answer) }
        reply(result)
      }
    }
  }

  package func close() async {
    await hub.disconnect(app)
    app.end()
  }
}

/// The app of a link. The copy of the homes also has the changes whose events are dropped.
final class InProcessApp: HubApp {
  let processID: Int?
  let replica = HomeReplica()
  let queue = HubEventQueue()
  private let ended = Guarded(false)

  init(processID: Int?) { self.processID = processID }

  var gaps: Int { queue.gaps }
  var hasEnded: Bool { ended.withLock { $0 } }

  func receive(_ shared: SharedHubEvent) {
    let event = shared.event
    replica.receive(event)
    queue.add(event)
  }

  func end() {
    ended.withLock { $0 = true }
    replica.end()
    queue.end()
  }
}
