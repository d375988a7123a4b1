extension EventLoop {
  /// Fills `bytes`, of any length, with randomness. From any thread.
  ///
  /// Libraries take randomness from their loop, so that a simulated loop can supply it from a seed.
  package func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { driver.fillRandom(bytes) }

  /// A random number, for seeds. From any thread.
  package func randomNumber() -> UInt64 {
    var number: UInt64 = 0
    withUnsafeMutableBytes(of: &number) { fillRandom($0) }
    return number
  }
}
