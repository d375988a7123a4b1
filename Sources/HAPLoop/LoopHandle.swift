/// An object that a loop keeps alive until it is closed: a timer, a socket, a watcher.
///
/// If its owner is released without `close()`, the handle stays open until the loop is stopped.
package class LoopHandle {
  package let loop: EventLoop
  /// Its index in the loop's table; nil: not open.
  fileprivate(set) var place: Int?
  /// Whether `close()` was called or the loop was stopped. A closed handle ignores all further calls.
  package private(set) var isClosed = false
  /// Called once, when the handle is fully closed.
  package var onClosed: (() -> Void)?

  init(_ loop: EventLoop) {
    loop.preconditionOnLoop()
    self.loop = loop
  }

  deinit { precondition(place == nil, "an open handle must be kept by its loop") }

  /// Makes the loop keep the handle.
  func open() { loop.keep(self) }

  /// Closes the handle: after this, `onClosed` is the only callback. Any number of times, also from callbacks.
  package func close() { if startClosing() { closeBeneath() } }

  /// Marks the handle closed.
  /// - Returns: whether it was open and the underlying resource must be closed.
  final func startClosing() -> Bool {
    loop.preconditionOnLoop()
    guard !isClosed else { return false }
    isClosed = true
    dropCallbacks()
    return place != nil
  }

  /// Sets all stored closures except `onClosed` to nil, to break reference cycles.
  func dropCallbacks() {}

  /// Closes the underlying resource; `didClose()` follows in a later turn.
  func closeBeneath() { loop.finishClosingLater(self) }

  /// Removes the handle from the loop: it is fully closed.
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
  /// Handles whose `didClose()` is called in the next turn.
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
