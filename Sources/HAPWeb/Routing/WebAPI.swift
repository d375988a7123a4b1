import HAPLoop

/// An API: an actor on the loop of its listener.
package protocol WebAPI: Actor {
  nonisolated var loop: EventLoop { get }
  /// Answers any request.
  func answer(_ request: WebRequest) async -> WebAnswer
}

extension WebAPI {
  /// Answers any request. Called on the loop, as is `then`.
  package nonisolated func answer(_ request: WebRequest, then: @escaping (WebAnswer) -> Void) {
    loop.preconditionOnLoop()
    let bound = LoopBound(here: loop, then)
    loop.startTask { await self.answer(request, told: bound) }
  }

  /// Calls `then` on the loop.
  private func answer(_ request: WebRequest, told then: LoopBound<(WebAnswer) -> Void>) async {
    let answer = await answer(request)
    then.value(answer)
  }

  /// Parses a request. A long body is parsed off the loop, which also serves accessories or runs automations.
  package func parsed<Call: Sendable>(
    _ request: WebRequest, _ parse: @escaping @Sendable () throws(WebProblem) -> Call
  ) async throws(WebProblem) -> Call {
    // Parsing a shorter body takes less time than a change of threads.
    if request.body.count <= 8 * 1024 { return try parse() }
    return try await offLoop(parse)
  }

  /// Runs work that takes time on another thread.
  package func offLoop<R: Sendable>(
    _ work: @escaping @Sendable () throws(WebProblem) -> R
  ) async throws(WebProblem) -> R {
    let result = await withCheckedContinuation { continuation in
      loop.offload {
        Result { () throws(WebProblem) in try work() }
      } then: { (result: Result<R, WebProblem>) in
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
