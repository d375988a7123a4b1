import HAPModel

/// A request whose answer waits for the device: the device is asked for values, or decides about writes.
///
/// Characteristics are kept by id and not by slot, because the database may be replaced meanwhile.
struct DeviceRequest {
  /// Named in the `read` action; a write is found by its own number.
  let ticket: Ticket
  let session: AttributeSession
  /// nil: a read.
  var write: WriteTransaction?
  /// The values that the device has not reported; of a read.
  var outstanding: Set<AttributeID> = []
  /// The values that it could not read.
  var failures: [AttributeID: HAPStatus] = [:]
  /// When the device is reported as slow; nil: it has been.
  var warning: Duration?
  /// When everything outstanding has failed with -70408.
  let deadline: Duration
}

extension AttributeServer {
  /// How long a device may take before it is reported as slow (HAP-NodeJS).
  static let slowDevice = Duration.seconds(3)

  /// Names the characteristics whose value is not in the database but with the device, which is asked at every read of them.
  ///
  /// Ids that the database doesn't have, or that can't be read, mean nothing.
  package func setLive(_ ids: some Sequence<AttributeID>) {
    liveSlots.removeAll()
    for id in ids {
      if let slot = database.slot(of: id), database.characteristics[slot].perms.contains(.pairedRead) {
        liveSlots.insert(slot)
      }
    }
  }

  // MARK: Inputs

  /// The device reports a value that a `read` action asked it for, or why it can't. A report that is late, repeated or unasked changes nothing.
  /// - Parameter result: a value of the characteristic's format and within its rules; the caller has seen to that.
  package func read(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket, at now: Duration) {
    guard let index = deviceRequests.firstIndex(where: { $0.ticket == ticket }),
      deviceRequests[index].outstanding.remove(id) != nil
    else { return }
    switch result {
    case .success(let value):
      guard let slot = database.slot(of: id) else { break }
      // The one who reads has it in the answer; other subscribers hear of a change, but not of the time that has passed.
      if EventRules.countsDown(database.characteristics[slot].type) {
        database[slot: slot] = value
      } else {
        set(slot, to: value, by: deviceRequests[index].session, at: now)
      }
    case .failure(let status): deviceRequests[index].failures[id] = status
    }
    if deviceRequests[index].outstanding.isEmpty { finish(deviceRequests.remove(at: index), at: now) }
  }

  /// The device has decided about a write for which it had answered `.later`. A decision that is late, repeated or unasked changes nothing.
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
          transaction.statuses[late.position] = refuse(write, .doesNotExist, "it is gone", session)
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

  // MARK: Asking

  /// Whether any value is not in the database but with the device.
  package var hasLiveValues: Bool { !liveSlots.isEmpty }

  /// Whether a session may read a characteristic whose value the device is asked for.
  package func isLive(_ id: AttributeID, for session: AttributeSession) -> Bool {
    guard case .slot(let slot) = readable(id, by: session) else { return false }
    return liveSlots.contains(slot)
  }

  /// All characteristics that a session may read, and whose value the device is asked for.
  package func liveIDs(by session: AttributeSession) -> [AttributeID] {
    var ids: [AttributeID] = []
    liveSlots.forEach { slot in
      let id = database.id(ofSlot: slot)
      if isLive(id, for: session) { ids.append(id) }
    }
    return ids
  }

  /// Asks the device for values. `AttributeFrontEnd.finish` is called later.
  /// - Parameter ids: those for which `isLive` is true, each once, and at least one.
  package func askDevice(for ids: [AttributeID], of session: AttributeSession, at now: Duration) {
    let ticket = actions.newTicket()
    deviceRequests.append(
      DeviceRequest(
        ticket: ticket, session: session, outstanding: Set(ids), warning: now + Self.slowDevice,
        deadline: now + quirks.deviceDeadline))
    actions.read(ids, ticket: ticket)
  }

  /// The device decides later about some writes of a request.
  func awaitDevice(_ transaction: WriteTransaction, of session: AttributeSession, at now: Duration) {
    deviceRequests.append(
      DeviceRequest(
        ticket: actions.newTicket(), session: session, write: transaction, warning: now + Self.slowDevice,
        deadline: now + quirks.deviceDeadline))
  }

  // MARK: Finishing

  /// When the device is to be reported as slow, or given up on.
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
  /// The characteristics that the device has not answered, in order.
  fileprivate var awaited: [AttributeID] {
    guard let write else { return outstanding.sorted() }
    return write.late.values.map(\.position).sorted().map { write.writes[$0].id }
  }

  /// -70408 for what is outstanding, and for it alone.
  fileprivate mutating func timeOut() {
    for id in outstanding { failures[id] = .timedOut }
    for late in write?.late.values ?? [:].values { write?.statuses[late.position] = .timedOut }
    write?.late = [:]
  }
}
