/// A value that belongs to the thread of one event loop. Other threads may hold the reference and pass it on.
// Safe: every access traps on any thread other than the loop's. The loop never changes. The last reference can be
// released on any thread, so an owner closes the value on the loop first: `deinit { loop.schedule { [bound] in … }
// }`. A loop that refuses this has ended.
package final class LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private var stored: Value

  /// From any thread.
  package init(_ loop: EventLoop, _ value: sending Value) {
    self.loop = loop
    stored = value
  }

  /// Called on the loop's thread, to which the value already belongs.
  package init(here loop: EventLoop, _ value: Value) {
    loop.preconditionOnLoop()
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

/// A weak reference to an object.
package struct Weak<Object: AnyObject> {
  package private(set) weak var object: Object?

  package init(_ object: Object?) { self.object = object }
}

extension EventLoop {
  /// Runs `work` in a later turn, as `schedule` does, but `work` may use values that belong to the loop. On the
  /// loop's thread only.
  package func later(_ work: @escaping () -> Void) {
    let bound = LoopBound(here: self, work)
    schedule { bound.value() }
  }
}
