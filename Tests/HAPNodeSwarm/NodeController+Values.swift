import HAPModel
import HAPSwarm
import HAPWorld
import MatterController
import MatterInteraction
import MatterModel
import MatterWire

// Reads, writes, commands, and actions of a person.
extension NodeController {
  /// Sends a request as an operation, and checks that it is answered, and only to a member.
  func perform(_ operation: SwarmOperation, _ request: InteractionRequest, _ link: NodeLink) async -> InteractionResult?
  {
    let (node, before) = (link.node, begin(link))
    let result = await swarm.perform(operation, node.accessory, self) { await link.request(request) } ?? nil
    guard let result else {
      unanswered(link, before, operation.rawValue)
      return nil
    }
    checkWait(since: before.start, node, operation.rawValue)
    if before.membership == .no, node.changes[number] ?? 0 == before.changes {
      swarm.report(.removalsAreKept, "\(self) gets an answer of \(node), which does not have its fabric")
    }
    if case .failure(let status) = result, isUndisturbed(link, since: before) {
      swarm.report(.answersAreSound, "\(self) at \(node): \(operation.rawValue) has status \(status.code)")
    }
    return result
  }

  // MARK: Reads

  /// Reads values and compares them with the writes.
  /// - Returns: the numbers of the values.
  @discardableResult func read(_ values: [NodeValue], _ link: NodeLink) async -> [NodeValue: Int] {
    let (node, before) = (link.node, begin(link))
    let request = InteractionRequest.read(ReadRequest(values.map { AttributePattern($0.path) }))
    guard case .report(let report)? = await perform(.readAttribute, request, link), node.run == before.run else {
      return [:]
    }
    return check(values, in: report, link, since: before.start)
  }

  private func check(
    _ values: [NodeValue], in report: ReportCollector, _ link: NodeLink, since start: UInt64
  ) -> [NodeValue: Int] {
    var numbers: [NodeValue: Int] = [:]
    for value in values {
      guard let element = link.value(value.path, in: report), let index = value.index(element) else {
        let status = report.statuses[AttributePattern(value.path)]
        swarm.report(
          .answersAreSound,
          "\(self): \(value) of \(link.node) reads \(report.values[value.path].map { "\($0)" } ?? "nothing"), status \(status.map { "\($0.code)" } ?? "none")"
        )
        continue
      }
      numbers[value] = index
      swarm.coverage.add(.values)
      let history = link.node.history(of: value)
      guard !history.allows(index, from: start, to: swarm.now) else { continue }
      swarm.report(
        .writesAreKept,
        "\(self): \(value) of \(link.node) reads \(index), but should be \(history.candidates(at: swarm.now))")
    }
    return numbers
  }

  /// Reads everything, and compares it with the writes and with the lists of attributes.
  func readAll(_ link: NodeLink) async {
    let (node, before, revision) = (link.node, begin(link), link.node.accessory.profile.revision)
    let isStill = !node.accessory.isBeingPaired
    let request = InteractionRequest.read(ReadRequest([AttributePattern()]))
    guard case .report(let report)? = await perform(.readAll, request, link), node.run == before.run else { return }
    _ = check(node.values, in: report, link, since: before.start)
    guard isStill, !node.accessory.isBeingPaired, node.accessory.profile.revision == revision else { return }
    for (pattern, status) in report.statuses {
      swarm.report(.answersAreSound, "\(self): \(pattern) of \(node) has status \(status.code)")
    }
    var read: [NodeVersions.Cluster: Set<AttributeNumber>] = [:]
    for path in report.values.keys { read[.init(path.endpoint, path.cluster), default: []].insert(path.attribute) }
    for (cluster, attributes) in read {
      let path = AttributePath(cluster.endpoint, cluster.cluster, GlobalAttribute.attributeList.rawValue)
      guard case .container(_, let members)? = report.values[path] else {
        swarm.report(.answersAreSound, "\(self): cluster \(cluster) of \(node) has no list of attributes")
        continue
      }
      let listed = Set(
        members.compactMap { member -> AttributeNumber? in
          if case .unsigned(let number) = member.value { AttributeNumber(number) } else { nil }
        })
      if listed != attributes {
        swarm.report(.answersAreSound, "\(self): cluster \(cluster) of \(node) lists other attributes than it has")
      }
    }
  }

  /// Reads a cluster, and compares its data version with those of earlier reads.
  func readCluster(_ link: NodeLink) async {
    let node = link.node
    let value = node.values[Int(random.upTo(UInt64(node.values.count - 1)))]
    let cluster = NodeVersions.Cluster(value.path.endpoint, value.path.cluster)
    let (before, revision, isStill) = (begin(link), node.accessory.profile.revision, !node.accessory.isBeingPaired)
    let request = InteractionRequest.read(
      ReadRequest([AttributePattern(cluster.endpoint, cluster.cluster)], isFabricFiltered: true))
    guard case .report(let report)? = await perform(.readCluster, request, link), node.run == before.run, isStill,
      !node.accessory.isBeingPaired, node.accessory.profile.revision == revision,
      let shown = report.versions[cluster]
    else { return }
    let version = swarm.mutation == .versionsConstant ? 7 : shown
    let last = node.versions.last[cluster]
    let snapshot = NodeVersions.Snapshot(
      start: before.start, revision: revision, version: version, values: report.values)
    if let former = node.versions.note(snapshot, of: cluster), former != report.values {
      swarm.report(.versionsFollowData, "\(node): cluster \(cluster) has other data with the same version")
    }
    guard let last, last.revision == revision else { return }
    if last.version != version {
      swarm.coverage.add(.newVersions)
      if !node.values.contains(where: { value in
        value.path.cluster == cluster.cluster && value.path.endpoint == cluster.endpoint
          && node.history(of: value).canHaveChanged(from: last.start, to: swarm.now)
      }) {
        swarm.report(.versionsFollowData, "\(node): cluster \(cluster) has another version with the same data")
      }
    } else {
      swarm.coverage.add(.sameVersions)
    }
  }

  func readEvents(_ link: NodeLink) async {
    let before = begin(link)
    let request = InteractionRequest.read(ReadRequest([], events: [EventPattern()]))
    guard case .report(let report)? = await perform(.readEvents, request, link) else { return }
    link.node.note(report.events, inRun: before.run, "\(self)")
  }

  // MARK: Writes

  /// Returns a value that this controller has not written yet, if there is one.
  func unusedIndex(of value: NodeValue, _ node: NodeLedger) -> Int? {
    switch value.kind {
    case .token, .level:
      guard let id = value.id, let register = node.accessory.ledger.registers[id] else { return nil }
      return swarm.unusedValue(of: register.watched, at: node.accessory, for: number, &random)
    case .power: return Int(random.upTo(1))
    case .label: return node.history(of: value).writes.count * 10 + 1
    case .startUpLevel: return Int(random.upTo(255))
    }
  }

  func writeAttribute(_ link: NodeLink, isTimed: Bool) async {
    let writable = link.node.values.filter(\.isWritable)
    let value = writable[Int(random.upTo(UInt64(writable.count - 1)))]
    guard let index = unusedIndex(of: value, link.node) else { return }
    await write(value, index, link, isTimed: isTimed)
  }

  /// Writes a value, and records the outcome.
  /// - Returns: whether it was written.
  @discardableResult
  func write(_ value: NodeValue, _ index: Int, _ link: NodeLink, isTimed: Bool = false) async -> Bool {
    let request = InteractionRequest.write(value.path, value.element(index), timed: isTimed ? 10_000 : nil)
    return await change(value, index, link, isTimed ? .timedAttributeWrite : .writeAttribute, request) { result in
      if case .written(let items) = result { items.first?.status } else { nil }
    }
  }

  /// Sends a request that changes a value, and records the outcome.
  /// - Parameter status: returns the status in an answer; `nil`: it is another answer.
  private func change(
    _ value: NodeValue, _ index: Int, _ link: NodeLink, _ operation: SwarmOperation, _ request: InteractionRequest,
    status: (InteractionResult) -> InteractionStatus?
  ) async -> Bool {
    let (node, before) = (link.node, begin(link))
    let place = node.begin(value, index, by: number)
    guard let result = await perform(operation, request, link) else {
      node.finish(value, place, isDone: nil)
      return false
    }
    let isDone = status(result) == .success
    node.finish(value, place, isDone: isDone)
    guard isDone else {
      if case .failure = result { return false }
      swarm.report(.answersAreSound, "\(self): \(operation.rawValue) of \(value) of \(node) has the answer \(result)")
      return false
    }
    if let id = value.id, node.run == before.run, value.kind != .power {
      swarm.expectEvents(of: id, index, since: before.start, at: node.accessory)
    }
    return true
  }

  // MARK: Commands

  func command(_ link: NodeLink) async {
    let changed = link.node.values.filter { $0.kind == .power || $0.kind == .level }
    guard !changed.isEmpty, random.chance(0.9) else { return await lock(link) }
    let value = changed[Int(random.upTo(UInt64(changed.count - 1)))]
    guard let index = unusedIndex(of: value, link.node) else { return }
    await command(value, index, link, isTimed: random.chance(0.2))
  }

  @discardableResult
  func command(_ value: NodeValue, _ index: Int, _ link: NodeLink, isTimed: Bool = false) async -> Bool {
    // Brightness 0 has no level of its own.
    let index = value.kind == .level ? max(index, 1) : index
    let request: InteractionRequest
    if value.kind == .power {
      request = .command(
        CommandPath(value.endpoint, value.path.cluster, CommandNumber(index)), timed: isTimed ? 10_000 : nil)
    } else {
      // The options have an effect while the lamp is off, too.
      let fields: [(UInt8, Element.Value)] = [
        (0, value.element(index)), (1, .unsigned(0)), (2, .unsigned(1)), (3, .unsigned(1)),
      ]
      request = .command(
        CommandPath(value.endpoint, value.path.cluster, 0), fields, timed: isTimed ? 10_000 : nil)
    }
    return await change(value, index, link, isTimed ? .timedCommand : .command, request) { [self] in outcome(of: $0) }
  }

  private func outcome(of result: InteractionResult) -> InteractionStatus? {
    commandCount += 1
    if swarm.mutation == .commandsFail, commandCount % 5 == 0 { return InteractionStatus(.failure) }
    if case .status(let status)? = result.outcome { return status }
    return nil
  }

  /// Locks or unlocks; a command that is not timed is refused.
  private func lock(_ link: NodeLink) async {
    guard link.node.accessory.profile.name == NodeProfile.lock.rawValue else { return }
    let isTimed = random.chance(0.8)
    let request = InteractionRequest.command(
      CommandPath(1, 0x0101, CommandNumber(random.upTo(1))), timed: isTimed ? 10_000 : nil)
    guard let result = await perform(isTimed ? .timedCommand : .command, request, link) else { return }
    if case .failure = result { return }
    if result.outcome != .status(isTimed ? .success : InteractionStatus(.needsTimedInteraction)) {
      swarm.report(.answersAreSound, "\(self): the lock \(link.node) has the answer \(result)")
    }
  }

  // MARK: Subscriptions

  func subscribe(_ link: NodeLink) async {
    let minimum = UInt16(random.upTo(2))
    let maximum = random.chance(0.2) ? 60 : minimum + 3 + UInt16(random.upTo(12))
    await subscribe(link, minimum: minimum, maximum: maximum, keepsOthers: random.chance(0.4))
  }

  func subscribe(_ link: NodeLink, minimum: UInt16, maximum: UInt16, keepsOthers: Bool) async {
    let request = SubscribeRequest(
      [
        AttributePattern(nil, 0x06, 0), AttributePattern(nil, 0x08), AttributePattern(nil, NodeValue.vendor),
        AttributePattern(NodeValue.label.path),
      ],
      events: [EventPattern(isUrgent: random.chance(0.5))], minimum: minimum, maximum: maximum, keepsOthers: keepsOthers
    )
    let result = await perform(.subscribeAttributes, .subscribe(request), link)
    guard case .subscription? = result else {
      // Without an answer, it may have replaced the others.
      return link.subscriptionsAreUncertain()
    }
  }

  // MARK: At the accessory

  func reboot(_ node: NodeLedger) async {
    let accessory = node.accessory
    guard accessory.isResponsive, !accessory.isBeingPaired else { return }
    let restart = random.chance(0.5) ? Restart.reboot : .powerCut
    await swarm.perform(.reboot, accessory, self) { await accessory.reboot(restart) }
  }

  /// A person turns a lamp on or off.
  func switchByHand(_ node: NodeLedger) async {
    let switches = node.values.filter { $0.kind == .power }
    guard !switches.isEmpty, node.accessory.isResponsive else { return }
    let value = switches[Int(random.upTo(UInt64(switches.count - 1)))]
    guard let id = value.id else { return }
    swarm.note(.switchByHand, node.accessory, self)
    let index = Int(random.upTo(1))
    let place = node.begin(value, index, by: swarm.everyone.count)
    let isDone = node.accessory.command(
      "{\"command\":\"set\",\"characteristic\":\"\(id)\",\"value\":\(index == 1)}")
    node.finish(value, place, isDone: isDone)
  }
}
