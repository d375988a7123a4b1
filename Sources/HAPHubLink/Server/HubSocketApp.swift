import HAPHome
import HAPLoop

/// An app of another process, as the hub sees it. Its lines wait here until the connection takes them.
final class HubSocketApp: HubApp {
  private struct State: Sendable {
    var outbox = HubOutbox()
    /// Requests that the hub has taken and not answered.
    var openRequestCount = 0
    /// The hub has ended.
    var hasEnded = false
    /// Whether `onNews` was called, and the connection has not looked since.
    var isNewsDue = false
  }

  /// The state that the connection has to know.
  struct Summary {
    let byteCount: Int
    let openRequestCount: Int
    let hasEnded: Bool
  }

  let processID: Int?
  private let state = Guarded(State())
  /// Called from any thread after lines were added, and after the end of the hub.
  private let onNews: @Sendable () -> Void

  init(processID: Int?, onNews: @escaping @Sendable () -> Void) {
    (self.processID, self.onNews) = (processID, onNews)
  }

  // MARK: For the connection

  var summary: Summary {
    state.withLock { state in
      Summary(byteCount: state.outbox.byteCount, openRequestCount: state.openRequestCount, hasEnded: state.hasEnded)
    }
  }

  /// Asks for a call of `onNews` at the next change. Called before the connection looks.
  func awaitNews() { state.withLock { $0.isNewsDue = false } }

  /// Removes the first lines, together at least `count` bytes, or all of them.
  func take(_ count: Int) -> [UInt8] { state.withLock { $0.outbox.take(count) } }

  /// Counts a request that the hub is about to take.
  func begin() { state.withLock { $0.openRequestCount += 1 } }

  /// Adds the error of a line that is not a request.
  func refuse(_ id: UInt64?, _ error: HomeError) {
    change { $0.outbox.add(answer: HubMessage.answer(id: id, .failure(error)).bytes, isSnapshot: false) }
  }

  // MARK: For the hub

  var gaps: Int { state.withLock { $0.outbox.gaps } }

  func receive(_ event: SharedHubEvent) {
    // Only one thread at a time adds events, so this can't become true before the event is added.
    if state.withLock({ $0.outbox.isDropping }) { return }
    let bytes = event.line
    change { $0.outbox.add(event: bytes) }
  }

  /// Adds the answer to a request.
  func answer(_ id: UInt64, _ result: Result<HubAnswer, HomeError>) {
    var bytes = HubMessage.answer(id: id, result).bytes
    var isSnapshot = if case .success(.attached) = result { true } else { false }
    if bytes.count > HubProtocol.longestMessage {
      let error = HomeError(
        .maximumObjectLimitReached, nil,
        "the answer has \(bytes.count) bytes; a line of a hub has \(HubProtocol.longestMessage) at most")
      (bytes, isSnapshot) = (HubMessage.answer(id: id, .failure(error)).bytes, false)
    }
    change { state in
      state.outbox.add(answer: bytes, isSnapshot: isSnapshot)
      state.openRequestCount -= 1
    }
  }

  func end() { change { $0.hasEnded = true } }

  private func change(_ body: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      body(&state)
      defer { state.isNewsDue = true }
      return !state.isNewsDue
    }
    if isFirst { onNews() }
  }
}
