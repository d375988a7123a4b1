import HAPCrypto
import HAPTestSupport
import MatterModel
import Testing

@testable import MatterProtocol

/// A node in memory that can lose its power. Its state survives in `stored`.
final class ServerEnd: NetworkEnd {
  let address = PeerAddress(high: 0xFE80 << 48, low: 1, zone: 1, port: 5540)
  private(set) var server: NodeServer
  private(set) var application: LightTarget
  private(set) var stored: SecretBytes?
  /// All bytes that were stored, in order.
  private(set) var history: [SecretBytes] = []
  private(set) var reports: [NodeReport] = []
  private(set) var actionCount = 0
  private(set) var restartCount = 0
  /// The number of the action before which the power is lost for a moment.
  var powerCut: Int?
  /// The most sessions and handshakes that there were at once.
  private(set) var mostSessions = 0
  private(set) var mostHandshakes = 0
  /// The most computations that waited at once.
  private(set) var mostComputations = 0
  /// Alters the datagrams that leave.
  var alter: ([UInt8]) -> [[UInt8]] = { [$0] }
  private(set) var now = Duration.zero
  private let thinking: Duration
  private let seed: UInt64
  private let lights: EndpointNumber
  private var sent: [(packet: [UInt8], peer: PeerAddress)] = []
  private var computations: [(due: Duration, work: HandshakeWork)] = []

  /// - Parameter thinking: the time that each computation takes.
  init(
    seed: UInt64 = 1, lights: EndpointNumber = 1, thinking: Duration = .milliseconds(1), stored: SecretBytes? = nil
  ) throws {
    (self.seed, self.lights, self.thinking, self.stored) = (seed, lights, thinking, stored)
    let target = LightTarget(count: lights)
    (application, server) = (target, try Self.makeServer(target, stored, .seeded(seed), at: .zero))
    take(at: .zero)
  }

  private static func makeServer(
    _ application: LightTarget, _ stored: SecretBytes?, _ random: RandomSource, at now: Duration
  ) throws -> NodeServer {
    let node = try MatterNode(
      NodeBench.configuration, application: application, stored: stored, random: random, at: now)
    let server = NodeServer(node, random: random, at: now)
    server.takeApplicationChanges = { .init(attributes: application.takeChanges()) }
    return server
  }

  /// Starts again with what is stored.
  func restart(at now: Duration) {
    restartCount += 1
    computations = []
    application = LightTarget(count: lights)
    do {
      server = try Self.makeServer(application, stored, .seeded(seed &+ 1000 &* UInt64(restartCount)), at: now)
    } catch { Issue.record("the stored bytes are no state: \(error)") }
    take(at: now)
  }

  /// Changes the application as its user does.
  func use(at now: Duration, _ body: (LightTarget) -> Void) {
    body(application)
    server.changed(.init(attributes: application.takeChanges()), at: now)
    take(at: now)
  }

  /// Withholds the reports of changes.
  func loseReports() { server.withheldReports = .all }

  func change<Result, Failure: Error>(
    at now: Duration, _ body: (inout MatterNode) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { take(at: now) }
    return try server.change(at: now, body)
  }

  /// Opens a window as the user does.
  func openWindow(for duration: Duration? = nil, at now: Duration) throws(NodeWindow.Refusal) {
    try change(at: now) { (node) throws(NodeWindow.Refusal) in try node.openWindow(for: duration) }
  }

  private func take(at now: Duration) {
    self.now = now
    var hasSent = false
    while let action = server.nextAction() {
      if powerCut == actionCount {
        powerCut = nil
        return restart(at: now)
      }
      actionCount += 1
      switch action {
      case .store(let bytes):
        #expect(!hasSent, "the state is stored before an answer leaves")
        stored = bytes
        history.append(bytes)
      case .send(let packet, let peer):
        hasSent = true
        sent += alter(packet).map { ($0, peer) }
      case .compute(let work): computations.append((now + thinking, work))
      case .report(let report): reports.append(report)
      case .advertisementsChanged: break
      }
    }
    mostSessions = max(mostSessions, server.layer.sessions.count)
    mostHandshakes = max(mostHandshakes, server.handshakes.count)
    mostComputations = max(mostComputations, computations.count)
  }

  // MARK: NetworkEnd

  var deadline: Duration? { (computations.map(\.due) + [server.nextDeadline].compactMap(\.self)).min() }

  func takeDatagrams() -> [(packet: [UInt8], peer: PeerAddress)] {
    defer { sent = [] }
    return sent
  }

  func receive(_ packet: [UInt8], from peer: PeerAddress, at now: Duration) {
    server.receive(packet, from: peer, at: now)
    take(at: now)
  }

  func advance(to now: Duration) {
    while let next = computations.first, next.due <= now {
      computations.removeFirst()
      server.computed(next.work.perform(), at: now)
      take(at: now)
    }
    server.advance(to: now)
    take(at: now)
  }
}
