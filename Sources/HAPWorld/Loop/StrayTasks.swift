import HAPLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs work in the world that the concurrency runtime would run on its thread pool. This work is the tasks that
/// `Task { }` creates in code of no actor, and the tasks of `Task.detached`. The runtime has a variable for a function
/// that gets this work first.
///
/// If the runtime has no such variable, the work runs outside of the world, and counts as foreign work when it returns.
enum StrayTasks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// The worlds by the thread that runs them.
  private static let worlds = Guarded<[UInt: SimulatedWorld]>([:])
  private static let count = Atomic<Int>(0)
  /// The number of worlds whose clock waits for the main queue.
  private static let mainQueueCount = Atomic<Int>(0)

  /// Whether the runtime passes this work to the function. The first access installs the function.
  static let areKept: Bool = {
    let variable = dlsym(allLibraries, "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: Hook?.self)
    guard let variable, variable.pointee == nil else { return false }
    variable.pointee = { job, original in
      if let world = StrayTasks.world {
        world.keep(job)
      } else if StrayTasks.mainQueueCount.load(ordering: .relaxed) > 0, MainQueue.isCurrent {
        MainQueue.keep(job)
      } else {
        original(job)
      }
    }
    return true
  }()

  /// `RTLD_DEFAULT`, a macro that Swift doesn't import.
  private static var allLibraries: UnsafeMutableRawPointer? {
    #if canImport(Darwin)
      UnsafeMutableRawPointer(bitPattern: -2)
    #else
      nil
    #endif
  }

  /// The world that the calling thread runs.
  private static var world: SimulatedWorld? {
    if count.load(ordering: .relaxed) == 0 { return nil }
    return worlds.withLock { $0[currentThread()] }
  }

  /// Calls `body`, and runs the world's work on this thread meanwhile.
  static func keeping<R>(of world: SimulatedWorld, _ body: () throws -> R) rethrows -> R {
    guard areKept else { return try body() }
    worlds.withLock { $0[currentThread()] = world }
    count.add(1, ordering: .relaxed)
    if world.includesMainQueue { mainQueueCount.add(1, ordering: .relaxed) }
    defer {
      if world.includesMainQueue { mainQueueCount.subtract(1, ordering: .relaxed) }
      count.subtract(1, ordering: .relaxed)
      worlds.withLock { $0[currentThread()] = nil }
    }
    return try body()
  }
}
