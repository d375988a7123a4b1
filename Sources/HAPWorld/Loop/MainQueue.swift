import Dispatch

/// The main queue of the process, which runs `@MainActor` code. It is the only executor that a world does not replace.
enum MainQueue {
  /// The number of times that `drain()` waits for the queue. Work can add more work, and the queue can't report whether
  /// it is empty.
  private static let generations = 3

  /// The key that identifies the queue, because any thread can run its work.
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  /// Waits until the work on the main queue has run. It must not be called on the main thread.
  static func drain() {
    for _ in 0..<generations {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.main.async { done.signal() }
      done.wait()
    }
  }
}
