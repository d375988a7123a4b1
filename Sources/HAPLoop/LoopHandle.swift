/// Something that a loop keeps alive until it is closed: a timer, a socket, a watcher.
///
/// An owner that is let go of without `close()` stays open until the loop is stopped.
package class LoopHandle {
  package let loop: EventLoop
  /// Its place in the loop's table; nil: not open.
  fileprivate(set) var place: Int?
  /// Whether `close()` was called, or the loop was stopped. A closed handle ignores all further calls.
  package private(set) var isClosed = false
  /// Called once, when the handle is wholly closed.
  package var onClosed: (() -> Void)?

  init(_ loop: EventLoop) {
    loop.preconditionOnLoop()
    self.loop = loop
  }

  deinit { precondition(place == nil, "an open handle is kept by its loop") }

  /// Makes the loop keep it.
  func open() { loop.keep(self) }

  /// Closes the handle: no callback comes after this but `onClosed`. Any number of times, also from callbacks.
  package func close() { if startClosing() { closeBeneath() } }

  /// Marks the handle closed.
  /// - Returns: whether it was open, and what lies beneath has to be closed.
  final func startClosing() -> Bool {
    loop.preconditionOnLoop()
    guard !isClosed else { return false }
    isClosed = true
    dropCallbacks()
    return place != nil
  }

  /// Sets all stored closures but `onClosed` to nil, so that no cycle through them survives.
  func dropCallbacks() {}

  /// Closes what lies beneath; `didClose()` follows in a later turn.
  func closeBeneath() { loop.finishClosingLater(self) }

  /// Ends the keeping: the handle is wholly closed.
  package final func didClose() {
    loop.release(self)
    let onClosed = onClosed
    self.onClosed = nil
    onClosed?()
  }
}

/// The open handles of a loop.
struct HandleTable {
  private(set) var open: [LoopHandle] = []
  /// Those for which `didClose()` is to be called in the next turn.
  private var closing: [LoopHandle] = []

  var isEmpty: Bool { open.isEmpty }
  var hasClosing: Bool { !closing.isEmpty }

  mutating func insert(_ handle: LoopHandle) {
    handle.place = open.count
    open.append(handle)
  }

  mutating func remove(_ handle: LoopHandle) {
    guard let place = handle.place else { return }
    handle.place = nil
    let last = open.removeLast()
    if last !== handle {
      open[place] = last
      last.place = place
    }
  }

  mutating func finishLater(_ handle: LoopHandle) { closing.append(handle) }

  mutating func takeClosing() -> [LoopHandle] {
    if closing.isEmpty { return [] }
    defer { closing = [] }
    return closing
  }
}
