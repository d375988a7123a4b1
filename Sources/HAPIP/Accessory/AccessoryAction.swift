import HAPAttributes
import HAPModel
import HAPPairing

/// What the shell around an `AccessoryCore` has to do, in this order.
///
/// Bytes are not among them: each connection's `outgoing` buffer holds what is to be sent, and is emptied by the shell at the end of every turn.
package enum AccessoryAction: Sendable {
  /// Run `work.perform()` away from the loop, then call `PairingServer.computed`.
  case compute(SlowWork, ticket: Ticket)
  /// Make the change durable, then call `PairingServer.stored`. The answer to the controller waits for it.
  case store(StoredChange, ticket: Ticket)
  /// Advertise the changed record, but only after everything that is in `outgoing` of this connection has left.
  ///
  /// iOS 13 is reported to give up when `sf` changes before M6 has arrived. nil: there is nothing to wait for.
  case advertise(Advertisement, after: ConnectionID?)
  /// Close the connection once its `outgoing` buffer is empty.
  case close(ConnectionID)
  /// Close the connection at once: another one needed its place, and a peer that reads nothing must not keep its open file.
  case evict(ConnectionID)
  /// Pass Identify of a controller to the device.
  case identify(aid: UInt64)
  /// Pass to the device the values that a controller wrote to one service in one request. The values are in the database already.
  case wrote(ServiceWrite)
  /// Ask the device for the values of these characteristics, and hand each to `AttributeServer.read`. The answer to the controller waits.
  case read([AttributeID], ticket: Ticket)
  /// Send the request to the accessory behind this proxy, and hand the answer to `AccessoryCore.forwarded`. The answer to the controller waits.
  case forward(ControllerRequest, ConnectionID, ticket: Ticket)
  /// Something worth a line in a log.
  case report(AccessoryReport)
}
