/// Who carries out commands: for the accessories of one loop, or of several. Belongs to a loop.
package protocol CommandTaker {
  /// Carries out the command on a line of JSON and hands over the reply, once, on the same loop: at once, or when it is done for what takes a
  /// moment.
  func take(_ line: [UInt8], done: @escaping @Sendable (CommandReply) -> Void)
}

extension CommandTaker {
  /// Carries out the command on a line of JSON and hands over the answer as a line without its end.
  package func answer(_ line: [UInt8], to answer: @escaping @Sendable (String) -> Void) {
    take(line) { answer($0.text) }
  }
}
