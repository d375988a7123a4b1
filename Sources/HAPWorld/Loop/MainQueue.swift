import Dispatch
import Synchronization

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

  private static let arrivalCount = Atomic<Int>(0)

  /// The number of works so far that the world, or a job of the queue itself, has added.
  static var arrivals: Int { arrivalCount.load(ordering: .acquiring) }

  /// Announces work that is about to be added to the queue.
  static func workArrives() { arrivalCount.add(1, ordering: .acquiringAndReleasing) }

  /// Runs a job of the thread pool on the queue, because code of the queue made it.
  ///
  /// The runtime resumes a task of the main actor by a job of the thread pool, which then gives the task to the main
  /// actor. `drain()` could not wait for a job on the thread pool.
  static func keep(_ job: UnownedJob) {
    workArrives()
    DispatchQueue.main.async { job.runSynchronously(on: Executor.shared.asUnownedTaskExecutor()) }
  }

  private final class Executor: TaskExecutor {
    static let shared = Executor()
    func enqueue(_ job: consuming ExecutorJob) { MainQueue.keep(UnownedJob(job)) }
  }

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  /// Waits until the work on the main queue has run. It must not be called by work of the main queue, which would wait
  /// for itself.
  static func drain() {
    precondition(!isCurrent, "a world waits for the main queue, so it needs a thread of its own: use runApart")
    for _ in 0..<generations {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.main.async { done.signal() }
      done.wait()
    }
  }
}
