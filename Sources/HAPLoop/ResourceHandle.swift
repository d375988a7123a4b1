/// Keeps something of a driver open in the table of a loop, so that the loop closes it when it is stopped: a listener, a socket.
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
