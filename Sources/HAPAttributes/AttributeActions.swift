import HAPModel

/// Does what an attribute server cannot do itself.
package protocol AttributeActions: ReportSink {
  /// Names a request that waits.
  func newTicket() -> Ticket
  /// Gives the device what a controller wrote to one service in one request. The values are in the database already.
  func wrote(_ write: ServiceWrite)
  /// Asks the device for the values of these characteristics; each goes to `AttributeServer.read`. The answer to the controller waits.
  func read(_ ids: [AttributeID], ticket: Ticket)
}
