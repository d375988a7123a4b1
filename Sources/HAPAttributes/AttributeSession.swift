import HAPModel

/// What converts between attribute requests and the bytes of one protocol. It owns sessions, and answers on them.
package protocol AttributeFrontEnd: AnyObject {
  /// Whether the controller of a session has an admin pairing at this moment.
  func isAdmin(_ session: AttributeSession) -> Bool
  /// Sends the waiting events of a session, and calls `session.didSendEvents`. If it can't send now, it does nothing.
  func sendEvents(of session: AttributeSession, at now: Duration)
  /// The device has answered, or its time is over. Answers the request, and takes the next ones of the session.
  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration)
  /// One write of a request is refused. Called only when reports are wanted.
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession)
  /// A write request ends, because an attribute does not exist. Called only when reports are wanted.
  func reportMissing(_ id: AttributeID, in session: AttributeSession)
}

/// A request that waited for the device.
package enum AnsweredRequest {
  /// With the values that the device could not read.
  case read(failures: [AttributeID: HAPStatus])
  case write(WriteTransaction)
}

/// A verified controller at one accessory, over one connection of any protocol: its subscriptions, the changes that it has not heard of, and its
/// prepared writes.
package final class AttributeSession {
  /// The identifier of the controller's pairing, byte for byte as it was stored. nil: a transient session, which has no pairing.
  package let controller: [UInt8]?
  unowned let frontEnd: any AttributeFrontEnd
  /// The front end's own object for the connection.
  package unowned let connection: AnyObject
  /// Whether events have to wait, because an answer is owed.
  package var holdsEvents = false

  /// Whether the connection sends nothing more.
  private(set) var isSilenced = false
  var subscriptions = SlotSet()
  var events = EventQueue()
  var timedWrites: [TimedWrite] = []
  /// When the last events were sent; nil: none were.
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

  /// The identifier of the controller as text, for reports.
  var name: String { controller.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  package var isSubscribed: Bool { !subscriptions.isEmpty }
  package func isSubscribed(toSlot slot: Int) -> Bool { subscriptions.contains(slot) }

  /// Whether changes wait to be sent as events.
  package var hasEvents: Bool { !events.isEmpty }

  /// The changes that are to be sent: each with its slot, and with its value if every event counts. Without a value, the present one is sent.
  package var waitingEvents: [EventQueue.Entry] { events.entries }

  /// The waiting events were sent.
  package func didSendEvents(at now: Duration) {
    lastEvent = now
    events.removeAll()
  }

  /// Ends all subscriptions and forgets what waits: the connection sends nothing more.
  func silence() {
    isSilenced = true
    subscriptions.removeAll()
    events.removeAll()
  }
}
