import HAPHome
import HAPHubLink
import HAPLoop

/// The link of an app in the process of the hub.
package final class InProcessLink: HomeLink {
  /// The greatest number of events that wait for the reader.
  package static let room = 1000

  private let hub: HomeHub
  let app: InProcessApp
  package var replica: HomeReplica { app.replica }
  package let events: AsyncStream<HubEvent>

  init(_ hub: HomeHub, processID: Int?) {
    self.hub = hub
    let app = InProcessApp(processID: processID)
    self.app = app
    events = AsyncStream { await app.next() }
  }

  deinit {
    let (hub, app) = (hub, app)
    app.end()
    hub.loop.startTask { await hub.disconnect(app) }
  }

  package func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer {
    let (hub, app) = (hub, app)
    if app.hasEnded { throw HomeError.hubEnds }
    let result = await withCheckedContinuation { continuation in
      hub.loop.startTask {
        await hub.take(request, from: app) { result in
          if case .success(let answer) = result { app.receive(answer) }
          continuation.resume(returning: result)
        }
      }
    }
    return try result.get()
  }

  package func close() async {
    await hub.disconnect(app)
    app.end()
  }
}

/// The app of a link: a queue of events, which has a limit.
final class InProcessApp: HubApp {
  let processID: Int?
  let replica = HomeReplica()

  private struct State: Sendable {
    var events: [HubEvent] = []
    var reader: CheckedContinuation<HubEvent?, Never>?
    var gaps = 0
    /// Whether events were dropped, and the app has not attached again.
    var hasGap = false
    var hasEnded = false
  }
  private let state = Guarded(State())

  init(processID: Int?) { self.processID = processID }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }
  var gaps: Int { state.withLock { $0.gaps } }

  func receive(_ answer: HubAnswer) {
    replica.receive(answer)
    guard case .attached = answer else { return }
    state.withLock { state in
      if state.hasGap { state.events = [] }
      state.hasGap = false
    }
  }

  func receive(_ shared: SharedHubEvent) {
    let event = shared.event
    replica.receive(event)
    let reader = state.withLock { state -> CheckedContinuation<HubEvent?, Never>? in
      if state.hasEnded || state.hasGap { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if state.events.count < InProcessLink.room {
        state.events.append(event)
      } else {
        state.events = [.missed]
        state.hasGap = true
        state.gaps += 1
      }
      return nil
    }
    reader?.resume(returning: event)
  }

  func end() {
    replica.end()
    let reader = state.withLock { state in
      state.hasEnded = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// Waits for the next event; nil: the link has ended.
  func next() async -> HubEvent? {
    await withCheckedContinuation { continuation in
      let (event, waits) = state.withLock { state -> (HubEvent?, Bool) in
        if !state.events.isEmpty { return (state.events.removeFirst(), false) }
        if state.hasEnded || state.reader != nil { return (nil, false) }
        state.reader = continuation
        return (nil, true)
      }
      if !waits { continuation.resume(returning: event) }
    }
  }
}
