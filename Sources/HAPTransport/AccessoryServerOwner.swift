import HAPIP
import HAPLoop
import HAPModel

/// Does for a server on TCP what is not the network's: the record, and requests for another accessory. Called on the server's loop.
package protocol AccessoryServerOwner: AnyObject {
  func advertise(_ advertisement: Advertisement)
  /// A request of a core that forwards. Its answer goes to `AccessoryServer.forwarded`.
  func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket)
  /// A report, before the owner of the actions gets it.
  func notice(_ report: AccessoryReport)
}

extension AccessoryServerOwner {
  package func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket) {
    preconditionFailure("the core of this owner forwards nothing")
  }

  package func notice(_ report: AccessoryReport) {}
}
