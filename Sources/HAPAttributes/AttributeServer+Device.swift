import HAPModel

/// A request whose response waits for the device: the device is asked for values, or decides about writes.
///
/// Characteristics are stored by ID and not by slot, because the database may be replaced meanwhile.
struct DeviceRequest {
  /// Identifies the `read` action; a write is found by its own number.
  let ticket: Ticket
  let session: AttributeSession
  /// nil: a read.
  var write: WriteTransaction?
  /// The values that the device has not reported yet; for a read.
  var outstanding: Set<AttributeID> = []
  /// The values that it could not read.
  var failures: [AttributeID: HAPStatus] = [:]
  /// The time at which the device is reported as slow; nil: it was already reported.
  var warning: Duration?
  /// The time at which all outstanding values and writes fail with -70408.
  let deadline: Duration
}

extension AttributeServer {
  /// The time after which a device is reported as slow (HAP-NodeJS).
  static let slowDevice = Duration.seconds(3)

  /// Sets the characteristics whose current value only the device has: the device is asked at every read of them.
  ///
  /// IDs that are not in the database, or that can't be read, are ignored.
  package func setLive(_ ids: some Sequence<AttributeID>) {
    liveSlots.removeAll()
    for id in ids {
      if let slot = database.slot(of: id), database.characteristics[slot].perms.contains(.pairedRead) {
        liveSlots.insert(slot)
      }
    }
  }

  // MARK: Inputs

  /// The device reports a value that a `read` action requested, or an error. Late, repeated and unexpected reports
  /// are ignored.
  /// - Parameter result: the caller must check that a value has the characteristic's format and follows its rules.
  package func read(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket, at now: Duration) {
    guard let index = deviceRequests.firstIndex(where: { $0.ticket == ticket }),
      deviceRequests[index].outstanding.remove(id) != nil
    else { return }
    switch result {
    case .success(let value):
      guard let slot = database.slot(of: id) else { break }
      // The reader gets the value in the response. Other subscribers are notified of a change, but not of a
      // countdown.
      if EventRules.countsDown(database.characteristics[slot].type) {
        database[slot: slot] = value
      } else {
        set(slot, to: value, by: deviceRequests[index].session, at: now)
      }
    case .failure(let status): deviceRequests[index].failures[id] = status
    }
    if deviceRequests[index].outstanding.isEmpty { finish(deviceRequests.remove(at: index), at: now) }
  }

  /// The device has decided about a write for which it had answered `.later`. Late, repeated and unexpected decisions
  /// are ignored.
  package func judged(_ number: UInt64, _ verdict: WriteVerdict, at now: Duration) {
    for index in deviceRequests.indices {
      guard var transaction = deviceRequests[index].write, let late = transaction.late[number] else { continue }
      if case .later = verdict { return }
      transaction.late[number] = nil
      let session = deviceRequests[index].session
      let write = transaction.writes[late.position]
      switch verdict {
      case .accepted(let response):
        if let slot = database.slot(of: write.id) {
          transaction.responses[late.position] = response
          transaction.statuses[late.position] = perform(write, late.value, inSlot: slot, by: session, at: now)
          tellDevice()
        } else {
          transaction.statuses[late.position] = refuse(write, .doesNotExist, "it no longer exists", session)
        }
      case .refused(let status):
        transaction.statuses[late.position] = refuse(write, status, "the device refused", session)
      case .later: break
      }
      deviceRequests[index].write = transaction
      if transaction.late.isEmpty { finish(deviceRequests.remove(at: index), at: now) }
      return
    }
  }

  // MARK: Requests to the device

  /// Whether there are characteristics whose current value only the device has.
  package var hasLiveValues: Bool { !liveSlots.isEmpty }

  /// Returns whether a session may read a characteristic whose value is requested from the device.
  package func isLive(_ id: AttributeID, for session: AttributeSession) -> Bool {
    guard case .slot(let slot) = readable(id, by: session) else { return false }
    return liveSlots.contains(slot)
  }

  /// Returns all characteristics that a session may read, and whose values are requested from the device.
  package func liveIDs(by session: AttributeSession) -> [AttributeID] {
    var ids: [AttributeID] = []
    liveSlots.forEach { slot in
      let id = database.id(ofSlot: slot)
      if isLive(id, for: session) { ids.append(id) }
    }
    return ids
  }

  /// Requests values from the device. `AttributeFrontEnd.finish` is called later.
  /// - Parameter ids: at least one; `isLive` must be true for each, and each must occur once.
  package func askDevice(for ids: [AttributeID], of session: AttributeSession, at now: Duration) {
    let ticket = actions.newTicket()
    deviceRequests.append(
      DeviceRequest(
        ticket: ticket, session: session, outstanding: Set(ids), warning: now + Self.slowDevice,
        deadline: now + quirks.deviceDeadline))
    actions.read(ids, ticket: ticket)
  }

  /// Waits for the device, which decides later about some writes of a request.
  func awaitDevice(_ transaction: WriteTransaction, of session: AttributeSession, at now: Duration) {
    deviceRequests.append(
      DeviceRequest(
        ticket: actions.newTicket(), session: session, write: transaction, warning: now + Self.slowDevice,
        deadline: now + quirks.deviceDeadline))
  }

  // MARK: Finishing

  /// The time at which the device is reported as slow, or a request times out.
  var deviceDeadline: Duration? {
    guard !deviceRequests.isEmpty else { return nil }
    return deviceRequests.lazy.map { min($0.warning ?? $0.deadline, $0.deadline) }.min()
  }

  func giveUpOnDevice(at now: Duration) {
    for index in deviceRequests.indices {
      guard let warning = deviceRequests[index].warning, warning <= now else { continue }
      deviceRequests[index].warning = nil
      actions.report(.slow(deviceRequests[index].awaited))
    }
    while let index = deviceRequests.firstIndex(where: { $0.deadline <= now }) {
      var request = deviceRequests.remove(at: index)
      request.timeOut()
      finish(request, at: now)
    }
  }

  private func finish(_ request: DeviceRequest, at now: Duration) {
    let answered = request.write.map { AnsweredRequest.write($0) } ?? .read(failures: request.failures)
    request.session.frontEnd.finish(answered, of: request.session, at: now)
  }
}

extension DeviceRequest {
  /// The characteristics for which the device has not answered, in order.
  fileprivate var awaited: [AttributeID] {
    guard let write else { return outstanding.sorted() }
    return write.late.values.map(\.position).sorted().map { write.writes[$0].id }
  }

  /// Sets -70408 for outstanding values and writes only.
  fileprivate mutating func timeOut() {
    for id in outstanding { failures[id] = .timedOut }
    for late in write?.late.values ?? [:].values { write?.statuses[late.position] = .timedOut }
    write?.late = [:]
  }
}
