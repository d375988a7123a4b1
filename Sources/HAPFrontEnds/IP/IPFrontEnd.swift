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

/// HAP over IP in front of a hosted accessory: the core, its server, the record on the network, and the defects in them.
///
/// It has the accessory's attributes and pairings. Belongs to the loop's thread.
package final class IPFrontEnd: FrontEnd {
  /// What it starts from.
  package struct Setup {
    package let name: String
    /// In DNS-SD.
    package let instanceName: String
    package let hostName: String
    package let identity: AccessoryIdentity
    package let setupCode: SetupCode
    package let advertisement: Advertisement
    package let database: AttributeDatabase
    package let pairings: [Pairing]
    package let failedAttempts: Int
    package let quirks: IPQuirks
    package let attributeQuirks: AttributeQuirks
    package let pairingQuirks: PairingQuirks
    /// The accessory's own defect.
    package let defect: Defect?
    /// How many open files its connections may use; nil: as many as the process.
    package let openFiles: Int?

    package init(
      name: String, instanceName: String, hostName: String, identity: AccessoryIdentity, setupCode: SetupCode,
      advertisement: Advertisement, database: AttributeDatabase, pairings: [Pairing], failedAttempts: Int,
      quirks: IPQuirks, attributeQuirks: AttributeQuirks, pairingQuirks: PairingQuirks, defect: Defect?, openFiles: Int?
    ) {
      self.name = name
      self.instanceName = instanceName
      self.hostName = hostName
      self.identity = identity
      self.setupCode = setupCode
      self.advertisement = advertisement
      self.database = database
      self.pairings = pairings
      self.failedAttempts = failedAttempts
      self.quirks = quirks
      self.attributeQuirks = attributeQuirks
      self.pairingQuirks = pairingQuirks
      self.defect = defect
      self.openFiles = openFiles
    }
  }

  /// How it is served.
  package struct Terms {
    /// nil: it is not visible in DNS-SD.
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

  /// The most connections that wait at its port until a slot is free.
  package static let mostWaiting = AccessoryServer.mostWaiting

  private let loop: EventLoop
  private let core: AccessoryCore
  private let server: AccessoryServer
  private let terms: Terms
  private let instanceName: String
  private let hostName: String
  /// The defects and faults of this run.
  package let installed: InstalledDefect
  /// Set before it starts. It owns the front end.
  package unowned var owner: (any FrontEndOwner)?
  /// Where it listens, over losses of the radio.
  package private(set) var port: UInt16
  /// Whether it is on the network.
  package private(set) var hasRadio = true
  /// Whether its record is announced.
  package private(set) var isAnnounced = true
  /// Whether a fault is on.
  private var isHindered = false
  /// Gets what the advertiser reports. It may outlive the front end.
  private let onAdvertised: (AdvertisementEvent) -> Void

  /// - Parameters:
  ///   - random: the random numbers of the network.
  package init(
    _ setup: Setup, _ terms: Terms, on loop: EventLoop, random: SimulationRandom, state: DefectState?,
    device: any Device, onAdvertised: @escaping (AdvertisementEvent) -> Void
  ) {
    self.loop = loop
    self.terms = terms
    self.onAdvertised = onAdvertised
    port = terms.port
    instanceName = setup.instanceName
    hostName = setup.hostName
    core = AccessoryCore(
      identity: setup.identity, advertisement: setup.advertisement, database: setup.database,
      pairings: setup.pairings, failedAttempts: setup.failedAttempts, quirks: setup.quirks,
      attributeQuirks: setup.attributeQuirks, pairingQuirks: setup.pairingQuirks,
      random: terms.capture.map { capture in
        let capture = LoopBound(here: loop, capture)
        return loop.random.noted { capture.value.drew($0) }
      } ?? state?.random(on: loop) ?? loop.random)
    server = AccessoryServer(core, on: loop, openFiles: setup.openFiles)
    core.attributes.setLive(device.live)
    terms.capture?.begin(setup, live: Array(device.live), judges: device.judgesWrites)
    server.recorder = terms.capture
    installed = InstalledDefect(
      state, own: setup.defect, setupCode: setup.setupCode, networkRandom: random, server, beside: terms.observer)
    server.owner = self
    installed.onIdentify = { [unowned self] in owner?.identify(aid: $0) }
    installed.onAdvertise = { [unowned self] in announceAgain(with: $0) }
    terms.observer?.watch(core)
  }

  /// For the other front ends of the accessory.
  package var parts: FrontEndParts {
    FrontEndParts(loop: loop, attributes: core.attributes, pairing: core.pairingServer) { [unowned self] in
      server.sendAppended()
    }
  }

  package var attributes: AttributeServer { core.attributes }
  package var pairings: [Pairing] { core.pairings }
  package var isPaired: Bool { core.isPaired }
  package var advertisement: Advertisement { core.advertisement }
  package var connectionCount: Int { server.connectionCount }
  package var snapshotSource: (any SnapshotSource)? {
    get { core.snapshotSource }
    set { core.snapshotSource = newValue }
  }

  /// Sets which reports the owner gets from now on.
  package func setReports(all: Bool, requests: Bool) {
    core.makesReports = all || terms.observer != nil
    core.reportsRequests = requests
  }

  package var makesReports: Bool { core.makesReports }

  /// Applies the faults that are on from now on.
  /// - Parameter base: of the accessory's own defect.
  package func apply(_ faults: AccessoryFaults, base: DefectState?) {
    isHindered = !faults.isEmpty
    tellObserver()
    installed.apply(faults, base: base)
  }

  private func tellObserver() { terms.observer?.serves = hasRadio && !isHindered }

  // MARK: Life

  package func start(_ visibility: Visibility) throws(LoopError) {
    isAnnounced = visibility.isAnnounced
    hasRadio = visibility.hasRadio
    if hasRadio { try listen() }
    tellObserver()
  }

  /// Announces it after its device has started.
  package func announce(_ visibility: Visibility) {
    if visibility.isKnown {
      advertise(core.advertisement)
    } else if hasRadio {
      publish()
    }
  }

  private func listen() throws(LoopError) {
    try server.listen(on: terms.places, port: port)
    port = server.port
  }

  /// The accessory's run is over. Called before its device and the front ends end.
  package func runEnds() { terms.observer?.runEnded() }

  package func stop(_ ending: RunEnding) {
    switch ending {
    case .orderly: terms.advertiser?.close()
    case .forRestart: terms.advertiser?.withdraw()
    case .powerCut: break
    }
    installed.stop()
    server.stop(withReset: ending == .powerCut)
  }

  /// With a goodbye and every connection cut off; it comes back at the same port.
  package func setRadio(_ isOn: Bool) throws(LoopError) {
    if isOn {
      try listen()
      hasRadio = true
      publish()
    } else {
      hasRadio = false
      terms.advertiser?.withdraw()
      server.vanish()
    }
    tellObserver()
  }

  package func setAnnounced(_ isAnnounced: Bool) {
    self.isAnnounced = isAnnounced
    guard hasRadio else { return }
    if isAnnounced { publish() } else { terms.advertiser?.withdraw() }
  }

  /// The core renders the database, and knows it already.
  package func databaseWasReplaced() {}

  // MARK: Connections

  package var connections: [ControllerConnection] { core.connections.filter { !$0.isClosed }.map(\.summary) }

  package func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int {
    server.disconnect { isMeant($0.summary) }
  }

  // MARK: Inputs

  package func change(_ changes: [(id: AttributeID, value: Value)]) { server.change(changes) }

  package func answerRead(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket) {
    server.answerRead(id, result, ticket: ticket)
  }

  package func answerWrite(_ number: UInt64, _ verdict: WriteVerdict) { server.answerWrite(number, verdict) }

  package func setReachable(_ isReachable: Bool, aid: UInt64) { server.setReachable(isReachable, aid: aid) }

  package func unpair(_ identifiers: [[UInt8]], done: @escaping (Bool) -> Void) {
    server.unpair(identifiers, done: done)
  }

  package func replace(
    _ database: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>
  ) {
    server.replace(database, model: model, configurationNumber: configurationNumber, live: live)
  }

  /// Notes what the device said of a write while the request is worked off.
  package func note(_ verdict: WriteVerdict) { terms.capture?.note(.verdict(verdict), at: server.now) }

  // MARK: The record

  private func publish() {
    guard let advertiser = terms.advertiser, isAnnounced else { return }
    // Listening everywhere, each interface announces its own addresses.
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

// MARK: What the server leaves to others

extension IPFrontEnd: AccessoryServerOwner {
  package func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    owner?.store(change, done: done)
  }
  package func keep(_ changes: [(id: AttributeID, value: Value)]) { owner?.keep(changes) }
  package func identify(aid: UInt64) { owner?.identify(aid: aid) }
  package func wrote(_ write: ServiceWrite) { owner?.wrote(write) }
  package func read(_ ids: [AttributeID], ticket: Ticket) { owner?.read(ids, ticket: ticket) }

  package func advertise(_ advertisement: Advertisement) {
    if installed.isSuppressed(.advertise) { return }
    terms.advertiser?.update(txt: advertisement.txt)
  }

  package func report(_ report: AccessoryReport) {
    terms.observer?.hear(report, at: server.now)
    // Some faults are for certain controllers alone.
    if case .verified(let id, _) = report { server.reshape(id) }
    owner?.report(report)
  }
}

extension ConnectionCore {
  fileprivate var summary: ControllerConnection {
    ControllerConnection(
      number: id.number, peer: peer, controller: verifiedController, session: attributeSession)
  }
}
