import CUV

/// The operating system's source of randomness.
package enum SystemRandom {
  /// Fills `bytes`, of any length. Traps if the system provides no randomness, because the program can't continue
  /// without it.
  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    let status = uv_random(nil, nil, start, bytes.count, 0, nil)
    precondition(status == 0, "the system provides no randomness: \(LoopError.text(of: status))")
  }
}
