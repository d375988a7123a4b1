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
  /// What came can't be decoded; the connection is closed.
  case unreadable(ConnectionID, reason: String)
}

/// Takes the reports of an accessory.
package protocol ReportSink: AnyObject {
  /// Whether reports are wanted. Without them, a request costs nothing for them.
  var makesReports: Bool { get }
  func append(_ report: AccessoryReport)
}

extension ReportSink {
  package func report(_ report: @autoclosure () -> AccessoryReport) {
    if makesReports { append(report()) }
  }
}
