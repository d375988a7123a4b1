import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport

/// How the controllers of one protocol reach a hosted accessory: its connections, its messages, and how it is found.
///
/// The front ends of an accessory are a list. They share its attributes and pairings (`FrontEndParts`), and use them as `AttributeFrontEnd` and
/// `PairingFrontEnd` say. Belongs to the loop's thread.
package protocol FrontEnd: AnyObject {
  /// Becomes reachable.
  func start(_ visibility: Visibility) throws(LoopError)
  /// The device has started: what is announced may have its values.
  func announce()
  /// The run is over. Called before the device and the front ends end.
  func runEnds()
  /// Ends for good. Answers have been sent, unless the power was cut.
  func stop(_ ending: RunEnding)
  /// Gets its radio back. If it throws, it has none.
  func gainRadio() throws(LoopError)
  /// Loses its radio, with every connection.
  func loseRadio()
  /// Announces the accessory, or stops announcing it. Everything else stays as it is.
  func setAnnounced(_ isAnnounced: Bool)
  /// The attributes have another database now. Called before its events are sent.
  /// - Parameters:
  ///   - model: of aid 1.
  ///   - configurationNumber: 1...65535.
  func databaseWasReplaced(model: String, configurationNumber: UInt16)
  /// Those that are open, in the order in which they were made.
  var connections: [ControllerConnection] { get }
  /// How many are open.
  var connectionCount: Int { get }
  /// Closes connections as if the network had.
  /// - Returns: how many.
  func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int
}

extension FrontEnd {
  package func announce() {}
  package func runEnds() {}
  package var connectionCount: Int { connections.count }
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
  /// Unique among the connections of the accessory in this run: `FrontEndParts.newConnection`.
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

/// Does for the front ends of an accessory what none of them can do: store, device and reports.
package protocol FrontEndOwner: ActionOwner {}

/// What the front ends of an accessory share, in one run.
package struct FrontEndParts {
  package let attributes: AttributeServer
  package let pairing: PairingServer
  /// Performs the actions of the attributes and the pairings, and gives them the inputs from the device.
  package let performer: ActionPerformer
  let queue: ActionQueue

  /// - Parameters:
  ///   - state: of the accessory's own defect, which may replace the randomness.
  ///   - capture: records what is drawn.
  package init(_ setup: RunSetup, on loop: EventLoop, state: DefectState?, capture: (any RunCapture)?) {
    let random =
      capture.map { capture in
        let capture = LoopBound(here: loop, capture)
        return loop.random.noted { capture.value.drew($0) }
      } ?? state?.random(on: loop) ?? loop.random
    queue = ActionQueue()
    attributes = AttributeServer(setup.database, quirks: setup.attributeQuirks, queue)
    pairing = PairingServer(
      identity: setup.identity, pairings: setup.pairings, failedAttempts: setup.failedAttempts,
      quirks: setup.pairingQuirks, random: random, queue)
    performer = ActionPerformer(attributes, pairing, queue, on: loop)
  }

  package var loop: EventLoop { performer.loop }

  /// Performs what the attributes and the pairings want done. A front end calls it after each of its inputs.
  package func perform() { performer.perform() }

  /// The number of a new connection.
  package func newConnection() -> UInt64 { performer.newConnection().number }
}

/// Makes a front end when a run of the accessory begins.
package typealias FrontEndMaker = @Sendable (FrontEndParts) -> any FrontEnd

/// One of the front ends that an accessory is served with.
package enum FrontEndChoice: Sendable {
  case ip
  case other(FrontEndMaker)

  package var isIP: Bool { if case .ip = self { true } else { false } }
}
