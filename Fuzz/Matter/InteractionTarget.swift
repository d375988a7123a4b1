import FuzzSupport
import HAPWire
import MatterModel
import MatterInteraction
import MatterWire

/// A server of the interaction model with two peers, by a program of messages, changes, events and time.
package func fuzzInteraction(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  var session = InteractionProgram(payloadBytes: 256 + program.number(below: 256) * 4)
  while !program.isAtEnd { session.step(&program) }
  session.checkReads()
}

private struct InteractionProgram {
  private static let peers = [
    InteractionPeer(session: 1, subject: .node(1, fabric: 1, tags: [0x0001_0002])),
    InteractionPeer(session: 2, subject: .passcode(fabric: 0)),
  ]

  private var server: InteractionServer
  private var target = SmallNode()
  private var now = Duration.zero
  private let limits: InteractionLimits

  init(payloadBytes: Int) {
    var limits = InteractionLimits()
    limits.payloadBytes = payloadBytes
    limits.subscriptionsOfFabric = 3
    self.limits = limits
    server = InteractionServer(limits: limits, log: EventLog(capacity: 8), seed: 1)
  }

  mutating func step(_ program: inout ByteProgram) {
    switch program.number(below: 8) {
    case 0, 1:
      let (peer, exchange) = (program.number(below: 2), exchange(&program))
      receive(program.byte(), program.piece(), on: exchange, from: peer)
    case 2, 3:
      let (peer, exchange) = (program.number(below: 2), exchange(&program))
      receive(InteractionOpcode.status.rawValue, StatusResponse(.success).encoded, on: exchange, from: peer)
    case 4:
      let path = AttributePath(UInt16(program.number(below: 3)), 6, UInt32(program.number(below: 4)))
      target.values[path] = .octets(program.piece())
      target.version &+= 1
      server.attributeChanged(path)
    case 5:
      let path = EventPath(UInt16(program.number(below: 3)), 6, UInt32(program.number(below: 2)))
      let before = server.log.next
      let number = server.record(
        path, .info, at: .start(milliseconds: 1), [Element(.context(0), .octets(program.piece()))],
        fabric: program.isSet() ? 1 : nil)
      require(number == before && number < server.log.storedNumber, "the number of an event is not new")
    case 6:
      now += .milliseconds(program.number(below: 256) * 100)
      check(server.advance(to: now, target: target))
      require(server.nextDeadline.map { $0 > now } ?? true, "something is still due")
    default:
      if program.isSet() { server.sessionEnded(UInt64(1 + program.number(below: 2))) }
      let exchange = exchange(&program)
      if program.isSet() { server.exchangeEnded(exchange) } else { server.exchangeFailed(exchange) }
    }
    require(server.subscriptionCount <= 2 * limits.subscriptionsOfFabric, "more subscriptions than the limit")
  }

  private func exchange(_ program: inout ByteProgram) -> InteractionExchange {
    let byte = program.byte()
    return byte & 0x80 == 0 ? .peer(UInt64(byte & 7)) : .own(UInt64(byte & 0x7F))
  }

  private mutating func receive(
    _ opcode: UInt8, _ payload: [UInt8], on exchange: InteractionExchange, from peer: Int
  ) {
    if let opcode = InteractionOpcode(rawValue: opcode), let again = recoded(InteractionMessage(opcode, payload)) {
      require(recoded(InteractionMessage(opcode, again)) == again, "the message reads again as another")
    }
    let actions = server.receive(opcode, payload, on: exchange, from: Self.peers[peer], at: now, target: &target)
    require(actions.count == 1, "a message has not one answer")
    check(actions)
  }

  private mutating func check(_ actions: [InteractionAction]) {
    for case .close(let exchange) in actions { server.exchangeEnded(exchange) }
    for case .send(let message, _, _) in actions {
      require(message.payload.count <= limits.payloadBytes || message.opcode == .writeResponse, "too long")
      require(recoded(message) != nil, "the server sends what cannot be read")
    }
  }

  /// Reads the whole node in a new session, whatever the others do.
  mutating func checkReads() {
    var client = ClientInteraction(.read(ReadRequest([AttributePattern(nil, 6)])))
    var message = client.start
    let peer = InteractionPeer(session: 3, subject: .passcode(fabric: 0))
    while true {
      let actions = server.receive(
        message.opcode.rawValue, message.payload, on: .peer(99), from: peer, at: now, target: &target)
      guard case .send(let answer, _, _)? = actions.first else { fatalError("no answer") }
      switch client.receive(answer) {
      case .send(let next): message = next
      case .finish(.report(let report)): return require(report.values.count + report.statuses.count == 3 * 9)
      case .finish: fatalError("no report")
      }
    }
  }

  /// The message, decoded and encoded; nil: it is malformed.
  private func recoded(_ message: InteractionMessage) -> [UInt8]? {
    switch message.opcode {
    case .status: try? StatusResponse(decoding: message.payload).encoded
    case .read: try? ReadRequest(decoding: message.payload).encoded
    case .subscribe: try? SubscribeRequest(decoding: message.payload).encoded
    case .subscribeResponse: try? SubscribeResponse(decoding: message.payload).encoded
    case .report: try? ReportData(decoding: message.payload).encoded
    case .write: try? WriteRequest(decoding: message.payload).encoded
    case .writeResponse: try? WriteResponse(decoding: message.payload).encoded
    case .invoke: try? InvokeRequest(decoding: message.payload).encoded
    case .invokeResponse: try? InvokeResponse(decoding: message.payload).encoded
    case .timed: try? TimedRequest(decoding: message.payload).encoded
    }
  }
}

/// Three endpoints with one cluster, whose attributes take any value.
private struct SmallNode: InteractionTarget {
  var values: [AttributePath: Element.Value] = [:]
  var version: UInt32 = 0

  var endpoints: [EndpointNumber] { [0, 1, 2] }

  func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] { endpoint < 3 ? Self.clusters : [] }

  private static let clusters = [
    ClusterDescription(
      6, revision: 1,
      attributes: [
        ClusterDescription.Attribute(0, write: .operate), ClusterDescription.Attribute(1, write: .administer),
        ClusterDescription.Attribute(2, write: .operate, isTimed: true),
        ClusterDescription.Attribute(3, write: .operate, isFabricScoped: true),
      ],
      commands: [
        ClusterDescription.Command(0), ClusterDescription.Command(1, isTimed: true, response: 4),
        ClusterDescription.Command(2, response: 4, isFabricScoped: true),
      ], events: [ClusterDescription.Event(0), ClusterDescription.Event(1, read: .administer)])
  ]

  func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] { [0x100] }
  func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 { version }

  func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) {
    Element(tag, values[path] ?? .null).encode(into: &buffer)
  }

  mutating func write(
    _ path: AttributePath, _ change: AttributeChange, for subject: Subject
  ) throws(InteractionStatus) {
    version &+= 1
    switch change {
    case .replace(let value): values[path] = value
    case .append(let entry):
      guard case .container(.array, let entries) = values[path] else { throw InteractionStatus(.invalidDataType) }
      values[path] = .container(.array, entries + [Element(.anonymous, entry)])
    }
  }

  mutating func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    guard path.command > 0, case .container(_, let members) = fields.value else { return .status(.success) }
    return .response(4, members)
  }

  func accessEntries(of fabric: FabricIndex) -> [AccessEntry] {
    [
      AccessEntry(.operate, subjects: [0xFFFF_FFFD_0001_0001]),
      AccessEntry(.administer, targets: [AccessEntry.Target(cluster: 6, endpoint: 1)]),
    ]
  }
}
