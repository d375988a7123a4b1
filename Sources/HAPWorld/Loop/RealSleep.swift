// Only these versions of the compiler have the protocol in this form. With others, a task that sleeps in real time counts as foreign work when it
// wakes up, if the world still runs then.
#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) import _Concurrency

  /// `Task.sleep` asks the executor of its task. Its delays come from the machine's clock, so they differ from run to run, and a world can't repeat them.
  extension SimulatedWorld: SchedulingExecutor {
    package func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      noteRealSleep()
      enqueue(job)
    }
  }
#endif
