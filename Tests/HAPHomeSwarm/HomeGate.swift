/// A value that is set once, and for which one task can wait.
final class HomeGate<T: Sendable>: @unchecked Sendable {  // confined to the world's thread
  private var result: T??
  private var waiting: CheckedContinuation<T?, Never>?

  /// - Parameter value: nil: there will be none.
  func open(_ value: T?) {
    guard result == nil else { return }
    result = .some(value)
    waiting?.resume(returning: value)
    waiting = nil
  }

  func value() async -> T? {
    await withCheckedContinuation { continuation in
      if let result { continuation.resume(returning: result) } else { waiting = continuation }
    }
  }
}
