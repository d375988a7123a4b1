import Foundation
import HAPHome
import HAPHubLink

extension AppPlace {
  /// Begins an operation that asks the person. It is not a request of the app, so that the clock of a simulated world
  /// stands while the person thinks; the requests to the hub in it are.
  /// - Parameters:
  ///   - body: runs on the main actor, so that a prompt that blocks its thread can't block the hub.
  ///   - done: called on the main queue.
  func begin<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable () async throws -> Value,
    then done: @escaping (Result<Value, HMError>) -> Void
  ) {
    let handler = MainHandler(done)
    Task { @MainActor in
      let result: Result<Value, HMError>
      do { result = .success(try await body()) } catch { result = .failure(HMError(ofPrompt: error)) }
      handler.call(result)
    }
  }
}

extension HMHome {
  /// Asks the person a question about the home. No answer is the error 23.
  /// - Parameters:
  ///   - question: called with the prompt, on the main actor.
  ///   - done: called on the main queue.
  func askPerson<Answer: Sendable>(
    _ question: @escaping @MainActor @Sendable (any HMSetupPrompt) async throws -> Answer?,
    then done: @escaping (Result<Answer, HMError>) -> Void
  ) {
    guard let session else { return AppSession.refuse(.sessionEnded) { _ in done(.failure(.sessionEnded)) } }
    let prompt = HMSetupUI.shared
    session.place.begin {
      guard let answer = try await question(prompt) else { throw HMError.personCancelled }
      return answer
    } then: {
      done($0)
    }
  }
}

extension AppSession {
  /// Sends a request, and waits until the objects show its changes.
  func answer(to request: HubRequest) async throws(HMError) -> HubAnswer {
    let result = await withCheckedContinuation { continuation in
      ask(request) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}

extension HMError {
  static let personCancelled = HMError(.operationCancelled, "the person cancelled the operation")

  /// The error of an operation in which a prompt of the app has thrown.
  init(ofPrompt error: any Error) {
    switch error {
    case let error as HMError: self = error
    case let error as HomeError: self.init(error)
    case is CancellationError: self = .personCancelled
    default: self.init(.unexpectedError, "the prompt of HMSetupUI failed: \(error)")
    }
  }
}
