import Foundation
import HAPAttributes
import HAPModel
import HAPProfile
import HAPTestSupport
import HAPWire
import MatterBridge
import MatterModel
import MatterWire
import Testing

/// A profile served as parts of a Matter node, with a device that accepts each write at once, and with a HAP session
/// that is subscribed to all characteristics.
final class MappedHome {
  let server: AttributeServer
  let node: MappedAccessory
  let matterSession: AttributeSession
  let hapSession: AttributeSession
  private let frontEnd = SilentFrontEnd()
  private let device = RecordingDevice()

  /// - Parameter name: a file of `Profiles`, without its extension.
  convenience init(_ name: String, numbers: EndpointNumbers = EndpointNumbers()) throws {
    let built = try Self.build(try Self.text(name))
    self.init(built.database, MappingOverrides(built.matter, in: built.database), numbers: numbers)
  }

  /// - Parameter json: a profile.
  convenience init(json: String, vendor: UInt16 = 0xFFF1) throws {
    let built = try Self.build(json)
    self.init(built.database, MappingOverrides(built.matter, in: built.database), vendor: vendor)
  }

  init(
    _ database: AttributeDatabase, _ overrides: MappingOverrides = MappingOverrides(),
    numbers: EndpointNumbers = EndpointNumbers(), vendor: UInt16 = 0xFFF1,
    settings: [AttributePath: Element.Value] = [:]
  ) {
    server = AttributeServer(database, quirks: AttributeQuirks(), device)
    matterSession = AttributeSession(controller: nil, connection: frontEnd, frontEnd: frontEnd)
    hapSession = AttributeSession(controller: nil, connection: frontEnd, frontEnd: frontEnd)
    server.open(matterSession)
    server.open(hapSession)
    var random = SeededGenerator(seed: 7)
    node = MappedAccessory(
      server, matterSession, overrides, numbers: numbers, nodeID: "f0e1d2c3b4a59687", vendor: vendor, settings: settings
    ) { UInt32(truncatingIfNeeded: random.next()) }
    frontEnd.node = node
    node.subscribe()
    server.writer = device
    var transaction = WriteTransaction()
    transaction.writes = database.characteristics.indices
      .filter { database.characteristics[$0].perms.contains(.events) }
      .map { AttributeWrite(database.id(ofSlot: $0), subscribes: true) }
    _ = server.write(&transaction, isTimed: false, by: hapSession, at: .zero)
  }

  static func database(_ name: String) throws -> AttributeDatabase { try build(try text(name)).database }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: Repository.root.appending(path: "Profiles/\(name).hasaccessory"), encoding: .utf8)
  }

  static func build(_ json: String) throws -> BuiltAccessory {
    let profile = try AccessoryProfile(json: Array(json.utf8), fileName: "profile")
    var ids = IDMap()
    return try profile.build(ids: &ids, deviceID: try #require(DeviceID("3C:11:D2:0A:9F:E1")))
  }

  static let profiles: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "Profiles").path)
    return (files ?? []).filter { $0.hasSuffix(".hasaccessory") }.map { String($0.dropLast(13)) }.sorted()
  }()

  /// Replaces the profile.
  /// - Returns: the attributes that changed.
  func replace(by json: String) throws -> [AttributePath] {
    let built = try Self.build(json)
    server.replace(built.database, live: [], at: .zero)
    return node.databaseWasReplaced(MappingOverrides(built.matter, in: built.database))
  }

  // MARK: The device

  /// The decision of the device about each write.
  var verdict: WriteVerdict {
    get { device.verdict }
    set { device.verdict = newValue }
  }

  /// The writes that the device has answered late.
  var finished: [WriteTransaction] { frontEnd.finished }

  /// The values that were requested from the device.
  var readRequests: [(ids: [AttributeID], ticket: Ticket)] { device.requests }
  /// The writes that the device got.
  var written: [ServiceWrite] { device.written }

  func slot(_ type: TypeID, aid: UInt64 = 1, service: TypeID? = nil) throws -> Int {
    let database = server.database
    return try #require(
      database.characteristics.indices.first {
        database.characteristics[$0].type == type && database.id(ofSlot: $0).aid == aid
          && (service == nil || database.service(ofSlot: $0).type == service)
      })
  }

  func value(_ type: TypeID, aid: UInt64 = 1) throws -> Value { server.database[slot: try slot(type, aid: aid)] }

  /// The device changes a value.
  /// - Returns: the attributes that changed.
  @discardableResult
  func change(_ type: TypeID, to value: Value, aid: UInt64 = 1) throws -> [AttributePath] {
    server.change(server.database.id(ofSlot: try slot(type, aid: aid)), to: value, at: .zero)
    return takeMarks()
  }

  /// Passes the session's events to the node.
  func takeMarks() -> [AttributePath] {
    let slots = matterSession.waitingEvents.map(\.slot)
    matterSession.didSendEvents(at: .zero)
    return node.mark(slots)
  }

  /// The characteristics for which the HAP session has events.
  func takeHAPEvents() -> [TypeID] {
    defer { hapSession.didSendEvents(at: .zero) }
    return hapSession.waitingEvents.map { server.database.characteristics[$0.slot].type }
  }

  // MARK: A controller

  static let controller = Subject.node(0x1122, fabric: 1, tags: [])

  func read(
    _ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeNumber
  ) throws(InteractionStatus) -> Element.Value {
    var buffer = ByteBuffer()
    try node.read(
      AttributePath(endpoint, cluster, attribute), for: Self.controller, isFabricFiltered: true, tag: .context(2),
      into: &buffer)
    guard let element = try? Element(decoding: buffer.bytes), element.tag == .context(2) else {
      throw InteractionStatus(.invalidDataType)
    }
    return element.value
  }

  func write(
    _ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeNumber, _ value: Element.Value
  ) -> InteractionStatus.Code {
    do throws(InteractionStatus) {
      try node.write(AttributePath(endpoint, cluster, attribute), .replace(value), for: Self.controller)
      return .success
    } catch {
      return error.code
    }
  }

  func invoke(
    _ endpoint: EndpointNumber, _ cluster: ClusterID, _ command: CommandNumber, _ fields: Element.Value...
  ) -> InteractionStatus.Code? {
    invoke(endpoint, cluster, command, fields: fields)
  }

  /// - Returns: nil if the answer is a command.
  func invoke(
    _ endpoint: EndpointNumber, _ cluster: ClusterID, _ command: CommandNumber, fields: [Element.Value]
  ) -> InteractionStatus.Code? {
    guard case .status(let status) = answer(endpoint, cluster, command, fields) else { return nil }
    return status.code
  }

  func answer(
    _ endpoint: EndpointNumber, _ cluster: ClusterID, _ command: CommandNumber, _ fields: [Element.Value]
  ) -> CommandOutcome {
    let members = fields.enumerated().map { Element(.context(UInt8($0)), $1) }
    let structure = Element(.anonymous, .container(.structure, members))
    return node.invoke(CommandPath(endpoint, cluster, command), structure, for: Self.controller)
  }
}

private final class SilentFrontEnd: AttributeFrontEnd {
  private(set) var finished: [WriteTransaction] = []
  weak var node: MappedAccessory?

  func isAdmin(_ session: AttributeSession) -> Bool { true }
  /// Events stay in the session until a test takes them.
  func sendEvents(of session: AttributeSession, at now: Duration) {}
  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    switch request {
    case .read(let failures): node?.deviceAnswered(failures: failures)
    case .write(let transaction): finished.append(transaction)
    }
  }
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {}
  func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}

private final class RecordingDevice: AttributeActions, CharacteristicWriter {
  var verdict = WriteVerdict.accepted()
  private(set) var written: [ServiceWrite] = []
  let makesReports = false
  private(set) var requests: [(ids: [AttributeID], ticket: Ticket)] = []
  private var ticket: UInt64 = 0

  func newTicket() -> Ticket {
    ticket += 1
    return Ticket(number: ticket)
  }
  func wrote(_ write: ServiceWrite) { written.append(write) }
  func read(_ ids: [AttributeID], ticket: Ticket) { requests.append((ids, ticket)) }
  func append(_ report: AccessoryReport) {}
  func judge(_ write: CharacteristicWrite) -> WriteVerdict { verdict }
}
