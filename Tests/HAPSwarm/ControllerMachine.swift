import HAPCrypto
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWorld

/// A swarm host with a controller, which has at most one connection per accessory. Confined to the world's thread.
final class ControllerMachine: SwarmController, @unchecked Sendable {  // see above
  let number: Int
  let swarm: SwarmRun
  let host: SimulatedHost
  let interface: SimulatedInterface
  let identity: ControllerCredentials
  private(set) var process: SimulatedProcess?
  private(set) var loop: EventLoop!
  /// The connections by accessory number.
  var connections: [Int: SwarmConnection] = [:]
  /// The accessories for which the controller has a pairing.
  var paired: [Int: PairedAccessory] = [:]
  var random: WorldRandom
  private var lastPID: UInt64 = 0

  init(_ number: Int, in swarm: SwarmRun) {
    self.number = number
    self.swarm = swarm
    random = swarm.random.fork("controller \(number)")
    host = swarm.world.network.addHost("controller-\(number)")
    interface = host.addInterface(
      "eth0", addresses: [.init(IPAddress(bytes: [10, 0, 250, UInt8(1 + number)])!, prefixLength: 16)], link: swarm.link
    )
    var draw = swarm.random.fork("identity \(number)")
    let seed = (0..<32).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
    identity = ControllerCredentials(
      identifier: Array("C0000000-0000-4000-8000-00000000000\(number)".utf8), key: SigningKey(seed: SecretBytes(seed)))
  }

  var isUp: Bool { process?.isAlive == true }

  func start() {
    guard !isUp else { return }
    host.start()
    guard let process = host.startProcess("controller") else { return }
    self.process = process
    loop = swarm.world.makeLoop("controller-\(number)", of: process)
  }

  func end(losingPower: Bool) {
    guard isUp else { return }
    if losingPower { host.powerOff() } else { process?.kill() }
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
      connection.controllerDied()
    }
    if losingPower { for accessory in swarm.accessories { accessory.controllerLostPower() } }
    connections = [:]
  }

  // MARK: Operations

  func step() async {
    await swarm.sleep(random.duration(.milliseconds(20), .milliseconds(1500)))
    let accessory = swarm.accessories[Int(random.upTo(UInt64(swarm.accessories.count - 1)))]
    if isUp { await act(accessory) }
  }

  /// Performs one random operation with one accessory.
  private func act(_ accessory: AccessoryMachine) async {
    if accessory.isUp, !accessory.isBeingPaired, await managePairings(accessory) { return }
    guard paired[accessory.number] != nil else { return }
    await use(accessory)
  }

  /// Performs a random change of pairings, if one is possible.
  /// - Returns: whether an operation was possible.
  private func managePairings(_ accessory: AccessoryMachine) async -> Bool {
    let ledger = accessory.ledger
    let isPaired = paired[accessory.number] != nil
    if !ledger.isPaired {
      await exclusively(accessory) { random.chance(0.15) ? await tryWrongCode(accessory) : await pair(accessory) }
      return true
    }
    if ledger.admins.isEmpty || (ledger.hasUnknownPairings && ledger.admins.allSatisfy { !swarm.controllers[$0].isUp })
    {
      guard random.chance(0.3) else { return false }
      await exclusively(accessory) { await reset(accessory) }
      return true
    }
    guard isPaired, ledger.knowledge(of: number) == .yes(isAdmin: true) else { return false }
    if ledger.hasUnknownPairings {
      guard random.chance(0.5) else { return false }
      await exclusively(accessory) { await listPairings(accessory) }
      return true
    }
    let unpaired = swarm.controllers.filter { ledger.knowledge(of: $0.number) == .no }
    if let new = unpaired.first, random.chance(0.5) {
      await exclusively(accessory) { await add(new, to: accessory) }
      return true
    }
    switch random.upTo(99) {
    case 0..<3: await exclusively(accessory) { await listPairings(accessory) }
    case 3..<5: await exclusively(accessory) { await reset(accessory) }
    case 5..<9:
      let others = swarm.controllers.filter { ledger.knowledge(of: $0.number) != .no }
      let other = others[Int(random.upTo(UInt64(others.count - 1)))]
      await exclusively(accessory) { await remove(other, from: accessory) }
    default: return false
    }
    return true
  }

  private func exclusively(_ accessory: AccessoryMachine, _ body: () async -> Void) async {
    accessory.isBeingPaired = true
    await body()
    accessory.isBeingPaired = false
  }

  private func use(_ accessory: AccessoryMachine) async {
    switch random.upTo(99) {
    case 0..<30: await read(accessory)
    case 30..<58: await write(accessory, isTimed: false)
    case 58..<66: await write(accessory, isTimed: true)
    case 66..<78: await subscribe(accessory, isOn: true)
    case 78..<84: await subscribe(accessory, isOn: false)
    case 84..<88: await readDatabase(accessory)
    case 88..<92: await close(accessory)
    case 92..<98: setByHand(accessory)
    default: await reconfigure(accessory)
    }
  }

  /// Returns the connection to an accessory, which is opened if necessary.
  func connection(to accessory: AccessoryMachine) async -> SwarmConnection? {
    if let connection = connections[accessory.number], connection.isUsable { return connection }
    guard isUp, let paired = paired[accessory.number] else { return nil }
    return await swarm.perform(.open, accessory, self) { () -> SwarmConnection? in
      let connection = SwarmConnection(self, accessory, on: self.loop)
      // Stored before the connection is open, so that it ends with the process.
      self.connections[accessory.number] = connection
      let before = accessory.ledger.knowledge(of: self.number)
      let changes = accessory.ledger.pairingChanges
      do throws(ClientError) {
        try await connection.open(as: self.identity, with: paired)
        if before == .no, accessory.ledger.knowledge(of: self.number) == .no, !accessory.isBeingPaired {
          self.swarm.report(.pairingsAgree, "\(connection) verifies without a pairing")
        }
        return connection
      } catch {
        self.refused(by: accessory, as: paired, error, connection, since: changes)
        return nil
      }
    } ?? nil
  }

  /// Handles a failed Pair Verify.
  private func refused(
    by accessory: AccessoryMachine, as known: PairedAccessory, _ error: ClientError, _ connection: SwarmConnection,
    since changes: Int
  ) {
    guard case .pairing(let failure) = error else { return }
    guard let id = accessory.ledger.deviceID, known.identifier == Array(id.text.utf8) else {
      // The accessory was reset in the meantime, and has a new identity.
      if paired[accessory.number] == known { paired[accessory.number] = nil }
      return
    }
    switch accessory.ledger.knowledge(of: number) {
    // The pairing may have been removed and added again in the meantime.
    case .yes where accessory.ledger.pairingChanges == changes && !accessory.isBeingPaired:
      swarm.report(.pairingsAgree, "\(connection) is paired, and Pair Verify fails: \(failure.cause)")
    case .no: paired[accessory.number] = nil
    default: break
    }
  }
}
