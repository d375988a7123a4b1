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

  /// On the loop's thread, to which the value belongs already.
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

/// A reference that does not keep its object.
package struct Weak<Object: AnyObject> {
  package private(set) weak var object: Object?

  package init(_ object: Object?) { self.object = object }
}

extension EventLoop {
  /// Runs `work` in a later turn, as `schedule` does, and may be given what belongs to the loop. On the loop's thread only.
  package func later(_ work: @escaping () -> Void) {
    let bound = LoopBound(here: self, work)
    schedule { bound.value() }
  }
}
