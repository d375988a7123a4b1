import HAPModel

/// What the shell around an `AccessoryCore` has to do, in this order.
///
/// Bytes are not among them: each connection's `outgoing` buffer holds what is to be sent, and is emptied by the shell at the end of every turn.
package enum AccessoryAction: Sendable {
  /// Run `work.perform()` away from the loop, then call `AccessoryCore.computed`.
  case compute(SlowWork, ticket: Ticket)
  /// Make the change durable, then call `AccessoryCore.stored`. The answer to the controller waits for it.
  case store(StoredChange, ticket: Ticket)
  /// Advertise the record anew, but only after everything that is in `outgoing` of this connection has left.
  ///
  /// iOS 13 is reported to give up when `sf` changes before M6 has arrived. nil: there is nothing to wait for.
  case advertise(Advertisement, after: ConnectionID?)
  /// Close the connection once its `outgoing` buffer is empty.
  case close(ConnectionID)
  /// Close the connection at once: another one needed its place, and a peer that reads nothing must not keep its open file.
  case evict(ConnectionID)
  /// Tell the device that a controller asked it to identify itself.
  case identify(aid: UInt64)
  /// Tell the device what a controller wrote to one service in one request. The values are in the database already.
  case wrote(ServiceWrite)
  /// Ask the device for the values of these characteristics, and hand each to `AttributeServer.read`. The answer to the controller waits.
  case read([AttributeID], ticket: Ticket)
  /// Ask whoever stands behind, and hand the answer to `AccessoryCore.forwarded`. The answer to the controller waits.
  case forward(ControllerRequest, ConnectionID, ticket: Ticket)
  /// Something worth a line in a log.
  case report(AccessoryReport)
}

/// Names a request whose answer waits for slow work or for the store.
package struct Ticket: Hashable, Sendable {
  package let number: UInt64
  package init(number: UInt64) { self.number = number }
}

/// Names a connection for as long as the process runs; never used again.
package struct ConnectionID: Hashable, Sendable, Comparable {
  package let number: UInt64
  package init(number: UInt64) { self.number = number }
  package static func < (one: ConnectionID, other: ConnectionID) -> Bool { one.number < other.number }
}

/// A change of what an accessory keeps over a restart.
package enum StoredChange: Equatable, Sendable {
  case upsert(Pairing)
  /// Identifiers of pairings that go together, in one transaction.
  case remove([[UInt8]])
  case failedAttempts(Int)
}

/// What people want to read about a running accessory.
package enum AccessoryReport: Equatable, Sendable {
  case connected(ConnectionID, peer: String)
  /// A request was understood, and is about to be worked off: "GET /characteristics?id=1.9".
  case requested(ConnectionID, request: String)
  case disconnected(ConnectionID, peer: String)
  case paired(controller: String, isAdmin: Bool)
  case unpaired(controller: String)
  case verified(ConnectionID, controller: String)
  case wrote(AttributeID, Value, controller: String)
  case subscribed(AttributeID, controller: String)
  case unsubscribed(AttributeID, controller: String)
  /// An event with this value is on its way to the controller.
  case told(AttributeID, Value, controller: String)
  case identified(aid: UInt64)
  /// The device has not answered a read or a write of these for three seconds.
  case slow([AttributeID])
  /// A request was refused or a connection closed, and why.
  case refused(ConnectionID, request: String, reason: String)
  /// What came is no frame, or no request; the connection is closed.
  case unreadable(ConnectionID, reason: String)
}
