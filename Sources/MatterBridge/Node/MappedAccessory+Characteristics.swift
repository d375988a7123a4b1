import HAPAttributes
import HAPModel
import MatterModel
import MatterWire

/// The characteristics as the clusters use them, and the inputs of the front end.
extension MappedAccessory {
  // MARK: Inputs

  /// Subscribes the session, which must be open, to all characteristics with events.
  package func subscribe() {
    server.followAll(by: session)
  }

  /// Records changed characteristics.
  /// - Parameter slots: of the session's events.
  /// - Returns: the attributes that changed, also by requests before.
  package func mark(_ slots: some Sequence<Int>) -> [AttributePath] {
    for slot in slots { noteChange(ofSlot: slot) }
    return takeChanges()
  }

  /// Records changed characteristics, each press of a button with its value.
  /// - Parameter events: of the session.
  /// - Returns: the attributes that changed, also by requests before.
  package func mark(events: [EventQueue.Entry]) -> [AttributePath] {
    for event in events { noteChange(ofSlot: event.slot, event: event.value) }
    return takeChanges()
  }

  /// A bridged accessory was lost, or is there again.
  /// - Returns: the attributes that changed, also by requests before.
  package func reachabilityChanged(aid: UInt64) -> [AttributePath] {
    for endpoint in parts.values where endpoint.plan.aid == aid {
      guard let cluster = endpoint.cluster(ClusterName.bridgedInformation) else { continue }
      let access = ClusterAccess(accessory: self, endpoint: endpoint, cluster: cluster)
      note(AttributePath(endpoint.number, cluster.id, ClusterTemplate.reachable), of: cluster)
      add(
        ClusterTemplate.reachableChanged, .info, [Element(.context(0), .bool(isReachable(access)))], cluster.id,
        endpoint.number)
      // Values can have changed while it was unreachable, and shortly before, without an event.
      guard isReachable(access) else { continue }
      for other in endpoint.clusters where other !== cluster { noteAll(of: other, in: endpoint) }
    }
    return takeChanges()
  }

  /// The device has answered a write that was refused with Busy, because it took time.
  /// - Returns: the attributes that changed, also by requests before.
  package func finished(_ transaction: WriteTransaction) -> [AttributePath] {
    for (write, status) in zip(transaction.writes, transaction.statuses) where status == .success {
      if write.value != nil, let slot = server.database.slot(of: write.id) { noteChange(ofSlot: slot) }
    }
    return takeChanges()
  }

  /// Requests the values that only the device has, because a read of Matter can't wait for them. The front end calls it
  /// before each request, and passes the device's answer to `deviceAnswered`.
  /// - Returns: whether the device has to be asked; then the actions of the attribute server must be performed.
  package func askDevice() -> Bool {
    guard server.hasLiveValues else { return false }
    if case .awaited = liveValues { return false }
    let ids = server.liveIDs(by: session)
    guard !ids.isEmpty else { return false }
    liveValues = .awaited
    onRequest?(.ask(ids))
    server.askDevice(for: ids, of: session, at: now)
    return true
  }

  /// - Parameter failures: the values that the device could not read.
  package func deviceAnswered(failures: [AttributeID: HAPStatus]) { liveValues = .answered(failures: failures) }

  /// The time at which `advance` must be called; nil: not before another input.
  package var nextDeadline: Duration? { countdowns.values.min() }

  /// Ends the countdowns that are due.
  /// - Returns: the attributes that changed, also by requests before.
  package func advance(to now: Duration) -> [AttributePath] {
    self.now = now
    // The order must not depend on the dictionary, so that a run can be repeated.
    let due = countdowns.filter { $0.value <= now }.sorted { one, other in
      (one.value, one.key.endpoint, one.key.cluster, one.key.attribute)
        < (other.value, other.key.endpoint, other.key.cluster, other.key.attribute)
    }.map(\.key)
    // The end of one countdown can stop another one.
    for path in due where countdowns[path] != nil {
      if let access = try? cluster(path.endpoint, path.cluster) {
        access.cluster.shape.template.expired?(access, path.attribute)
      }
      countdowns[path] = nil
    }
    return takeChanges()
  }

  // MARK: Values

  /// - Throws: Busy for a value that only the device has, while the device has not answered.
  func value(ofSlot slot: Int) throws(InteractionStatus) -> Value {
    let id = server.database.id(ofSlot: slot)
    switch server.readable(id, by: session) {
    case .failure(let status, _): throw InteractionStatus(refusal: status) ?? InteractionStatus(.failure)
    case .slot(let slot):
      if server.hasLiveValues, server.isLive(id, for: session) { try checkLiveValue(id) }
      return server.database[slot: slot]
    }
  }

  private func checkLiveValue(_ id: AttributeID) throws(InteractionStatus) {
    guard case .answered(let failures) = liveValues else { throw InteractionStatus(.busy) }
    if let status = failures[id] { throw InteractionStatus(refusal: status) ?? InteractionStatus(.failure) }
  }

  /// Writes characteristics as one request.
  /// - Throws: the first refusal; Busy if the device answers later.
  func write(_ writes: [AttributeWrite]) throws(InteractionStatus) {
    let slots = writes.compactMap { server.database.slot(of: $0.id) }
    let before = slots.map { server.database[slot: $0] }
    var transaction = WriteTransaction()
    transaction.writes = writes
    onRequest?(.write(writes))
    // The interaction model has checked whether the request had to be timed.
    switch server.write(&transaction, isTimed: true, by: session, at: now) {
    case .done: break
    case .waiting: throw InteractionStatus(.busy)
    case .ended: throw InteractionStatus(.unsupportedAttribute)
    }
    for (slot, value) in zip(slots, before) where server.database[slot: slot] != value { noteChange(ofSlot: slot) }
    for status in transaction.statuses {
      if let refusal = InteractionStatus(refusal: status) { throw refusal }
    }
  }

  // MARK: Bridged accessories

  /// The text of a characteristic, also of an accessory that is unreachable.
  func text(_ type: TypeID, of access: ClusterAccess) -> String {
    access.characteristic(type)?.value.stringValue ?? ""
  }

  func isReachable(_ access: ClusterAccess) -> Bool {
    let database = server.database
    let slots = database.services[access.cluster.service].slots
    guard let slot = slots.first(where: { database.characteristics[$0].perms.contains(.pairedRead) }),
      case .failure(.unableToCommunicate, _) = server.readable(database.id(ofSlot: slot), by: session)
    else { return true }
    return false
  }

  /// At most 32 bytes, different from the serial number.
  func uniqueID(of access: ClusterAccess) -> String {
    let suffix = "-" + String(access.endpoint.plan.aid ?? 0, radix: 16)
    return nodeID.prefix(bytes: 32 - suffix.utf8.count) + suffix
  }
}
