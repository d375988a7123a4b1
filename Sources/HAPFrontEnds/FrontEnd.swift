import HAPAttributes
import HAPLoop
import HAPModel
import HAPPairing

/// How the controllers of one protocol reach a hosted accessory: its connections, its messages, and how it is found.
///
/// The front end over IP (`IPFrontEnd`) makes the attributes and the pairings, and performs their actions. Other front ends of the same accessory
/// use them, as `AttributeFrontEnd` and `PairingFrontEnd` say. Belongs to the loop's thread.
package protocol FrontEnd: AnyObject {
  /// Becomes reachable.
  func start(_ visibility: Visibility) throws(LoopError)
  /// Ends for good.
  func stop(_ ending: RunEnding)
  /// Loses its radio, with every connection, or gets it back.
  func setRadio(_ isOn: Bool) throws(LoopError)
  /// Announces the accessory, or stops announcing it. Everything else stays as it is.
  func setAnnounced(_ isAnnounced: Bool)
  /// The accessory has another database now. Called when the attributes have it.
  func databaseWasReplaced()
  /// Those that are open, in the order in which they were made.
  var connections: [ControllerConnection] { get }
  /// Closes connections as if the network had.
  /// - Returns: how many.
  func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int
}

/// How an accessory starts to be seen by controllers.
package struct Visibility {
  /// Otherwise it is not reachable before it gets its radio.
  package var hasRadio = true
  package var isAnnounced = true
  /// Whether the network still has its record, because nothing withdrew it.
  package var isKnown = false

  package init(hasRadio: Bool = true, isAnnounced: Bool = true, isKnown: Bool = false) {
    self.hasRadio = hasRadio
    self.isAnnounced = isAnnounced
    self.isKnown = isKnown
  }
}

/// How a run of an accessory ends.
package enum RunEnding {
  /// It says goodbye, and sends what is answered.
  case orderly
  /// The same, and it will come back under the same advertiser.
  case forRestart
  /// Without a goodbye, and connections are reset.
  case powerCut
}

/// A controller at an accessory, over any front end.
package struct ControllerConnection {
  /// Unique among the connections of its front end.
  package let number: UInt64
  package let peer: String
  /// The identifier under which it was verified; nil: it was not.
  package let controller: String?
  /// nil: there is none.
  package let session: AttributeSession?

  package init(number: UInt64, peer: String, controller: String?, session: AttributeSession?) {
    self.number = number
    self.peer = peer
    self.controller = controller
    self.session = session
  }
}

/// Does for the front ends of an accessory what none of them can do: store, device and reports. Called on the loop.
package protocol FrontEndOwner: AnyObject {
  /// Makes the change durable, and says whether it is. Changes are made in the order in which they come.
  func store(_ change: StoredChange, done: @escaping (Bool) -> Void)
  /// Keeps values over the end of the process; returns when they are safe.
  func keep(_ changes: [(id: AttributeID, value: Value)])
  func identify(aid: UInt64)
  /// A controller's writes took effect.
  func wrote(_ write: ServiceWrite)
  /// Asks the device for values. It answers each with `IPFrontEnd.answerRead`.
  func read(_ ids: [AttributeID], ticket: Ticket)
  func report(_ report: AccessoryReport)
}

/// What the front ends of an accessory share.
package struct FrontEndParts {
  package let loop: EventLoop
  package let attributes: AttributeServer
  package let pairing: PairingServer
  /// Performs what the attributes and the pairings want done. A front end calls it after each of its inputs.
  package let perform: () -> Void
}

/// Makes another front end than the one over IP, when a run of the accessory begins.
package typealias FrontEndMaker = @Sendable (FrontEndParts) -> any FrontEnd
