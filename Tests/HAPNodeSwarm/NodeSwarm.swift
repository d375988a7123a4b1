import HAPDiscovery
import HAPHost
import HAPLoop
import HAPMatter
import HAPSwarm
import HAPWorld
import MatterModel
import MatterProtocol

/// Matter as the second protocol of a run: the accessories are nodes, and two to four controllers have fabrics of their
/// own. Confined to the world's thread.
package final class NodeSwarm: SecondProtocol, @unchecked Sendable {  // see above
  /// The passcode on the label of each node.
  static let passcode: UInt32 = 20_202_021
  /// The time after which a message without an answer has no effect: a frozen process receives late.
  static let lateness: UInt64 = 30_000_000_000
  /// The time after which a commissioning without an answer is whole or undone.
  static let settlingTime: UInt64 = 75_000_000_000
  /// The time in which a report follows a change, with repetitions.
  static let reportTime: UInt64 = 5_000_000_000

  private(set) var nodes: [NodeLedger] = []
  private(set) var members: [NodeController] = []
  private var run: SwarmRun?
  /// Whether each datagram can be lost, and arrive twice or late, at any time.
  private(set) var isLossy = false
  /// How long the present error of a mutation has lasted, in checks.
  private var errorAge = 0

  package init() {}

  var swarm: SwarmRun {
    guard let run else { preconditionFailure("the run has ended") }
    return run
  }

  package var controllers: [any SwarmController] { members }

  package func populate(_ swarm: SwarmRun) {
    run = swarm
    nodes = swarm.accessories.map { NodeLedger($0) }
    if swarm.mutation == nil, swarm.random.chance(0.4) {
      isLossy = true
      swarm.link.properties = LinkProperties(
        loss: Double(1 + swarm.random.upTo(1)) / 100, duplication: 0.02, reordering: 0.05,
        reorderingDelay: .milliseconds(20))
    }
    let first = swarm.everyone.count
    for number in 0...Int(1 + swarm.random.upTo(2)) { members.append(NodeController(first + number, number, in: self)) }
  }

  package func configure(_ setting: inout Simulation.Setting, of accessory: AccessoryMachine) {
    var settings = MatterSettings()
    (settings.passcode, settings.discriminator) = (Self.passcode, 3840)
    if swarm.mutation == .labelChanged { settings.discriminator = UInt16(accessory.starts) }
    setting.frontEnds.append(MatterFrontEnd.choice(settings))
  }

  // MARK: What happens to an accessory

  package func published(
    _ record: ServiceRecord, by advertiser: Int, of accessory: AccessoryMachine
  ) {
    nodes[accessory.number].published(record, advertiser)
  }

  package func withdrawn(_ advertiser: Int, of accessory: AccessoryMachine) {
    if swarm.mutation != .recordsLeft { nodes[accessory.number].withdrawn(advertiser) }
  }

  package func started(_ accessory: AccessoryMachine) {
    guard let invitation = frontEnd(of: accessory, { $0.invitation }) else {
      return swarm.report(.identityIsKept, "accessory \(accessory.number) has started without a node")
    }
    nodes[accessory.number].started(invitation)
  }

  package func ended(_ accessory: AccessoryMachine, losesValues: Bool) {
    nodes[accessory.number].ended(losesValues: losesValues)
  }

  package func willReset(_ accessory: AccessoryMachine) { nodes[accessory.number].willReset() }

  package func resetFailed(_ accessory: AccessoryMachine) { nodes[accessory.number].valuesAreUncertain() }

  package func wasReset(_ accessory: AccessoryMachine, isWhole: Bool) {
    nodes[accessory.number].wasReset(isWhole: isWhole)
  }

  /// Reads from the node of an accessory.
  /// - Returns: `nil`: it does not run.
  func frontEnd<T: Sendable>(
    of accessory: AccessoryMachine, _ read: @escaping @Sendable (MatterFrontEnd) -> T?
  ) -> T? {
    guard accessory.isUp, let loop = accessory.loop, let served = accessory.accessory else { return nil }
    return try? loop.performAndWait {
      served.assumeIsolated { served in served.frontEnd(MatterFrontEnd.self).flatMap { read($0) } }
    }
  }

  package func end() {
    for controller in members { controller.end(losingPower: false) }
    members = []
    nodes = []
    run = nil
  }

  // MARK: Checks

  package func check() {
    for node in nodes { checkLimits(node) }
    for controller in members where controller.isUp { controller.checkSubscriptions() }
    disturbNetwork()
  }

  private func checkLimits(_ node: NodeLedger) {
    guard let load = frontEnd(of: node.accessory, { $0.load }),
      let waiting = frontEnd(of: node.accessory, { $0.waitingCount }),
      let fabrics = frontEnd(of: node.accessory, { $0.fabrics.count })
    else { return }
    // See the table in docs/internals/matter.md. A session has at most 16 exchanges of each end.
    let sessions = load.sessions + load.unsecuredSessions
    let limits: [(what: String, count: Int, limit: Int)] = [
      ("sessions", load.sessions, 48 + 1), ("unsecured sessions", load.unsecuredSessions, 16),
      ("exchanges", load.exchanges, 2 * 16 * sessions), ("handshakes", load.handshakes, 16),
      ("resumptions", load.resumptions, 64), ("interactions", load.interactions, 64 + 16 * 16),
      ("subscriptions", load.subscriptions, 16 * fabrics), ("events", load.events, 3 * 64),
      ("waiting actions", waiting, 1000 + 100), ("fabrics", fabrics, 16),
    ]
    for (what, count, limit) in limits where count > limit {
      swarm.report(.tablesAreBounded, "\(node) has \(count) \(what), and \(limit) are allowed")
    }
  }

  /// Causes the errors of the network for mutations, each for three checks, without noting them as faults.
  private func disturbNetwork() {
    guard swarm.mutation == .datagramsLost || swarm.mutation == .datagramsLate else { return }
    errorAge += 1
    for (node, controller) in zip(nodes, members) {
      let (here, there) = (node.accessory.interface, controller.interface)
      let slow = LinkProperties(latency: .milliseconds(1200))
      switch errorAge % 6 {
      case 1 where swarm.mutation == .datagramsLost:
        swarm.link.cut(from: here, to: there)
        swarm.link.cut(from: there, to: here)
      case 4 where swarm.mutation == .datagramsLost:
        swarm.link.heal(from: here, to: there)
        swarm.link.heal(from: there, to: here)
      case 1:
        swarm.link.setProperties(slow, from: here, to: there)
        swarm.link.setProperties(slow, from: there, to: here)
      case 4:
        swarm.link.setProperties(nil, from: here, to: there)
        swarm.link.setProperties(nil, from: there, to: here)
      default: break
      }
    }
  }
}
