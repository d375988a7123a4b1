import HAPModel

/// Performs the actions that an attribute server cannot perform itself.
package protocol AttributeActions: ReportSink {
  /// Creates an identifier for a waiting request.
  func newTicket() -> Ticket
  /// Passes to the device the values that a controller wrote to one service in one request. The database already
  /// contains them.
  func wrote(_ write: ServiceWrite)
  /// Requests the values of these characteristics from the device; each is passed to `AttributeServer.read`. The
  /// response to the controller is sent only then.
  func read(_ ids: [AttributeID], ticket: Ticket)
}
