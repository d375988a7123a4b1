import HAPCrypto
import HAPLoop
import HAPSwarm
import HAPWorld
import MatterController
import MatterModel

/// A swarm host with a Matter controller, which has a fabric of its own, and a link to each node. Confined to the world's
/// thread.
final class NodeController: SwarmController, @unchecked Sendable {  // see above
  /// The longest wait for an answer without a fault, in nanoseconds; with loss at any time, and repetitions.
  static let longestWait: UInt64 = 2_000_000_000
  static let longestWaitWithLoss: UInt64 = 12_000_000_000
  /// A session that ends within this time after the removal of another fabric may be a consequence.
  private static let removalTime: UInt64 = 60_000_000_000

  let number: Int
  unowned let owner: NodeSwarm
  let swarm: SwarmRun
  let host: SimulatedHost
  let interface: SimulatedInterface
  let fabric: ControllerFabric
  var random: WorldRandom
  private(set) var process: SimulatedProcess?
  private var loop: EventLoop?
  /// The links by the numbers of the accessories.
  private(set) var links: [Int: NodeLink] = [:]
  /// The number of commands so far.
  var commandCount = 0

  /// - Parameter place: its number among the Matter controllers.
  init(_ number: Int, _ place: Int, in owner: NodeSwarm) {
    (self.number, self.owner, swarm) = (number, owner, owner.swarm)
    random = swarm.random.fork("Matter controller \(place)")
    host = swarm.world.network.addHost("matter-\(place)")
    guard let address = IPAddress(bytes: [10, 0, 251, UInt8(1 + place)]) else { preconditionFailure("four bytes") }
    interface = host.addInterface("eth0", addresses: [.init(address, prefixLength: 16)], link: swarm.link)
    fabric = ControllerFabric(
      FabricID(1 + place), node: NodeID(1000 + place), random: .seeded(swarm.seed &* 1000 &+ UInt64(place)))
  }

  var isUp: Bool { process?.isAlive == true }

  func start() {
    guard !isUp else { return }
    host.start()
    guard let process = host.startProcess("controller") else { return }
    self.process = process
    loop = swarm.world.makeLoop("matter-\(number)", of: process)
  }

  func end(losingPower: Bool) {
    guard isUp else { return }
    if losingPower { host.powerOff() } else { process?.kill() }
    links = [:]
  }

  func step() async {
    await swarm.sleep(random.duration(.milliseconds(20), .milliseconds(1500)))
    let node = owner.nodes[Int(random.upTo(UInt64(owner.nodes.count - 1)))]
    if isUp, node.invitation != nil { await act(node) }
  }

  /// Performs one random operation with a node.
  private func act(_ node: NodeLedger) async {
    switch node.membership(of: number) {
    case .no:
      if links[node.accessory.number] != nil, random.chance(0.25) {
        await intrude(node)
      } else if random.chance(0.7) {
        await commission(node)
      }
    case .unknown: if random.chance(0.5) { await resolve(node) }
    case .yes: await use(node)
    }
  }

  private func use(_ node: NodeLedger) async {
    guard let link = await session(with: node) else { return }
    switch random.upTo(99) {
    case 0..<18: await read(pick(node.values, atMost: 3), link)
    case 18..<32: await readCluster(link)
    case 32..<36: await readAll(link)
    case 36..<48: await writeAttribute(link, isTimed: random.chance(0.4))
    case 48..<66: await command(link)
    case 66..<74: await subscribe(link)
    case 74..<80: await readEvents(link)
    case 80..<85: await switchByHand(node)
    case 85..<92: await openWindow(link)
    case 92..<95: await removeFabric(link)
    case 95: await reboot(node)
    default: await endSession(link)
    }
  }

  /// Returns some values, each at most once.
  private func pick(_ values: [NodeValue], atMost count: UInt64) -> [NodeValue] {
    var (rest, picked) = (values, [NodeValue]())
    for _ in 0...random.upTo(count - 1) where !rest.isEmpty {
      picked.append(rest.remove(at: Int(random.upTo(UInt64(rest.count - 1)))))
    }
    return picked
  }

  func checkSubscriptions() { for link in sortedLinks { link.checkSubscriptions() } }

  var sortedLinks: [NodeLink] { links.sorted { $0.key < $1.key }.map(\.value) }

  // MARK: Links

  /// Returns the link to a node, which is made if necessary; `nil`: the process does not run.
  func link(to node: NodeLedger) -> NodeLink? {
    guard isUp, let loop else { return nil }
    if let link = links[node.accessory.number] { return link }
    let link = NodeLink(to: node, of: self, on: loop, random: .seeded(random.next()))
    links[node.accessory.number] = link
    return link
  }

  /// The present address of a node.
  func address(of node: NodeLedger) -> SocketAddress {
    SocketAddress(host: node.accessory.interface.addresses[0].address, port: node.port)
  }

  // MARK: Judgement

  /// Whether there was no fault between this controller and a node since a time.
  func isQuiet(_ node: NodeLedger, since start: UInt64) -> Bool {
    swarm.faults(between: node.accessory, and: self, since: start).isEmpty
  }

  func checkWait(since start: UInt64, _ node: NodeLedger, _ what: String) {
    let wait = swarm.now - start
    guard wait > (owner.isLossy ? Self.longestWaitWithLoss : Self.longestWait), isQuiet(node, since: start) else {
      return
    }
    swarm.report(.waitsAreBounded, "\(self) at \(node): \(what) took \(wait / 1_000_000) ms")
  }

  /// The state of a link when a request begins.
  struct Beginning {
    let start: UInt64
    let session: NodeLink.Session?
    let membership: NodeLedger.Membership
    let changes: Int
    let run: Int
  }

  func begin(_ link: NodeLink) -> Beginning {
    let node = link.node
    return Beginning(
      start: swarm.now, session: link.session, membership: node.membership(of: number),
      changes: node.changes[number] ?? 0, run: node.run)
  }

  /// Whether nothing has happened since the beginning that explains the end of a session.
  func isUndisturbed(_ link: NodeLink, since before: Beginning) -> Bool {
    let node = link.node
    return isUp && node.run == before.run && node.changes[number] ?? 0 == before.changes
      && isQuiet(node, since: before.start)
  }

  /// Handles a request that has no answer.
  func unanswered(_ link: NodeLink, _ before: Beginning, _ what: String) {
    let node = link.node
    if let session = before.session, session.isSure, session.run == before.run, before.membership == .yes,
      isUndisturbed(link, since: before), link.isUsable(session)
    {
      let isAfterRemoval = node.lastRemoval.map { $0 + Self.removalTime > swarm.now && session.since < $0 } ?? false
      swarm.report(
        isAfterRemoval ? .removalsHarmNobody : .requestsAreAnswered, "\(self) at \(node): no answer to \(what)")
    }
    link.forget()
  }
}

extension NodeController: CustomStringConvertible {
  var description: String { "controller \(number)" }
}
