import Testing

@testable import HAPLoop

/// Runs `body` on a new loop, waits until it calls `finish`, stops the loop and returns the result.
func onLoop<T: Sendable>(
  _ body: @escaping @Sendable (EventLoop, _ finish: @escaping @Sendable (T) -> Void) -> Void
) async -> T {
  let loop = EventLoop(name: "test")
  loop.start()
  let result = await withCheckedContinuation { continuation in
    loop.schedule { body(loop) { continuation.resume(returning: $0) } }
  }
  loop.stop()
  #expect(loop.openHandleCount == 0)
  return result
}

/// A value that is confined to one loop's thread, or handed from one thread to the next.
final class Box<T>: @unchecked Sendable {
  var value: T
  init(_ value: T) { self.value = value }
}

extension UnsafeMutableRawBufferPointer {
  static func buffer(_ count: Int) -> Self { .allocate(byteCount: count, alignment: 16) }
}
