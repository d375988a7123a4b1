/// Identifies a request whose response waits for slow work or for the store.
package struct Ticket: Hashable, Sendable {
  package let number: UInt64
  package init(number: UInt64) { self.number = number }
}

/// Identifies a connection during the lifetime of the process; never reused.
package struct ConnectionID: Hashable, Sendable, Comparable {
  package let number: UInt64
  package init(number: UInt64) { self.number = number }
  package static func < (one: ConnectionID, other: ConnectionID) -> Bool { one.number < other.number }
}

/// An event of a running accessory, for the log.
package enum AccessoryReport: Equatable, Sendable {
  case connected(ConnectionID, peer: String)
  /// A request was parsed and is about to be handled: "GET /characteristics?id=1.9".
  case requested(ConnectionID, request: String)
  case disconnected(ConnectionID, peer: String)
  case paired(controller: String, isAdmin: Bool)
  case unpaired(controller: String)
  case verified(ConnectionID, controller: String)
  case wrote(AttributeID, Value, controller: String)
  case subscribed(AttributeID, controller: String)
  case unsubscribed(AttributeID, controller: String)
  /// An event with this value is being sent to the controller.
  case told(AttributeID, Value, controller: String)
  case identified(aid: UInt64)
  /// The device has not answered a read or a write of these for three seconds.
  case slow([AttributeID])
  /// A request was refused or a connection was closed, with the reason.
  case refused(ConnectionID, request: String, reason: String)
  /// The received bytes can't be decoded; the connection is closed.
  case unreadable(ConnectionID, reason: String)
  /// The same as `refused`, from a peer without a connection.
  case refusedPeer(String, request: String, reason: String)
  case matter(MatterEvent)
}

/// Receives the reports of an accessory.
package protocol ReportSink: AnyObject {
  /// Whether reports are requested. Without them, a request does no reporting work.
  var makesReports: Bool { get }
  func append(_ report: AccessoryReport)
}

extension ReportSink {
  package func report(_ report: @autoclosure () -> AccessoryReport) {
    if makesReports { append(report()) }
  }
}
