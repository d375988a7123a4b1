import HAPHost

/// Who carries out commands: for the accessories of one loop, or of several. Belongs to a loop.
package protocol CommandTaker: Sendable {
  /// Carries out the command on a line of JSON and hands over the answer, once, without its end of line, on the same loop: at once, or when it is
  /// done for what takes a moment.
  func answer(_ line: [UInt8], to answer: @escaping @Sendable (String) -> Void)
}
