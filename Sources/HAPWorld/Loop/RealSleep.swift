// Only these versions of the compiler have the protocol in this form. With other versions, a task that sleeps in real
// time counts as foreign work when it wakes up, if the world still runs then.
#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) import _Concurrency

  /// `Task.sleep` schedules its delay on the task's executor. The delay is measured by the machine's clock. It differs
  /// from run to run, so a world can't repeat it.
  extension SimulatedWorld: SchedulingExecutor {
    package func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      noteRealSleep()
      enqueue(job)
    }
  }
#endif
