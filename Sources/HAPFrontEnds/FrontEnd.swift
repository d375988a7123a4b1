import HAPAttributes
import HAPDeviations
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

/// The access of one protocol's controllers to a hosted accessory: connections, messages, and discovery.
///
/// The front ends of an accessory are a list. They share its attributes and pairings (`FrontEndParts`), and use them
/// as documented in `AttributeFrontEnd` and `PairingFrontEnd`. Belongs to the loop's thread.
package protocol FrontEnd: AnyObject {
  /// The protocol, for faults; `nil`: one that no fault affects.
  var servedProtocol: ServedProtocol? { get }
  /// Applies the faults that are on from now on.
  func apply(_ faults: AccessoryFaults)
  /// Sets which reports the owner of the actions receives from now on.
  /// - Parameters:
  ///   - all: all except requests and messages.
  ///   - requests: requests and messages, too.
  func setReports(all: Bool, requests: Bool)
  /// Becomes reachable.
  func start(_ visibility: Visibility) throws(LoopError)
  /// Called when the device has started. Announcements may contain its values from now on.
  func announce()
  /// Called when the run is over, before the device and the front ends end.
  func runEnds()
  /// Stops permanently. Answers have been sent, unless the power was cut.
  func stop(_ ending: RunEnding)
  /// Enables the radio. If it throws, the radio is off.
  func gainRadio() throws(LoopError)
  /// Disables the radio and cuts every connection.
  func loseRadio()
  /// Announces the accessory, or stops announcing it. Everything else is unchanged.
  func setAnnounced(_ isAnnounced: Bool)
  /// Called when the attributes have another database, before its events are sent.
  func databaseWasReplaced(_ replacement: DatabaseReplacement)
  /// Called when a bridged accessory is unreachable from now on, or reachable again.
  func reachabilityChanged(aid: UInt64)
  /// The open connections, in the order in which they were made.
  var connections: [ControllerConnection] { get }
  /// The number of open connections.
  var connectionCount: Int { get }
  /// Closes connections as if the network had failed.
  /// - Returns: the number of closed connections.
  func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int
}

extension FrontEnd {
  package var servedProtocol: ServedProtocol? { nil }
  package func apply(_ faults: AccessoryFaults) {}
  package func setReports(all: Bool, requests: Bool) {}
  package func announce() {}
  package func runEnds() {}
  package func reachabilityChanged(aid: UInt64) {}
  package var connectionCount: Int { connections.count }
}

/// What front ends need to know of another database, besides its attributes.
package struct DatabaseReplacement {
  /// The model of aid 1.
  package let model: String
  /// 1...65535.
  package let configurationNumber: UInt16
  /// The choices of the profile about its Matter side, by the service or the characteristic.
  package let matter: [AttributeID: JSONNode]

  package init(model: String, configurationNumber: UInt16, matter: [AttributeID: JSONNode]) {
    (self.model, self.configurationNumber, self.matter) = (model, configurationNumber, matter)
  }
}

/// The visibility of an accessory for controllers when it starts.
package struct Visibility {
  /// If false, it is not reachable before its radio is enabled.
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

/// The way in which a run of an accessory ends.
package enum RunEnding {
  /// The accessory says goodbye, and sends pending answers.
  case orderly
  /// Like `orderly`. The accessory will come back under the same advertiser.
  case forRestart
  /// Without a goodbye, and connections are reset.
  case powerCut
}

/// A controller's connection to an accessory, over any front end.
package struct ControllerConnection {
  /// Unique among the connections of the accessory in this run: `FrontEndParts.newConnection`.
  package let number: UInt64
  package let peer: String
  /// The identifier of the verified controller; `nil`: it is not verified.
  package let controller: String?
  /// `nil`: there is none.
  package let session: AttributeSession?

  package init(number: UInt64, peer: String, controller: String?, session: AttributeSession?) {
    self.number = number
    self.peer = peer
    self.controller = controller
    self.session = session
  }
}

/// Performs the actions that no single front end of an accessory can perform: store, device and reports.
package protocol FrontEndOwner: ActionOwner {}

/// The objects that the front ends of an accessory share, in one run.
package struct FrontEndParts {
  package let attributes: AttributeServer
  package let pairing: PairingServer
  /// Performs the actions of the attributes and the pairings, and gives them the inputs from the device.
  package let performer: ActionPerformer
  let queue: ActionQueue

  /// - Parameters:
  ///   - state: the state of the accessory's own defect, which may replace the randomness.
  ///   - capture: records the random bytes.
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

  /// Performs the requested actions of the attributes and the pairings. A front end calls it after each of its inputs.
  package func perform() { performer.perform() }

  /// The number of a new connection.
  package func newConnection() -> UInt64 { performer.newConnection().number }
}

/// What a front end other than IP gets of its accessory, in one run.
package struct FrontEndPlace {
  package let setup: RunSetup
  package let places: [ListeningPlace]
  /// The seed of identifiers. It depends on the seed of the simulation and on the accessory.
  package let identifierSeed: UInt64
  /// Returns an advertiser for one more record; nil: the accessory is not announced.
  package let makeAdvertiser: () -> (any Advertiser)?
  /// Records what it does; nil: the run is not captured.
  package let capture: (any RunCapture)?
  /// Returns the stored data of all front ends. Reads a file.
  package let load: () throws(LoopError) -> [FrontEndData]

  package init(
    setup: RunSetup, places: [ListeningPlace], identifierSeed: UInt64,
    makeAdvertiser: @escaping () -> (any Advertiser)?, capture: (any RunCapture)?,
    load: @escaping () throws(LoopError) -> [FrontEndData]
  ) {
    self.setup = setup
    self.places = places
    self.identifierSeed = identifierSeed
    self.makeAdvertiser = makeAdvertiser
    self.capture = capture
    self.load = load
  }
}

/// Makes a front end when a run of the accessory begins.
package typealias FrontEndMaker = @Sendable (FrontEndParts, FrontEndPlace) -> any FrontEnd

/// One of the front ends that an accessory is served with.
package enum FrontEndChoice: Sendable {
  case ip
  case other(FrontEndMaker)
  /// Matter, which also records what it does in the capture of a run.
  case matter(FrontEndMaker)

  package var isIP: Bool { if case .ip = self { true } else { false } }
  /// Whether the run of an accessory with this front end can be captured.
  package var isRecorded: Bool { if case .other = self { false } else { true } }
}
