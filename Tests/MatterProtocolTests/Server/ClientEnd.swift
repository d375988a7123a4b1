@testable import MatterController
import HAPCrypto
import MatterInteraction
import MatterModel

@testable import MatterProtocol

/// A controller in memory, with what it has reported.
final class ClientEnd: NetworkEnd {
  let address: PeerAddress
  let client: NodeClient
  private(set) var commissionings = 0
  /// For each established session, whether it was resumed.
  private(set) var connections: [Bool] = []
  private(set) var failures: [String] = []
  private(set) var results: [NodeClient.RequestNumber: InteractionResult] = [:]
  private(set) var unanswered: Set<NodeClient.RequestNumber> = []
  private(set) var changes: [ReportCollector] = []
  private(set) var endedSubscriptions: [UInt32] = []
  private(set) var sessionEnds: [SessionEnd] = []
  /// Finds the node for CASE; nil: the commissioning waits.
  var find: (() -> PeerAddress?)?
  /// Alters the datagrams that leave.
  var alter: ([UInt8]) -> [[UInt8]] = { [$0] }
  /// Whether datagrams to it are lost.
  var isDeaf = false
  private var sent: [(packet: [UInt8], peer: PeerAddress)] = []

  init(_ number: UInt64, node: NodeID = 5, fabric: ControllerFabric? = nil) {
    address = PeerAddress(high: 0xFE80 << 48, low: 0x100 + number, zone: 1, port: 6000)
    let random = RandomSource.seeded(5000 + number)
    client = NodeClient(
      fabric ?? ControllerFabric(number, node: 100 + number, random: random), node: node, random: random)
  }

  func take(at now: Duration) {
    while let action = client.nextAction() {
      switch action {
      case .send(let packet, let peer): sent += alter(packet).map { ($0, peer) }
      case .compute(let work): client.computed(work.perform(), at: now)
      case .findNode: if let peer = find?() { client.connect(to: peer, at: now) }
      case .report(let report): note(report)
      }
    }
  }

  private func note(_ report: NodeClient.Report) {
    switch report {
    case .commissioned: commissionings += 1
    case .connected(let isResumed): connections.append(isResumed)
    case .failed(let failure): failures.append(failure.reason)
    case .answered(let number, let result): results[number] = result
    case .unanswered(let number): unanswered.insert(number)
    case .changed(let report): changes.append(report)
    case .subscriptionEnded(let id): endedSubscriptions.append(id)
    case .sessionEnded(let reason): sessionEnds.append(reason)
    }
  }

  // MARK: NetworkEnd

  var deadline: Duration? { client.nextDeadline }

  func takeDatagrams() -> [(packet: [UInt8], peer: PeerAddress)] {
    defer { sent = [] }
    return sent
  }

  func receive(_ packet: [UInt8], from peer: PeerAddress, at now: Duration) {
    if isDeaf { return }
    client.receive(packet, from: peer, at: now)
    take(at: now)
  }

  func advance(to now: Duration) {
    client.advance(to: now)
    take(at: now)
  }
}

/// A node and controllers over a network.
final class NodeWorld {
  let server: ServerEnd
  let clients: [ClientEnd]
  let network: MemoryNetwork

  init(_ server: ServerEnd, clients count: UInt64 = 1, others: [any NetworkEnd] = [], seed: UInt64 = 1) {
    let clients = (1...count).map { ClientEnd($0) }
    (self.server, self.clients) = (server, clients)
    network = MemoryNetwork([server] + clients + others, seed: seed)
    for client in clients { client.find = { [unowned server] in server.address } }
  }

  var client: ClientEnd { clients[0] }
  var now: Duration { network.now }

  /// Runs as long as a condition is true, at most for a time.
  func run(for limit: Duration = .seconds(120), while isUnfinished: () -> Bool = { true }) {
    network.run(until: now + limit, while: isUnfinished)
  }

  /// Adds the node to the fabric of a client.
  /// - Returns: whether it succeeded.
  @discardableResult func commission(_ client: ClientEnd? = nil, passcode: UInt32 = 20_202_021) -> Bool {
    let client = client ?? self.client
    let (done, failed) = (client.commissionings, client.failures.count)
    client.client.commission(
      at: server.address, passcode: passcode, authorities: [NodeBench.credentials.authority], at: now)
    client.take(at: now)
    run { client.commissionings == done && client.failures.count == failed }
    return client.commissionings > done
  }

  /// - Returns: whether the session was resumed; nil: there is none.
  @discardableResult func connect(_ client: ClientEnd? = nil) -> Bool? {
    let client = client ?? self.client
    let (done, failed) = (client.connections.count, client.failures.count)
    client.client.connect(to: server.address, at: now)
    client.take(at: now)
    run { client.connections.count == done && client.failures.count == failed }
    return client.connections.count > done ? client.connections.last : nil
  }

  /// - Returns: nil: the node has not answered.
  func request(_ request: InteractionRequest, by client: ClientEnd? = nil) -> InteractionResult? {
    let client = client ?? self.client
    let number = client.client.request(request, at: now)
    client.take(at: now)
    run { client.results[number] == nil && !client.unanswered.contains(number) }
    return client.results[number]
  }

  func disconnect(_ client: ClientEnd? = nil, notifyingPeer: Bool = true) {
    let client = client ?? self.client
    client.client.disconnect(notifyingPeer: notifyingPeer, at: now)
    client.take(at: now)
  }

  /// Commissions like a controller that does not give up: if a step fails, it asks the node how far it came, and tries
  /// again after a while.
  /// - Returns: whether the client has the node in its fabric, within ten attempts.
  func persist(_ client: ClientEnd? = nil) -> Bool {
    let client = client ?? self.client
    for _ in 0..<10 {
      if commission(client) { return true }
      if connect(client) != nil, let result = request(.command(.generalCommissioning, 4), by: client) {
        // It is complete now, or was so before.
        if [.unsigned(0), .unsigned(3)].contains(result.field(0)) { return true }
      }
      run(for: .seconds(10))
    }
    return false
  }
}
