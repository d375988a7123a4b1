@testable import MatterController
import HAPCrypto
import HAPDiscovery
import HAPLoop
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterTestSupport
import MatterWire

@testable import HAPMatter

/// A Matter controller with a socket, and a browser for nodes.
final class MatterPhone: @unchecked Sendable {  // confined to the world's thread
  let loop: EventLoop
  let client: NodeClient
  private let passcode: UInt32
  private var runner: NodeClientRunner!
  private var browsers: [ServiceBrowser] = []
  private var mdns: MDNSSockets!
  private var isSearching = false
  /// The services of each type that are announced now.
  private(set) var commissionable: [String: DiscoveredService] = [:]
  private(set) var operational: [String: DiscoveredService] = [:]
  private(set) var records: [DNSRecord] = []
  /// The most services of one packet.
  private(set) var mostServices = 0

  private(set) var commissionings = 0
  private(set) var connections: [Bool] = []
  private(set) var failures: [String] = []
  private(set) var results: [NodeClient.RequestNumber: InteractionResult] = [:]
  private(set) var unanswered: Set<NodeClient.RequestNumber> = []
  private(set) var changes: [ReportCollector] = []
  private(set) var sessionEndCount = 0
  private(set) var endedSubscriptionCount = 0
  /// Whether datagrams to it are lost.
  var isDeaf: Bool {
    get { runner.isDeaf }
    set { runner.isDeaf = newValue }
  }

  init(_ home: MatterHome, number: UInt64 = 1, node: NodeID = 5, passcode: UInt32 = 20_202_021) throws {
    loop = try home.makePhoneLoop()
    self.passcode = passcode
    let random = RandomSource.seeded(900 + number)
    client = NodeClient(ControllerFabric(number, node: 100 + number, random: random), node: node, random: random)
    client.certificateTime = Self.today
    try loop.performAndWait { [self] in
      runner = try NodeClientRunner(client, on: loop, host: home.anyAddress) { [unowned self] in
        isSearching = true
        search()
      } onReport: { [unowned self] in
        note($0)
      }
      browsers.append(
        try BackEnd.browse(.embedded, for: "_matterc._udp", on: loop) { [unowned self] in
          Self.take($0, into: &commissionable)
        }.browser)
      browsers.append(
        try BackEnd.browse(.embedded, for: "_matter._tcp", on: loop) { [unowned self] in
          Self.take($0, into: &operational)
          search()
        }.browser)
      mdns = MDNSSockets(loop) { [unowned self] datagram, _ in
        guard let message = try? DNSMessage(decoding: datagram.bytes), message.isResponse else { return }
        records += message.answers
        let services = message.records.filter { if case .service = $0.data { true } else { false } }
        mostServices = max(mostServices, Set(services.map(\.name)).count)
      }
      try mdns.open(on: [loop.interfaces().named("eth0")])
    }
  }

  /// 2026-01-01, in seconds since 2000-01-01.
  private static let today: UInt32 = 9497 * 86_400

  private static func take(_ event: BrowserEvent, into services: inout [String: DiscoveredService]) {
    switch event {
    case .appeared(let service), .changed(let service): services[service.name] = service
    case .gone(let name): services[name] = nil
    case .trouble: break
    }
  }

  private var now: Duration { runner.now }

  /// The instance name of the node in the fabric of this controller.
  var instance: String {
    let fabric: UInt64 = client.fabric.credentials.compressedID.reduce(0) { $0 << 8 | UInt64($1) }
    return "\(fabric.hexadecimal)-\(client.node.hexadecimal)"
  }

  /// Establishes a session with a node at an address, whether or not it is announced.
  /// - Returns: whether it was resumed; nil: there is none.
  func connect(to address: SocketAddress) async throws -> Bool? {
    let (done, failed) = (connections.count, failures.count)
    try perform { $0.client.connect(to: PeerAddress(address), at: $0.now) }
    try await wait(for: { connections.count > done || failures.count > failed })
    return connections.count > done ? connections.last : nil
  }

  private func search() {
    guard isSearching, let address = operational[instance]?.addresses.first else { return }
    isSearching = false
    runner.connect(to: address)
  }

  private func note(_ report: NodeClient.Report) {
    switch report {
    case .commissioned: commissionings += 1
    case .connected(let isResumed): connections.append(isResumed)
    case .failed(let failure): failures.append(failure.reason)
    case .answered(let number, let result): results[number] = result
    case .unanswered(let number): unanswered.insert(number)
    case .changed(let report): changes.append(report)
    case .subscriptionEnded: endedSubscriptionCount += 1
    case .sessionEnded: sessionEndCount += 1
    }
  }

  // MARK: Steps of tests

  /// Waits until a condition is true.
  /// - Returns: false after the limit.
  @discardableResult func wait(_ limit: Duration = .seconds(60), for condition: () -> Bool) async throws -> Bool {
    let end = now + limit
    while !condition() {
      guard now < end else { return false }
      try await loop.sleep(for: .milliseconds(2))
    }
    return true
  }

  func sleep(_ duration: Duration) async throws { try await loop.sleep(for: duration) }

  private func perform(_ body: @escaping @Sendable (MatterPhone) -> Void) throws {
    try loop.performAndWait { [self] in
      body(self)
      runner.act()
    }
  }

  /// Finds a node with an open window, and adds it to the fabric.
  /// - Returns: whether it succeeded.
  func commission(_ served: ServedNode, passcode: UInt32? = nil) async throws -> Bool {
    guard let invitation = try served.invitation else { return false }
    let isMeant = { (service: DiscoveredService) in service.port == invitation.port }
    guard try await wait(.seconds(10), for: { commissionable.values.contains(where: isMeant) }),
      let address = commissionable.values.first(where: isMeant)?.addresses.first,
      let authority = try? AttestationCertificate(decoding: invitation.trustAnchor)
    else { return false }
    let (done, failed) = (commissionings, failures.count)
    let passcode = passcode ?? self.passcode
    try perform { phone in
      phone.client.commission(
        at: PeerAddress(address), passcode: passcode, authorities: [authority], at: phone.now)
    }
    try await wait(.seconds(120), for: { commissionings > done || failures.count > failed })
    return commissionings > done
  }

  /// Establishes a session with the node of the fabric.
  /// - Returns: whether it was resumed; nil: there is none.
  func connect() async throws -> Bool? {
    guard try await wait(.seconds(10), for: { operational[instance] != nil }) else { return nil }
    let (done, failed) = (connections.count, failures.count)
    try perform { phone in
      phone.isSearching = true
      phone.search()
    }
    try await wait(for: { connections.count > done || failures.count > failed })
    return connections.count > done ? connections.last : nil
  }

  /// - Returns: nil: the node has not answered.
  func request(
    _ request: InteractionRequest, limit: Duration = .seconds(60)
  ) async throws -> InteractionResult? {
    let number = try loop.performAndWait { [self] in runner.perform { $0.request(request, at: now) } }
    try await wait(limit, for: { results[number] != nil || unanswered.contains(number) })
    return results[number]
  }

  func read(_ path: AttributePath) async throws -> Element.Value? {
    try await request(.read(AttributePattern(path)))?.value(path)
  }

  /// The instance names that a question for a service type or subtype finds.
  func names(of type: String) async throws -> Set<String> {
    guard let name = DNSName(type + ".local") else { return [] }
    records = []
    try loop.performAndWait { [self] in
      _ = try mdns.sendToAll(DNSMessage(questions: [DNSQuestion(name, 12)]).encoded())
    }
    try await loop.sleep(for: .milliseconds(1500))
    let found = records.compactMap { record -> String? in
      guard record.name == name, !record.isGoodbye, case .pointer(let target) = record.data else { return nil }
      return target.firstLabel.map { String(decoding: $0, as: UTF8.self) }
    }
    return Set(found)
  }

  func disconnect() throws { try perform { $0.client.disconnect(at: $0.now) } }

  func stop() throws {
    try loop.performAndWait { [self] in
      for browser in browsers { browser.close() }
      mdns.close()
      runner.close()
    }
    loop.stop()
  }
}

extension DiscoveredService {
  /// The entries of the TXT record.
  var text: [String: String] {
    Dictionary(
      txt.map { entry in
        let parts = String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : "")
      }, uniquingKeysWith: { first, _ in first })
  }
}
