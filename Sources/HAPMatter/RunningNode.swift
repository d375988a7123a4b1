import HAPAttributes
import HAPCrypto
import HAPDeviations
import HAPDiscovery
import HAPFrontEnds
import HAPLoop
import HAPModel
import MatterBridge
import MatterModel
import MatterProtocol
import MatterWire

/// The node of one run of an accessory, made of what is stored. Belongs to the loop's thread.
final class RunningNode {
  static let stateName = "matter.node"
  private static let numbersName = "matter.numbers"
  private static let settingsName = "matter.settings"

  let label: MatterLabel
  /// The certificate that a commissioner has to trust, as DER.
  let trustAnchor: [UInt8]
  let accessory: MappedAccessory
  let server: NodeServer
  private let setup: RunSetup
  private let deviceType: UInt32
  private var newData: [FrontEndData] = []
  private var storedNumbers: EndpointNumbers
  private var storedSettingsEdition = 0
  private var connectionNumbers: [SessionHandle: UInt64] = [:]
  /// The codes of the last enhanced window that the user has opened, with the name of that window.
  var windowPayload: (instance: UInt64, payload: OnboardingPayload)?

  /// - Throws: if stored data is damaged.
  init(_ settings: MatterSettings, in frontEnd: MatterFrontEnd, stored: [FrontEndData]) throws(LoopError) {
    let (random, setup) = (frontEnd.parts.loop.random, frontEnd.place.setup)
    func bytes(_ name: String) -> [UInt8]? { stored.first { $0.name == name }?.bytes }
    func failure(_ what: String, _ advice: String) -> LoopError {
      LoopError(
        .other(0), "\"\(setup.name)\" can't be served over Matter: the stored \(what) are damaged; \(advice)")
    }
    let (reset, other) = ("'hapsim reset' removes them", "serve it with another --state folder")
    let labelRandom = LabelRandomness(settings, in: frontEnd.place, random: random)
    if let bytes = bytes(MatterLabel.name) {
      guard let label = MatterLabel(bytes, settings, random: labelRandom) else {
        throw failure("passcode and certificates", other)
      }
      self.label = label
    } else {
      label = MatterLabel(settings, random: labelRandom)
    }
    if bytes(MatterLabel.name) != label.bytes {
      newData.append(FrontEndData(name: MatterLabel.name, bytes: label.bytes, survivesReset: true))
    }
    var numbers = EndpointNumbers()
    do {
      if let bytes = bytes(Self.numbersName) { numbers = try EndpointNumbers(bytes: bytes) }
    } catch { throw failure("endpoint numbers", other) }
    guard let kept = bytes(Self.settingsName).map({ NodeSettings(bytes: $0) }) ?? NodeSettings() else {
      throw failure("settings", reset)
    }
    let nodeID = setup.identity.deviceID.text.filter { $0 != ":" }
    accessory = MappedAccessory(
      frontEnd.parts.attributes, frontEnd.session, MappingOverrides(setup.matter, in: setup.database),
      numbers: numbers, nodeID: nodeID, vendor: label.credentials.vendor, settings: kept.values
    ) { random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }
    storedNumbers = numbers
    accessory.now = frontEnd.now
    accessory.subscribe()
    deviceType = accessory.deviceTypes(of: accessory.endpoints.first ?? 1).first ?? 0
    self.setup = setup
    let defect = setup.defect?.matter
    let material = AttestationMaterial(
      label.credentials, deviceType: deviceType, defect?.attestation, random: random)
    trustAnchor = material.trustAnchor
    var configuration = Self.configuration(label, material, setup, deviceType: deviceType, nodeID: nodeID, frontEnd)
    configuration.instanceSeed = labelRandom.instanceSeed
    let node: MatterNode
    do {
      node = try MatterNode(
        configuration, application: accessory, stored: bytes(Self.stateName).map { SecretBytes($0) }, random: random,
        at: frontEnd.now)
    } catch { throw failure("fabrics", reset) }
    server = NodeServer(node, random: random, at: frontEnd.now)
    server.tap = defect.flatMap { DefectTap($0, material.credentials, random: random) }
    server.takeApplicationChanges = { [unowned accessory] in
      .init(attributes: accessory.takeChanges(), events: Self.events(accessory.takeEvents()))
    }
  }

  private static func configuration(
    _ label: MatterLabel, _ material: AttestationMaterial, _ setup: RunSetup, deviceType: UInt32, nodeID: String,
    _ frontEnd: MatterFrontEnd
  ) -> NodeConfiguration {
    let information = setup.database.information
    let host = withUnsafeBytes(of: label.host.bigEndian) { Array($0.prefix(6)) }
    return NodeConfiguration(
      vendorName: information(.manufacturer) ?? "hapsim", productName: information(.model) ?? setup.name.limited,
      serialNumber: information(.serialNumber) ?? "1", uniqueID: "hapsim-" + nodeID, deviceType: deviceType,
      interface: NodeInterface(name: frontEnd.place.places.first?.interface ?? "any", hardwareAddress: host),
      passcode: label.access, discriminator: label.discriminator, credentials: material.credentials,
      declaration: material.declaration)
  }

  // MARK: Stored data

  /// Returns what has to be stored after the start, once.
  func takeNewData() -> [FrontEndData] {
    defer { newData = [] }
    return newData
  }

  /// Returns what has changed since the last call.
  func changedData() -> [FrontEndData] {
    var data: [FrontEndData] = []
    if accessory.numbers != storedNumbers {
      storedNumbers = accessory.numbers
      data.append(FrontEndData(name: Self.numbersName, bytes: storedNumbers.bytes, survivesReset: true))
    }
    if accessory.settingsEdition != storedSettingsEdition {
      storedSettingsEdition = accessory.settingsEdition
      data.append(
        FrontEndData(
          name: Self.settingsName, bytes: NodeSettings(accessory.settings).bytes, survivesReset: false))
    }
    return data
  }

  /// The state of the endpoints, for a capture.
  var endpointState: MatterEndpointState {
    MatterEndpointState(
      vendor: label.credentials.vendor, nodeID: accessory.nodeID, numbers: accessory.numbers.bytes,
      settings: NodeSettings(accessory.settings).bytes)
  }

  // MARK: Events

  func takeEvents() -> [NodeServer.ApplicationEvent] { Self.events(accessory.takeEvents()) }

  private static func events(_ events: [MappedEvent]) -> [NodeServer.ApplicationEvent] {
    events.map { .init(EventPath($0.endpoint, $0.cluster, $0.event), $0.priority, $0.fields) }
  }

  // MARK: Connections

  /// - Parameter new: returns the number of a new connection.
  func connections(of session: AttributeSession, _ new: () -> UInt64) -> [HAPFrontEnds.ControllerConnection] {
    let sessions = server.sessions
    connectionNumbers = connectionNumbers.filter { number in sessions.contains { $0.handle == number.key } }
    return sessions.map { entry in
      let number = connectionNumbers[entry.handle] ?? new()
      connectionNumbers[entry.handle] = number
      let address = entry.peer.socketAddress.map { "\($0)" } ?? "unknown"
      return HAPFrontEnds.ControllerConnection(
        number: number, peer: "\(address) (Matter)", controller: entry.subject.name, session: session)
    }
  }

  func endSessions(_ numbers: Set<UInt64>, at now: Duration) {
    for (handle, number) in connectionNumbers where numbers.contains(number) { server.endSession(handle, at: now) }
  }

  // MARK: The records on the network

  /// The records that announce the node. Matter 1.4 §4.3.
  func records(port: UInt16, places: [ListeningPlace]) -> [ServiceRecord] {
    let addresses = places.contains(where: \.host.isUnspecified) ? [] : places.map(\.host)
    let parameters = SessionParameters()
    func milliseconds(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1)))" }
    let common = [
      ("SII", milliseconds(parameters.idleInterval)), ("SAI", milliseconds(parameters.activeInterval)),
      ("SAT", milliseconds(parameters.activeThreshold)), ("T", "0"),
    ]
    func record(_ name: String, _ type: String, _ subtypes: [String], _ text: [(String, String)]) -> ServiceRecord {
      var record = ServiceRecord(
        name: name, type: type, subtypes: subtypes, port: port, txt: text.map { (key: $0.0, value: $0.1) },
        host: label.hostName, addresses: addresses)
      // Matter's names are random or hashes of keys.
      (record.isRenamed, record.isProbed) = (false, false)
      return record
    }
    let advertised = server.advertisements
    var records = advertised.operational.map { fabric in
      let id: UInt64 = fabric.compressedFabric.reduce(0) { $0 << 8 | UInt64($1) }
      let compressed = id.hexadecimal
      return record(
        "\(compressed)-\(fabric.node.hexadecimal)", "_matter._tcp", ["_I\(compressed)"], common)
    }
    if let window = advertised.commissionable {
      let (vendor, product) = (label.credentials.vendor, label.credentials.product)
      let text = [
        ("D", "\(window.discriminator)"), ("CM", "\(window.mode)"), ("VP", "\(vendor)+\(product)"),
        ("DT", "\(deviceType)"), ("DN", setup.name.limited), ("PH", "33"),
      ]
      let subtypes = [
        "_L\(window.discriminator)", "_S\(window.discriminator >> 8)", "_V\(vendor)", "_CM", "_T\(deviceType)",
      ]
      records.append(record(window.instance.hexadecimal, "_matterc._udp", subtypes, text + common))
    }
    return records
  }
}

extension String {
  /// The beginning, with at most 32 bytes.
  var limited: String {
    var text = self
    while text.utf8.count > 32 { text.removeLast() }
    return text
  }
}

extension AttributeDatabase {
  /// Returns a text of the Accessory Information of the first accessory, with at most 32 bytes; nil: it has none, or an
  /// empty one.
  fileprivate func information(_ definition: CharacteristicDefinition) -> String? {
    guard let slots = accessoryEntries.first?.slots,
      let slot = slots.first(where: { characteristics[$0].type == definition.type }),
      case .string(let text) = characteristics[slot].value, !text.isEmpty
    else { return nil }
    return text.limited
  }
}
