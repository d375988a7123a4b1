import CUV

/// Reports a signal to the process on the loop, instead of the signal's default action.
package final class SignalWatcher: KernelHandle {
  package var onSignal: () -> Void
  private var signal: UnsafeMutablePointer<uv_signal_t> { memory.assumingMemoryBound(to: uv_signal_t.self) }

  /// - Throws: `LoopError` if the signal can't be caught (SIGKILL, SIGSTOP, or not a signal number).
  package init(_ loop: EventLoop, signal number: Int32, onSignal: @escaping () -> Void) throws(LoopError) {
    self.onSignal = onSignal
    super.init(loop, uv_signal_t.self)
    let status = uv_signal_init(loop.kernelLoop, signal)
    if status != 0 { throw LoopError(status: status, while: "watching signals") }
    open()
    let started = uv_signal_start(
      signal, { handle, _ in SignalWatcher.owner(of: handle!.pointee.data).onSignal() }, number)
    if started != 0 {
      close()
      throw LoopError(status: started, while: "watching signal \(number)")
    }
  }

  override func dropCallbacks() { onSignal = {} }
}
