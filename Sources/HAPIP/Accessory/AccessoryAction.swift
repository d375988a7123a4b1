import HAPAttributes
import HAPModel
import HAPPairing

/// An action that the shell around an `AccessoryCore` must perform, in the order of the list.
///
/// Sending bytes is not an action. Each connection's `outgoing` buffer holds the bytes to send. The shell empties it at
/// the end of every turn.
package enum AccessoryAction: Sendable {
  /// Run `work.perform()` away from the loop, then call `PairingServer.computed`.
  case compute(SlowWork, ticket: Ticket)
  /// Make the change durable, then call `PairingServer.stored`. The response to the controller is sent only then.
  case store(StoredChange, ticket: Ticket)
  /// Advertise the changed record, but only after all bytes in `outgoing` of this connection have been sent.
  ///
  /// iOS 13 is reported to give up if `sf` changes before M6 arrives. nil: there is nothing to wait for.
  case advertise(Advertisement, after: ConnectionID?)
  /// Close the connection once its `outgoing` buffer is empty.
  case close(ConnectionID)
  /// Close the connection at once: another connection needs its slot, and a peer that reads nothing must not keep its
  /// file descriptor.
  case evict(ConnectionID)
  /// Pass a controller's Identify request to the device.
  case identify(aid: UInt64)
  /// Pass to the device the values that a controller wrote to one service in one request. The database already
  /// contains them.
  case wrote(ServiceWrite)
  /// Ask the device for the values of these characteristics, and pass each to `AttributeServer.read`. The response to
  /// the controller is sent only then.
  case read([AttributeID], ticket: Ticket)
  /// Send the request to the accessory behind this proxy, and pass the response to `AccessoryCore.forwarded`. The
  /// response to the controller is sent only then.
  case forward(ControllerRequest, ConnectionID, ticket: Ticket)
  /// Report an event for the log.
  case report(AccessoryReport)
}
