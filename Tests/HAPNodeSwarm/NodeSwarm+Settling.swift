import HAPCrypto
import HAPLoop
import HAPModel
import HAPSwarm
import HAPWorld
import MatterModel
import MatterProtocol

// The end of a run: no fault is active.
extension NodeSwarm {
  package func rest() async {
    for controller in members { controller.checkSubscriptions() }
    for node in nodes where node.accessory.isUp { checkEnds(of: node) }
    for node in nodes where node.accessory.isUp {
      for controller in members { await controller.visit(node) }
      await agree(node)
      checkRecords(of: node)
      for controller in members where node.membership(of: controller.number) == .yes {
        if let link = await controller.session(with: node) { await controller.subscribe(link) }
      }
    }
  }

  /// Checks that both ends know the same subscriptions.
  private func checkEnds(of node: NodeLedger) {
    guard let load = frontEnd(of: node.accessory, { $0.load }) else { return }
    let known = members.reduce(0) { $0 + ($1.links[node.accessory.number]?.mirrors.count ?? 0) }
    if load.subscriptions != known {
      swarm.report(
        .subscriptionsConverge, "\(node) has \(load.subscriptions) subscriptions, and its controllers know \(known)")
    }
  }

  /// Reads the values over both protocols.
  private func agree(_ node: NodeLedger) async {
    guard let controller = members.first(where: { node.membership(of: $0.number) == .yes }),
      let link = await controller.session(with: node), let values = await swarm.readOverHAP(node.accessory)
    else { return }
    let numbers = await controller.read(node.values, link)
    for value in node.values {
      guard let id = value.id, let index = numbers[value], let other = values[id] else { continue }
      swarm.coverage.add(.agreements)
      if index != other {
        swarm.report(.protocolsAgree, "\(value) of \(node) is \(index) over Matter, and \(other) over HAP")
      }
    }
  }

  /// Checks that the node announces its fabrics, and without a fabric its window.
  private func checkRecords(of node: NodeLedger) {
    guard let fabrics = frontEnd(of: node.accessory, { $0.fabrics }) else { return }
    let names = fabrics.map { fabric in
      let compressed: UInt64 = fabric.compressedID.reduce(0) { $0 << 8 | UInt64($1) }
      return "\(compressed.hexadecimal)-\(fabric.node.hexadecimal)"
    }
    swarm.coverage.add(.records)
    if names.sorted() != node.operationalNames {
      swarm.report(.recordsAreTrue, "\(node) announces \(node.operationalNames), and has the fabrics \(names)")
    }
    let windows = node.records.values.count { $0.type == "_matterc._udp" }
    if windows > 1 || (fabrics.isEmpty && windows == 0 && node.attemptCount < 20) {
      swarm.report(.recordsAreTrue, "\(node) has \(fabrics.count) fabrics, and announces \(windows) windows")
    }
  }

  package func closeAll() async {
    if swarm.mutation == .timeless { for node in nodes { node.accessory.freeze() } }
    for controller in members { for link in controller.sortedLinks { await link.disconnect() } }
    // A goodbye can be lost. Then the node keeps the subscriptions until their next report fails.
    if isLossy { await swarm.sleep(.seconds(60)) }
  }

  package func checkClosed() {
    for node in nodes {
      guard let load = frontEnd(of: node.accessory, { $0.load }) else { continue }
      swarm.coverage.add(.tables)
      // Sessions of controllers that were killed, or whose goodbye was lost, may stay.
      let rest = load.exchanges + load.handshakes + load.interactions + load.subscriptions + load.unsecuredSessions
      if rest > 0 || load.isCommissioning { swarm.report(.tablesAreBounded, "at rest, \(node) has \(load)") }
      node.accessory.thaw()
    }
  }

  /// All controllers use a node that was started again. Each kind of change must arrive at the subscribers. Then a fabric
  /// is removed, and the others don't notice.
  package func lastRound(_ accessory: AccessoryMachine) async {
    let node = nodes[accessory.number]
    if node.members.isEmpty { await members[0].commission(node) }
    var links: [(controller: NodeController, link: NodeLink)] = []
    for controller in members {
      await controller.visit(node)
      guard node.membership(of: controller.number) == .yes, let link = await controller.session(with: node) else {
        continue
      }
      await controller.subscribe(link, minimum: 0, maximum: 60, keepsOthers: false)
      links.append((controller, link))
    }
    guard let first = links.first else { return }
    await change(node, links)
    guard links.count > 1, let victim = links.last, await first.controller.remove(victim.controller, first.link) else {
      return
    }
    links.removeLast()
    await victim.controller.intrude(node)
    await change(node, links)
    checkRecords(of: node)
  }

  /// Changes values over both protocols and by hand, and checks that the subscribers have them.
  private func change(_ node: NodeLedger, _ links: [(controller: NodeController, link: NodeLink)]) async {
    for (turn, value) in node.values.enumerated() {
      let (controller, link) = links[turn % links.count]
      if value.isWritable {
        await controller.writeAny(value, link)
      } else if value.kind == .power {
        await controller.switchByHand(node)
      } else if let id = value.id {
        await swarm.writeOverHAP(id, node.accessory)
      }
      await swarm.sleep(.nanoseconds(Int64(Self.reportTime)) + .seconds(1))
      for (controller, _) in links { controller.checkSubscriptions() }
    }
    for (controller, link) in links { await controller.read(node.values, link) }
  }

  package func compare(with stored: [FrontEndData], _ accessory: AccessoryMachine) {
    let node = nodes[accessory.number]
    var fabrics: [Fabric] = []
    if let data = stored.first(where: { $0.name == "matter.node" }) {
      do { fabrics = try NodeState(stored: SecretBytes(data.bytes)).fabrics } catch {
        return swarm.report(.commissioningsAreKept, "\(node) has stored a state that can't be read: \(error)")
      }
    }
    for controller in members {
      let isStored = fabrics.contains { $0.id == controller.fabric.credentials.fabric }
      switch node.membership(of: controller.number) {
      case .yes where !isStored:
        swarm.report(.commissioningsAreKept, "\(node) has not stored the fabric of \(controller)")
      case .no where isStored: swarm.report(.removalsAreKept, "\(node) has stored the fabric of \(controller)")
      default: break
      }
    }
  }
}

extension NodeController {
  /// Uses a node at rest: what is uncertain is found out, and what is certain holds.
  func visit(_ node: NodeLedger) async {
    switch node.membership(of: number) {
    case .unknown: await resolve(node)
    case .no: await intrude(node)
    case .yes: break
    }
    guard node.membership(of: number) == .yes, let link = await session(with: node) else { return }
    await read(node.values, link)
    // The session can have ended in a fault; now it can't.
    if link.session == nil, let link = await session(with: node) { await read(node.values, link) }
    if link.session != nil { await readEvents(link) }
  }

  /// Writes a value that was not written before.
  func writeAny(_ value: NodeValue, _ link: NodeLink) async {
    if let index = unusedIndex(of: value, link.node) { await write(value, index, link) }
  }
}
