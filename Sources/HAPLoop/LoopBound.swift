/// A value that belongs to the thread of one event loop. Other threads may hold the reference and pass it on.
// Safe: every access traps on any thread but the loop's. The loop never changes. The last reference can be released on any thread,
// so an owner closes the value on the loop first: `deinit { loop.schedule { [bound] in … } }`. A loop that refuses this has ended.
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
