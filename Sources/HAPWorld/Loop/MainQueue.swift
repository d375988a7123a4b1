import Dispatch

/// The main queue of the process, on which `@MainActor` code runs: the one executor that a world does not replace.
enum MainQueue {
  /// Work on the main queue that starts more of it counts this often. The queue can't be asked whether it is empty.
  private static let generations = 3

  /// Marks the queue. Any thread can be the one that runs it.
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller is work of the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  /// Waits until what is on the main queue has run. Not to be called on the main thread.
  static func drain() {
    for _ in 0..<generations {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.main.async { done.signal() }
      done.wait()
    }
  }
}
