import HAPWire
import MatterModel
import MatterInteraction
import MatterWire

/// A node in memory.
struct MemoryTarget: InteractionTarget {
  struct Cluster {
    var description: ClusterDescription
    var values: [AttributeNumber: Element.Value]
    var version: UInt32 = 7
  }

  var tree: [EndpointNumber: [Cluster]] = [:]
  var types: [EndpointNumber: [UInt32]] = [:]
  var access: [FabricIndex: [AccessEntry]] = [:]
  var outcomes: [CommandPath: CommandOutcome] = [:]
  var failures: [AttributePath: InteractionStatus] = [:]
  /// What was done, in order.
  var writes: [AttributeChange] = []
  var invokes: [CommandPath] = []

  var endpoints: [EndpointNumber] { tree.keys.sorted() }
  func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] { (tree[endpoint] ?? []).map(\.description) }
  func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] { types[endpoint] ?? [] }
  func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 {
    tree[endpoint]?.first { $0.description.id == cluster }?.version ?? 0
  }
  func accessEntries(of fabric: FabricIndex) -> [AccessEntry] { access[fabric] ?? [] }

  subscript(_ path: AttributePath) -> Element.Value? {
    get { tree[path.endpoint]?.first { $0.description.id == path.cluster }?.values[path.attribute] }
    set {
      guard let index = tree[path.endpoint]?.firstIndex(where: { $0.description.id == path.cluster }) else { return }
      tree[path.endpoint]?[index].values[path.attribute] = newValue
      tree[path.endpoint]?[index].version &+= 1
    }
  }

  func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) {
    buffer.openContainer(tag, .array)
    buffer.closeContainer()
    if let failure = failures[path] { throw failure }
    buffer.removeLast(2 + (tag == .anonymous ? 0 : 1))
    guard var value = self[path] else { throw InteractionStatus(.failure) }
    if isFabricFiltered, case .container(.array, let entries) = value {
      value = .container(
        .array, entries.filter { $0[0xFE] == nil || $0[0xFE] == .unsigned(UInt64(subject.fabric)) })
    }
    Element(tag, value).encode(into: &buffer)
  }

  mutating func write(
    _ path: AttributePath, _ change: AttributeChange, for subject: Subject
  ) throws(InteractionStatus) {
    if let failure = failures[path] { throw failure }
    writes.append(change)
    switch change {
    case .replace(let value): self[path] = value
    case .append(let entry):
      guard case .container(.array, let entries) = self[path] else { throw InteractionStatus(.invalidDataType) }
      self[path] = .container(.array, entries + [Element(.anonymous, entry)])
    }
  }

  mutating func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    invokes.append(path)
    return outcomes[path] ?? .status(.success)
  }

  /// Adds a cluster; attributes get their numbers as values.
  mutating func add(_ endpoint: EndpointNumber, _ description: ClusterDescription) {
    var values: [AttributeNumber: Element.Value] = [:]
    for attribute in description.attributes { values[attribute.number] = .unsigned(UInt64(attribute.number)) }
    tree[endpoint, default: []].append(Cluster(description: description, values: values))
    tree[endpoint]?.sort { $0.description.id < $1.description.id }
  }

  /// A root with basic information and access control, and two lights.
  static var home: MemoryTarget {
    var target = MemoryTarget()
    target.add(
      0,
      ClusterDescription(
        0x1F, revision: 2,
        attributes: [
          ClusterDescription.Attribute(0, read: .administer, write: .administer, isFabricScoped: true),
          ClusterDescription.Attribute(4),
        ], events: [ClusterDescription.Event(0, read: .administer)]))
    target[acl] = .container(.array, [])
    target.add(
      0,
      ClusterDescription(
        0x28, revision: 3,
        attributes: [
          ClusterDescription.Attribute(1), ClusterDescription.Attribute(5, write: .manage),
          ClusterDescription.Attribute(6, read: nil, write: .administer),
          ClusterDescription.Attribute(7, write: .operate, isTimed: true),
        ], events: [ClusterDescription.Event(0), ClusterDescription.Event(2)]))
    for endpoint: EndpointNumber in [1, 2] {
      target.add(
        endpoint,
        ClusterDescription(
          6, revision: 6, features: 1, attributes: [ClusterDescription.Attribute(0)],
          commands: [
            ClusterDescription.Command(0), ClusterDescription.Command(1), ClusterDescription.Command(2, isTimed: true),
            ClusterDescription.Command(3, invoke: .administer, response: 9, isFabricScoped: true),
            ClusterDescription.Command(4, response: 9),
          ]))
      target.types[endpoint] = [0x100]
    }
    target.access[1] = [AccessEntry(.administer, subjects: [0xA])]
    target.access[2] = [AccessEntry(.operate, subjects: [0xB])]
    return target
  }

  static let acl = AttributePath(0, 0x1F, 0)
  static let label = AttributePath(0, 0x28, 5)
  static let onOff = AttributePath(1, 6, 0)
}

/// A server, its target and the time, with an initiator at the other end.
struct Bench {
  var server: InteractionServer
  var target: MemoryTarget
  var now = Duration.zero
  var peer = InteractionPeer(session: 1, subject: .passcode(fabric: 0))
  /// The sizes of the messages of the server.
  var sizes: [Int] = []
  private var exchange: UInt64 = 0

  init(_ target: MemoryTarget = .home, limits: InteractionLimits = InteractionLimits(), log: EventLog = EventLog()) {
    (self.target, server) = (target, InteractionServer(limits: limits, log: log, seed: 100))
  }

  static let administrator = InteractionPeer(session: 2, subject: .node(0xA, fabric: 1, tags: []))
  static let user = InteractionPeer(session: 3, subject: .node(0xB, fabric: 2, tags: []))

  mutating func newExchange() -> InteractionExchange {
    exchange += 1
    return .peer(exchange)
  }

  /// Gives the server a message.
  mutating func send(_ message: InteractionMessage, on exchange: InteractionExchange) -> [InteractionAction] {
    let actions = server.receive(
      message.opcode.rawValue, message.payload, on: exchange, from: peer, at: now, target: &target)
    for case .send(let message, _, _) in actions { sizes.append(message.payload.count) }
    for case .close(let exchange) in actions { server.exchangeEnded(exchange) }
    return actions
  }

  mutating func send(_ status: InteractionStatus.Code, on exchange: InteractionExchange) -> [InteractionAction] {
    send(InteractionMessage(.status, StatusResponse(status).encoded), on: exchange)
  }

  mutating func advance(to time: Duration) -> [InteractionAction] {
    now = time
    return server.advance(to: now, target: target)
  }

  /// Executes a request to its end.
  mutating func run(_ request: InteractionRequest) -> InteractionResult {
    let exchange = newExchange()
    var client = ClientInteraction(request)
    var message = client.start
    while true {
      guard case .send(let answer, exchange, _)? = send(message, on: exchange).first else {
        return .failure(InteractionStatus(.failure))
      }
      switch client.receive(answer) {
      case .finish(let result): return result
      case .send(let next): message = next
      }
    }
  }

  mutating func read(_ patterns: AttributePattern...) -> ReportCollector {
    report(.read(ReadRequest(patterns)))
  }

  mutating func report(_ request: InteractionRequest) -> ReportCollector {
    if case .report(let report) = run(request) { report } else { ReportCollector() }
  }

  /// The statuses of a write; those of a request that failed as a whole alone.
  mutating func write(_ items: [WriteRequest.Item], timed: UInt16? = nil) -> [InteractionStatus.Code] {
    switch run(.write(WriteRequest(items, isTimed: timed != nil), milliseconds: timed)) {
    case .written(let items): items.map(\.status.code)
    case .failure(let status): [status.code]
    default: []
    }
  }

  mutating func invoke(_ path: CommandPattern, timed: UInt16? = nil) -> [CommandOutcome] {
    switch run(.invoke(InvokeRequest([InvokeRequest.Item(path)], isTimed: timed != nil), milliseconds: timed)) {
    case .invoked(let items): items.map(\.outcome)
    case .failure(let status): [.status(status)]
    default: []
    }
  }

  /// Subscribes; nil: refused.
  /// - Parameter acknowledges: whether the peer acknowledges the response.
  mutating func subscribe(
    _ request: SubscribeRequest, acknowledges: Bool = true
  ) -> (SubscribeResponse, ReportCollector)? {
    let result = run(.subscribe(request))
    if acknowledges { server.exchangeEnded(.peer(exchange)) }
    if case .subscription(let response, let report) = result { return (response, report) } else { return nil }
  }

  /// Takes the reports that actions begin, and answers each to its end.
  mutating func reports(_ actions: [InteractionAction]) -> [ReportCollector] {
    var reports: [ReportCollector] = []
    var client = ClientReport(subscriptions: Set(0..<1000))
    for case .send(var message, let exchange, _) in actions {
      while true {
        let step = client.receive(message)
        if case .answer(let answer) = step, case .send(let next, _, _)? = send(answer, on: exchange).first {
          message = next
          continue
        }
        if case .finish(let report, let answer) = step {
          reports.append(report)
          if let answer { _ = send(answer, on: exchange) }
        }
        break
      }
      client = ClientReport(subscriptions: Set(0..<1000))
    }
    return reports
  }
}

/// The status of the first action, if it is a status response.
func statusCode(_ actions: [InteractionAction]) -> InteractionStatus.Code? {
  guard case .send(let message, _, _)? = actions.first, message.opcode == .status else { return nil }
  return try? StatusResponse(decoding: message.payload).status
}
