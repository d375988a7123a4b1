import HAPHome
import HAPHomeEngine
import HAPLoop

/// What arrives at the app's end of a link: answers, which are matched with requests, and events.
///
/// The methods `receive` and `end` are called in the order of the arrival, one call at a time.
final class HubInbox: Sendable {
  /// A request without an answer, or whose answer the app has not taken.
  typealias Reply = @Sendable (Result<HubAnswer, HomeError>) -> Void

  private enum Request: Sendable {
    case sent
    case waiting(Reply)
    case answered(Result<HubAnswer, HomeError>)
  }

  private struct State: Sendable {
    var lastID: UInt64 = 0
    var requests: [UInt64: Request] = [:]
    /// The places that requests without an answer set. The hub reports them only to other apps.
    var places: [UInt64: PersonState] = [:]
    /// Set when the link has ended.
    var end: HomeError?

    /// Stores a result, or returns the function that waits for it.
    mutating func settle(_ id: UInt64, _ result: Result<HubAnswer, HomeError>) -> Reply? {
      switch requests[id] {
      case .waiting(let reply):
        requests[id] = nil
        return reply
      case .sent: requests[id] = .answered(result)
      case .answered, nil: break
      }
      return nil
    }
  }

  let replica = HomeReplica()
  let queue = HubEventQueue()
  private let state = Guarded(State())

  /// Begins a request.
  /// - Parameter reply: gets the answer; nil: `answer(to:)` has to follow.
  /// - Returns: its number.
  /// - Throws: the reason of the end.
  func begin(_ request: HubRequest, reply: Reply? = nil) throws(HomeError) -> UInt64 {
    let (id, end) = state.withLock { state in
      if state.end == nil {
        state.lastID += 1
        state.requests[state.lastID] = reply.map { .waiting($0) } ?? .sent
        if case .place(let person) = request { state.places[state.lastID] = person }
      }
      return (state.lastID, state.end)
    }
    if let end { throw end }
    return id
  }

  /// Waits for the answer to a request.
  /// - Throws: the refusal; the reason of the end; 23 if the task is cancelled. The hub performs a cancelled request
  ///   nevertheless.
  func answer(to id: UInt64) async throws(HomeError) -> HubAnswer {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> Result<HubAnswer, HomeError>? in
          guard case .answered(let result) = state.requests[id] else {
            state.requests[id] = .waiting { continuation.resume(returning: $0) }
            return nil
          }
          state.requests[id] = nil
          return result
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let error = HomeError(
        .operationCancelled, nil,
        "the task that waited for the hub's answer was cancelled; the hub performs the request nevertheless")
      settle(id, .failure(error))
    }
    return try result.get()
  }

  private func settle(_ id: UInt64, _ result: Result<HubAnswer, HomeError>) {
    let reply = state.withLock { $0.settle(id, result) }
    reply?(result)
  }

  /// Takes an answer. The answer to a cancelled request changes only the replica.
  func receive(_ id: UInt64, _ result: Result<HubAnswer, HomeError>) {
    let place = state.withLock { $0.places.removeValue(forKey: id) }
    if case .success(let answer) = result {
      replica.receive(answer)
      if let place { replica.receive(.person(place)) }
    }
    settle(id, result)
  }

  /// Takes an event.
  func receive(_ event: HubEvent) {
    replica.receive(event)
    queue.add(event)
  }

  /// Ends the link. All requests that wait, and all later ones, fail with this error. Any number of times; the first error
  /// counts.
  func end(_ error: HomeError) {
    let waiting = state.withLock { state in
      if state.end == nil { state.end = error }
      return state.requests.keys.sorted().compactMap { state.settle($0, .failure(error)) }
    }
    replica.end()
    for reply in waiting { reply(.failure(error)) }
    queue.end()
  }
}
