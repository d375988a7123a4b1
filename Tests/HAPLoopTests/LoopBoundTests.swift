import Testing

@testable import HAPLoop

@Suite struct LoopBoundTests {
  private final class Count { var value = 0 }

  @Test("A value is read and replaced on its loop's thread") func onLoop() throws {
    let loop = EventLoop(name: "test")
    loop.start()
    defer { loop.stop() }
    let bound = LoopBound(loop, Count())
    let found = try loop.performAndWait {
      bound.value.value = 7
      let first = bound.value.value
      bound.value = Count()
      return [first, bound.value.value]
    }
    #expect(found == [7, 0])
  }

  @Test("A value can't be accessed on another thread") func offLoop() async {
    await #expect(processExitsWith: .failure) {
      let loop = EventLoop(name: "test")
      loop.start()
      _ = LoopBound(loop, Count()).value
    }
  }

  @Test("A value can be bound to a loop only on its thread") func boundOffLoop() async {
    await #expect(processExitsWith: .failure) {
      let loop = EventLoop(name: "test")
      loop.start()
      _ = LoopBound(here: loop, Count())
    }
  }

  @Test("Later work runs on the loop, after the call has returned") func later() throws {
    let loop = EventLoop(name: "test")
    loop.start()
    defer { loop.stop() }
    let order = Guarded<[String]>([])
    try loop.performAndWait {
      let count = Count()
      loop.later {
        count.value += 1
        order.withLock { $0.append("later \(count.value) \(loop.isOnLoop)") }
      }
      order.withLock { $0.append("returned") }
    }
    try loop.performAndWait {}
    #expect(order.withLock { $0 } == ["returned", "later 1 true"])
  }

  @Test("A weak reference does not retain its object") func weakReference() {
    var count: Count? = Count()
    let reference = Weak(count)
    #expect(reference.object === count)
    count = nil
    #expect(reference.object == nil)
  }
}
