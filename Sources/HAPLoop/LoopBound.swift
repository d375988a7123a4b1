/// A value that belongs to the thread of one event loop. Other threads may hold the reference and pass it on.
// Safe: every access traps on any thread but the loop's. The loop never changes. An owner that can go on another thread first hands
// the last reference to the loop, as `deinit { loop.schedule { [bound] in … } }` does; a loop that refuses it has ended.
package final class LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private var stored: Value

  /// From any thread.
  package init(_ loop: EventLoop, _ value: sending Value) {
    self.loop = loop
    stored = value
  }

  package var value: Value {
    get {
      loop.preconditionOnLoop()
      return stored
    }
    set {
      loop.preconditionOnLoop()
      stored = newValue
    }
  }
}
