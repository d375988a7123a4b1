import HAPIP
import HAPLoop
import HAPModel

/// Handles the record and forwarded requests for a TCP server. Called on the server's loop.
package protocol AccessoryServerOwner: AnyObject {
  func advertise(_ advertisement: Advertisement)
  /// Forwards a request of a core. The response must be passed to `AccessoryServer.forwarded`.
  func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket)
  /// Called with a report before the owner of the actions receives it.
  func notice(_ report: AccessoryReport)
}

extension AccessoryServerOwner {
  package func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket) {
    preconditionFailure("the core of this owner forwards nothing")
  }

  package func notice(_ report: AccessoryReport) {}
}
