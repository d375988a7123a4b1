import HAPSwarm
import HAPWorld
import MatterController
import MatterInteraction
import MatterModel
import MatterWire

// Sessions, commissionings, windows, and removals of fabrics.
extension NodeController {
  // MARK: Sessions

  /// Returns the link with a session, which is established if necessary.
  func session(with node: NodeLedger) async -> NodeLink? {
    guard let link = link(to: node) else { return nil }
    if let session = link.session {
      if session.run == node.run || random.chance(0.3) { return link }
    }
    guard case .connected? = await connect(node) else { return nil }
    return link
  }

  /// Establishes a session, and checks the outcome.
  @discardableResult func connect(_ node: NodeLedger) async -> LinkOutcome? {
    guard let link = link(to: node), node.accessory.isUp || random.chance(0.2) else { return nil }
    if random.chance(0.2) { link.forgetResumption() }
    let before = begin(link)
    let wasChanging = node.isChanging
    let operation: SwarmOperation = link.canResume ? .resume : .connect
    let address = address(of: node)
    let outcome = await swarm.perform(operation, node.accessory, self) { await link.connect(to: address) } ?? nil
    let isSame = node.changes[number] ?? 0 == before.changes
    switch outcome {
    case .connected(let isResumed)?:
      if isResumed { swarm.coverage.add(.resumptions) }
      if before.membership == .no, isSame {
        swarm.report(.removalsAreKept, "\(self) gets a session with \(node), which does not have its fabric")
      }
      checkWait(since: before.start, node, operation.rawValue)
    case .noSharedRoot?:
      if before.membership == .yes, isSame {
        swarm.report(.commissioningsAreKept, "\(node) does not know the fabric of \(self)")
      }
      if before.membership == .no, isSame { swarm.coverage.add(.refusedFabrics) }
    case .failed(let reason)?:
      // The change of another fabric ends the handshakes in progress.
      if before.membership == .yes, isUndisturbed(link, since: before), !wasChanging, !node.isChanging,
        node.lastRemoval.map({ $0 < before.start }) ?? true
      {
        swarm.report(.requestsAreAnswered, "\(self) at \(node): no session, because \(reason)")
      }
    case .commissioned?, nil: break
    }
    return outcome
  }

  func endSession(_ link: NodeLink) async {
    await swarm.perform(.endSession, link.node.accessory, self) { await link.disconnect() }
  }

  /// Finds out whether a request without an answer had an effect. It is certain only after some time.
  func resolve(_ node: NodeLedger) async {
    guard case .unknown(let since) = node.membership(of: number), since != .max else { return }
    let isSettled = swarm.now > since + NodeSwarm.settlingTime && node.commissioningCount == 0
    let changes = node.changes[number]
    let outcome = await connect(node)
    guard isSettled, node.changes[number] == changes else { return }
    switch outcome {
    case .connected?:
      node.set(number, .yes)
      swarm.coverage.add(.wholeCommissionings)
    case .noSharedRoot?:
      node.set(number, .no)
      swarm.coverage.add(.undoneCommissionings)
    case .failed?, .commissioned?, nil: break
    }
  }

  /// Tries to use a node that does not have the fabric.
  func intrude(_ node: NodeLedger) async {
    guard node.commissioningCount == 0, let link = link(to: node) else { return }
    if link.session != nil { await read([NodeValue.label], link) }
    if node.membership(of: number) == .no { await connect(node) }
  }

  // MARK: Commissioning

  func commission(_ node: NodeLedger) async {
    guard node.removalEnd <= swarm.now, let record = node.commissionable, let invitation = node.invitation,
      let link = link(to: node)
    else { return }
    let own = record.txt["CM"] == "2" ? record.txt["D"].flatMap { node.passcodes[$0] } : NodeSwarm.passcode
    guard let own else { return }
    let address = address(of: node)
    if node.wrongPasscodeCount < 5, random.chance(0.06) {
      return await tryWrongPasscode(link, invitation.trustAnchor)
    }
    let before = begin(link)
    let resets = node.resets
    let isAlone = !node.isChanging && node.lastFailure.map { $0 + 2 * NodeSwarm.settlingTime < swarm.now } ?? true
    node.commissioningBegins(by: number)
    let starts = node.commissioningStarts
    let outcome =
      await swarm.perform(.commission, node.accessory, self) {
        await link.commission(passcode: own, authority: invitation.trustAnchor, at: address)
      } ?? nil
    node.commissioningEnds(by: number)
    // If the node was reset meanwhile, it can have added the fabric before or after.
    if outcome == .commissioned, node.resets == resets {
      node.set(number, .yes)
      node.accessory.keepBackup()
      swarm.coverage.add(.commissionings)
      return checkWait(since: before.start, node, "the commissioning")
    }
    node.set(number, .unknown(since: swarm.now))
    node.lastFailure = swarm.now
    if isAlone, isUp, node.run == before.run, isQuiet(node, since: before.start),
      node.commissioningStarts == starts, node.commissionable?.name == record.name, let outcome
    {
      swarm.report(.answersAreSound, "\(self) can't commission \(node): \(outcome)")
    }
  }

  private func tryWrongPasscode(_ link: NodeLink, _ authority: [UInt8]) async {
    let node = link.node
    let address = address(of: node)
    node.wrongPasscodeCount += 1
    node.commissioningBegins(by: nil)
    let outcome =
      await swarm.perform(.wrongPasscode, node.accessory, self) {
        await link.commission(passcode: 34_567_890, authority: authority, at: address)
      } ?? nil
    node.commissioningEnds(by: nil)
    node.lastFailure = swarm.now
    if outcome == .commissioned { swarm.report(.answersAreSound, "\(self) commissions \(node) with a wrong passcode") }
    if outcome == .failed("the passcode is wrong") { swarm.coverage.add(.refusedPasscodes) }
  }

  func openWindow(_ link: NodeLink) async {
    let node = link.node
    guard node.commissionable == nil, owner.members.contains(where: { node.membership(of: $0.number) == .no }) else {
      return
    }
    let request: InteractionRequest
    if random.chance(0.3) {
      request = .openBasicWindow()
    } else {
      let (passcode, discriminator) = (UInt32(40_000_000 + random.upTo(1_000_000)), UInt16(random.upTo(4095)))
      node.passcodes["\(discriminator)"] = passcode
      request = .openWindow(
        passcode: passcode, discriminator: discriminator, salt: (0..<32).map { _ in UInt8(random.upTo(255)) })
    }
    // A window can't be opened while a commissioning may be in progress.
    _ = await perform(.openWindow, request, link)
  }

  // MARK: Removal

  /// Removes the fabric of any controller.
  func removeFabric(_ link: NodeLink) async {
    let node = link.node
    guard node.commissioningCount == 0, node.removalEnd <= swarm.now, node.members.count > 1 || random.chance(0.2)
    else { return }
    let members = owner.members.filter { node.members.contains($0.number) }
    let victim = random.chance(0.3) ? self : members[Int(random.upTo(UInt64(members.count - 1)))]
    await remove(victim, link)
  }

  /// - Returns: whether the fabric was removed.
  @discardableResult func remove(_ victim: NodeController, _ link: NodeLink) async -> Bool {
    let node = link.node
    node.removalEnd = .max
    defer { if node.removalEnd == .max { node.removalEnd = swarm.now } }
    guard let index = await index(of: victim, link) else { return false }
    let resets = node.resets
    // Without a fabric, the node is as it was made.
    let label = node.begin(.label, 0, by: number)
    node.set(victim.number, .unknown(since: .max))
    let result = await perform(.removeFabric, .removeFabric(index), link)
    node.finish(.label, label, isDone: nil)
    node.lastRemoval = swarm.now
    guard node.resets == resets else { return false }
    let isRemoved = result?.field(0) == .unsigned(0)
    node.set(victim.number, isRemoved ? .no : .unknown(since: swarm.now))
    if isRemoved { swarm.coverage.add(.removals) }
    if result == nil { node.removalEnd = swarm.now + 40_000_000_000 }
    if isRemoved, swarm.mutation == .sessionsEnded { _ = node.accessory.command("{\"command\":\"disconnect\"}") }
    return isRemoved
  }

  /// Reads the index of the fabric of a controller.
  private func index(of other: NodeController, _ link: NodeLink) async -> FabricIndex? {
    let (node, path) = (link.node, AttributePath(0, 0x3E, 1))
    let (membership, changes) = (node.membership(of: other.number), node.changes[other.number])
    let request = InteractionRequest.read(ReadRequest([AttributePattern(path)], isFabricFiltered: false))
    let before = begin(link)
    guard case .report(let report)? = await perform(.readAttribute, request, link),
      case .container(.array, let fabrics)? = report.values[path]
    else { return nil }
    let entry = fabrics.first { $0[3] == .unsigned(other.fabric.credentials.fabric) }
    if case .unsigned(let index)? = entry?[0xFE] { return FabricIndex(index) }
    if membership == .yes, node.changes[other.number] == changes, node.run == before.run {
      swarm.report(.commissioningsAreKept, "\(node) does not list the fabric of \(other)")
    }
    return nil
  }
}
