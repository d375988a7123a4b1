import Dispatch
import HAPLoop
import Synchronization

/// The main queue of the process, on which `@MainActor` code runs: the one executor that a world does not replace.
enum MainQueue {
  /// Work on the main queue that starts more of it counts this often. The queue can't be asked whether it is empty.
  private static let generations = 3
  /// 0: not known yet.
  private static let thread = Atomic<UInt>(0)

  /// Whether the calling thread is the main queue's, as far as `drain` has seen it.
  static var isCurrent: Bool { thread.load(ordering: .acquiring) == currentThread() }

  /// Waits until what is on the main queue has run. Not to be called on the main thread.
  static func drain() {
    for _ in 0..<generations {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.main.async {
        thread.store(currentThread(), ordering: .releasing)
        done.signal()
      }
      done.wait()
    }
  }
}
