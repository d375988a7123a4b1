import CUV

/// Several threads for parallel work before there is a loop.
package enum Workers {
  /// The number of cores that this process may use.
  package static var cores: Int { Int(uv_available_parallelism()) }

  /// Runs `work` for each number below `count`, each on a separate thread, and waits for all of them. A count of 1
  /// runs on the caller's thread.
  /// - Throws: the error of the first work item that failed.
  package static func perform<T: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) throws -> T
  ) throws -> [T] {
    if count == 1 { return [try work(0)] }
    let jobs = (0..<count).map { number in Job { try work(number) } }
    for job in jobs { job.start() }
    let results = jobs.map { $0.wait() }
    return try results.map { try $0.get() }
  }
}

/// One thread's work. The caller of `Workers.perform` starts it and waits for it.
private final class Job<T: Sendable> {
  private var thread = KernelThread()
  private let work: @Sendable () throws -> T
  private let result = Guarded<Result<T, any Error>?>(nil)

  init(_ work: @escaping @Sendable () throws -> T) { self.work = work }

  func start() {
    let runner = WorkerQueue { [work, result] in
      let outcome = Result { try work() }
      result.withLock { $0 = outcome }
    }
    let status = thread.start(Unmanaged.passRetained(runner).toOpaque()) {
      Unmanaged<WorkerQueue>.fromOpaque($0!).takeRetainedValue().run()
    }
    precondition(status == 0, "no thread for a worker: \(LoopError.text(of: status))")
  }

  func wait() -> Result<T, any Error> {
    thread.join()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("the worker ended without a result") }
    return result
  }
}

/// A closure in an object that can be passed to a C function.
private final class WorkerQueue {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
