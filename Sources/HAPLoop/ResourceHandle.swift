/// Registers a driver's resource (a listener, a socket) with a loop, so that stopping the loop closes it.
package final class ResourceHandle: LoopHandle {
  private var onClose: (() -> Void)?

  /// - Parameter onClose: called once, by `close()`.
  package init(_ loop: EventLoop, onClose: @escaping () -> Void) {
    self.onClose = onClose
    super.init(loop)
    open()
  }

  override func closeBeneath() {
    let close = onClose
    onClose = nil
    close?()
    super.closeBeneath()
  }
}
