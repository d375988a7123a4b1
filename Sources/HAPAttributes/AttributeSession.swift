import HAPModel

/// Converts between attribute requests and the bytes of one protocol. It owns sessions, and sends the responses.
package protocol AttributeFrontEnd: AnyObject {
  /// Returns whether the controller of a session currently has an admin pairing.
  func isAdmin(_ session: AttributeSession) -> Bool
  /// Sends the pending events of a session, and calls `session.didSendEvents`. Does nothing if it can't send now.
  func sendEvents(of session: AttributeSession, at now: Duration)
  /// Sends the response after the device has answered or timed out, and handles the next requests of the session.
  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration)
  /// Reports the refusal of one write of a request. Called only if reports are requested.
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession)
  /// Reports that a write request ended because an attribute does not exist. Called only if reports are requested.
  func reportMissing(_ id: AttributeID, in session: AttributeSession)
}

/// A request that waited for the device.
package enum AnsweredRequest {
  /// A read, with the values that the device could not read.
  case read(failures: [AttributeID: HAPStatus])
  case write(WriteTransaction)
}

/// A verified controller at one accessory, over one connection of any protocol: its subscriptions, its unsent
/// changes, and its prepared writes.
package final class AttributeSession {
  /// The identifier of the controller's pairing, byte for byte as stored. nil: a transient session, which has no
  /// pairing.
  package let controller: [UInt8]?
  unowned let frontEnd: any AttributeFrontEnd
  /// The front end's object for the connection.
  package unowned let connection: AnyObject
  /// Whether events must wait, because a response is pending.
  package var holdsEvents = false

  /// Whether the connection sends nothing more.
  private(set) var isSilenced = false
  var subscriptions = SlotSet()
  var events = EventQueue()
  var timedWrites: [TimedWrite] = []
  /// The time of the last events; nil: none were sent.
  var lastEvent: Duration?

  /// - Parameters:
  ///   - controller: nil: a transient session.
  ///   - connection: owns the session.
  ///   - frontEnd: owns the connection.
  package init(controller: [UInt8]?, connection: AnyObject, frontEnd: any AttributeFrontEnd) {
    self.controller = controller
    self.connection = connection
    self.frontEnd = frontEnd
  }

  /// Whether events are sent at once, without the time in which changes are combined.
  package var getsEventsAtOnce = false

  /// The name in reports; nil: that of the controller. For a front end whose session stands for several controllers.
  package var reportedName: String?

  /// The identifier of the controller as text, for reports.
  var name: String { reportedName ?? controller.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Subscribes to a characteristic without a report: for a front end that has the subscriptions of its controllers.
  package func follow(slot: Int) { subscriptions.insert(slot) }

  package var isSubscribed: Bool { !subscriptions.isEmpty }
  package func isSubscribed(toSlot slot: Int) -> Bool { subscriptions.contains(slot) }

  /// Whether there are unsent events.
  package var hasEvents: Bool { !events.isEmpty }

  /// The changes to send: each with its slot, and with its value if every event counts. Without a value, the current
  /// value is sent.
  package var waitingEvents: [EventQueue.Entry] { events.entries }

  /// Removes the pending events after they were sent.
  package func didSendEvents(at now: Duration) {
    lastEvent = now
    events.removeAll()
  }

  /// Ends all subscriptions and discards pending events: the connection sends nothing more.
  func silence() {
    isSilenced = true
    subscriptions.removeAll()
    events.removeAll()
  }
}
