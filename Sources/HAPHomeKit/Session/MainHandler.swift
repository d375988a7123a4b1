import Dispatch
import Foundation
import HAPLoop

/// A completion handler of an app, which is called once on the main queue.
// Safe: the app gives the function away, as it would give it to Apple's framework. Only `call` uses it, once, in a work
// item of the main queue.
struct MainHandler<Value>: @unchecked Sendable {
  let call: (Value) -> Void

  init(_ call: @escaping (Value) -> Void) { self.call = call }
}

/// A weak reference to a delegate, for objects that any thread may use. Delegates are called on the main queue.
final class DelegateSlot<Delegate>: Sendable {
  // The delegate leaves the lock: it belongs to the app, which sets it and is called on the main queue.
  private let find = Guarded<() -> Delegate?>({ nil })

  init() {}

  var delegate: Delegate? { find.withLock { $0 }() }

  /// Sets the delegate.
  ///
  /// A slot that kept an object and cast it to the protocol would lose delegates on the main actor: outside of a task, the
  /// cast finds no conformance that is isolated to it (`extension Store: @MainActor HMHomeDelegate`).
  /// - Parameter find: returns the object from a weak reference.
  func set(_ find: @escaping () -> Delegate?) { self.find.withLock { $0 = find } }
}

extension HMError {
  fileprivate static let noResult = HMError(.unexpectedError, "the operation has neither a result nor an error")
}

/// Turns a method with a completion handler into one that waits.
func awaiting(_ begin: (@escaping ((any Error)?) -> Void) -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    begin { error in
      if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }
}

/// Turns a method with a completion handler and a result into one that waits.
func awaiting<Value: Sendable>(_ begin: (@escaping (Value?, (any Error)?) -> Void) -> Void) async throws -> Value {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
    begin { value, error in
      if let value {
        continuation.resume(returning: value)
      } else {
        continuation.resume(throwing: error ?? HMError.noResult)
      }
    }
  }
}
