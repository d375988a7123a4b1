import HAPAttributes
import HAPCrypto
import HAPDeviations
import HAPDevices
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport

/// HAP over IP for a hosted accessory: the core, its server, the record on the network, and their defects.
///
/// Belongs to the loop's thread.
package final class IPFrontEnd: FrontEnd {
  /// The settings with which it is served.
  package struct Terms {
    /// `nil`: it is not visible in DNS-SD.
    package var advertiser: (any Advertiser)?
    package var places: [ListeningPlace]
    /// 0: any.
    package var port: UInt16
    package var capture: (any RunCapture)?
    package var observer: (any RunObserver)?

    package init(
      advertiser: (any Advertiser)?, places: [ListeningPlace], port: UInt16, capture: (any RunCapture)?,
      observer: (any RunObserver)?
    ) {
      self.advertiser = advertiser
      self.places = places
      self.port = port
      self.capture = capture
      self.observer = observer
    }
  }

  /// The maximum number of connections that wait at its port for a free slot.
  package static let mostWaiting = AccessoryServer.mostWaiting

  private let core: AccessoryCore
  private let server: AccessoryServer
  private let terms: Terms
  private let instanceName: String
  private let hostName: String
  /// The defects and faults of this run.
  package let installed: InstalledDefect
  /// The port on which it listens. It is kept while the radio is off.
  package private(set) var port: UInt16
  private var visibility = Visibility()
  /// Whether a fault is on.
  private var isHindered = false
  /// Receives the advertiser's reports. It may outlive the front end.
  private let onAdvertised: (AdvertisementEvent) -> Void

  /// - Parameters:
  ///   - random: the random numbers of the network.
  package init(
    _ parts: FrontEndParts, _ setup: RunSetup, _ terms: Terms, random: SimulationRandom, state: DefectState?,
    device: any Device, onAdvertised: @escaping (AdvertisementEvent) -> Void
  ) {
    self.terms = terms
    self.onAdvertised = onAdvertised
    port = terms.port
    instanceName = setup.instanceName
    hostName = setup.hostName
    core = AccessoryCore(
      parts.attributes, parts.pairing, parts.queue, advertisement: setup.advertisement, quirks: setup.quirks)
    server = AccessoryServer(core, parts.performer, openFiles: setup.openFiles)
    terms.capture?.begin(setup, live: Array(device.live), judges: device.judgesWrites)
    server.recorder = terms.capture
    installed = InstalledDefect(
      state, own: setup.defect, setupCode: setup.setupCode, networkRandom: random, server, beside: terms.observer)
    server.owner = self
    installed.onIdentify = { [unowned self] in server.performer.owner?.identify(aid: $0) }
    installed.onAdvertise = { [unowned self] in announceAgain(with: $0) }
    terms.observer?.watch(core)
  }

  package var servedProtocol: ServedProtocol? { .hap }
  package var advertisement: Advertisement { core.advertisement }
  package var connectionCount: Int { server.connectionCount }
  package var snapshotSource: (any SnapshotSource)? {
    get { core.snapshotSource }
    set { core.snapshotSource = newValue }
  }

  /// Sets which reports the owner receives from now on.
  package func setReports(all: Bool, requests: Bool) {
    core.makesReports = all || terms.observer != nil
    core.reportsRequests = requests
  }

  package var makesReports: Bool { core.makesReports }

  /// Applies the faults that are on from now on.
  /// - Parameter base: the state of the accessory's own defect.
  package func apply(_ faults: AccessoryFaults, base: DefectState?) {
    isHindered = !faults.isEmpty
    tellObserver()
    installed.apply(faults, base: base)
  }

  private func tellObserver() { terms.observer?.serves = visibility.hasRadio && !isHindered }

  // MARK: Starting and stopping

  package func start(_ visibility: Visibility) throws(LoopError) {
    self.visibility = visibility
    if visibility.hasRadio { try listen() }
    tellObserver()
  }

  package func announce() {
    if visibility.isKnown {
      advertise(core.advertisement)
    } else if visibility.hasRadio {
      publish()
    }
  }

  private func listen() throws(LoopError) {
    try server.listen(on: terms.places, port: port)
    port = server.port
  }

  package func runEnds() { terms.observer?.runEnded() }

  package func stop(_ ending: RunEnding) {
    switch ending {
    case .orderly: terms.advertiser?.close()
    case .forRestart: terms.advertiser?.withdraw()
    case .powerCut: break
    }
    installed.stop()
    server.closeConnections(withReset: ending == .powerCut)
  }

  /// Listens on the same port again.
  package func gainRadio() throws(LoopError) {
    try listen()
    visibility.hasRadio = true
    publish()
    tellObserver()
  }

  /// Sends a goodbye for the TXT record and closes every connection.
  package func loseRadio() {
    visibility.hasRadio = false
    terms.advertiser?.withdraw()
    server.vanish()
    tellObserver()
  }

  package func setAnnounced(_ isAnnounced: Bool) {
    visibility.isAnnounced = isAnnounced
    guard visibility.hasRadio else { return }
    if isAnnounced { publish() } else { terms.advertiser?.withdraw() }
  }

  package func databaseWasReplaced(_ replacement: DatabaseReplacement) {
    core.databaseWasReplaced(model: replacement.model, configurationNumber: replacement.configurationNumber)
  }

  // MARK: Connections

  package var connections: [ControllerConnection] { core.connections.filter { !$0.isClosed }.map(\.summary) }

  package func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int {
    server.disconnect { isMeant($0.summary) }
  }

  /// Records the device's verdict on a write while the request is processed.
  package func note(_ verdict: WriteVerdict) { terms.capture?.note(.verdict(verdict), at: server.now) }

  // MARK: The record

  private func publish() {
    guard let advertiser = terms.advertiser, visibility.isAnnounced else { return }
    // When it listens everywhere, each interface announces its own addresses.
    let addresses = terms.places.contains(where: \.host.isUnspecified) ? [] : terms.places.map(\.host)
    let record = ServiceRecord(
      name: instanceName, port: port, txt: core.advertisement.txt, host: hostName, addresses: addresses)
    advertiser.publish(record, events: onAdvertised)
  }

  /// Announces the record with other values, until it changes for another reason.
  private func announceAgain(with members: [(name: String, value: String?)]) {
    var txt = core.advertisement.txt
    for (name, value) in members {
      txt.removeAll { $0.key == name }
      if let value { txt.append((name, value)) }
    }
    terms.advertiser?.update(txt: txt)
  }
}

// MARK: Requests of the server

extension IPFrontEnd: AccessoryServerOwner {
  package func advertise(_ advertisement: Advertisement) {
    if installed.isSuppressed(.advertise) { return }
    terms.advertiser?.update(txt: advertisement.txt)
  }

  package func notice(_ report: AccessoryReport) {
    terms.observer?.hear(report, at: server.now)
    // Some faults only apply to certain controllers.
    if case .verified(let id, _) = report { server.reshape(id) }
  }
}

extension ConnectionCore {
  fileprivate var summary: ControllerConnection {
    ControllerConnection(
      number: id.number, peer: peer, controller: verifiedController, session: attributeSession)
  }
}
