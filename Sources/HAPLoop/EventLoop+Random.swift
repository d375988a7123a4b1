extension EventLoop {
  /// Fills `bytes`, of any length, with random bytes. From any thread.
  ///
  /// Libraries take randomness from their loop. A simulated loop can therefore supply it from a seed.
  package func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { driver.fillRandom(bytes) }

  /// Returns a random number, for seeds. From any thread.
  package func randomNumber() -> UInt64 {
    var number: UInt64 = 0
    withUnsafeMutableBytes(of: &number) { fillRandom($0) }
    return number
  }
}

/// The random numbers of a loop.
package struct LoopRandom: RandomNumberGenerator, Sendable {
  private let loop: EventLoop

  package init(_ loop: EventLoop) { self.loop = loop }

  /// Returns the next number.
  package func next() -> UInt64 { loop.randomNumber() }
}
