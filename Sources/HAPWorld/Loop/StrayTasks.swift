import HAPLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps the work of a world in it that the concurrency runtime would run on its pool: tasks made by `Task { }` in code of no actor and by
/// `Task.detached`. The runtime has a variable for a function that gets this work first.
///
/// Where the runtime has no such variable, the work leaves the world, and counts as foreign when it comes back.
enum StrayTasks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// By the thread that runs them.
  private static let worlds = Guarded<[UInt: SimulatedWorld]>([:])
  private static let count = Atomic<Int>(0)

  /// Whether the runtime gives the work; asking installs the function.
  static let areKept: Bool = {
    let variable = dlsym(nil, "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: Hook?.self)
    guard let variable, variable.pointee == nil else { return false }
    variable.pointee = { job, original in
      if let world = StrayTasks.world { world.keep(job) } else { original(job) }
    }
    return true
  }()

  /// The world that the calling thread runs.
  private static var world: SimulatedWorld? {
    if count.load(ordering: .relaxed) == 0 { return nil }
    return worlds.withLock { $0[currentThread()] }
  }

  /// Keeps the work of a world while `body` runs it on this thread.
  static func keeping<R>(of world: SimulatedWorld, _ body: () throws -> R) rethrows -> R {
    guard areKept else { return try body() }
    worlds.withLock { $0[currentThread()] = world }
    count.add(1, ordering: .relaxed)
    defer {
      count.subtract(1, ordering: .relaxed)
      worlds.withLock { $0[currentThread()] = nil }
    }
    return try body()
  }
}
