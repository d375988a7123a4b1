import HAPModel
import HAPWire

/// A request whose answer waits for the device: it is asked for values, or thinks about writes.
///
/// Characteristics are kept by id and not by slot, since the database may be replaced in the meantime.
struct DeviceRequest {
  enum Kind {
    /// `GET /characteristics`, with its query.
    case read(query: [UInt8])
    /// `GET /accessories`
    case database
    /// `PUT /characteristics`: the request and what became of each entry so far.
    case write(WriteRequest, statuses: [HAPStatus], responses: [Int: Value], late: [UInt64: LateWrite])
  }

  /// Named in the `read` action; a write is found by its own number.
  let ticket: Ticket
  let connection: ConnectionCore
  var kind: Kind
  /// What the device has not told yet; of a read.
  var outstanding: Set<AttributeID> = []
  /// What it could not tell.
  var failures: [AttributeID: HAPStatus] = [:]
  /// When the device is reported as slow; nil: it has been.
  var warning: Duration?
  /// When what is outstanding has failed with -70408.
  let deadline: Duration
}

/// A write that the device is thinking about.
struct LateWrite {
  var position: Int
  /// Canonical.
  var value: Value
}

extension AccessoryCore {
  /// How long a device may take before a person is told (HAP-NodeJS).
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

  /// The device tells a value that a `read` action asked it for, or why it can't. What comes too late, twice or unasked changes nothing.
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
        set(slot, to: value, by: deviceRequests[index].connection, at: now)
      }
    case .failure(let status): deviceRequests[index].failures[id] = status
    }
    if deviceRequests[index].outstanding.isEmpty { finish(deviceRequests.remove(at: index), at: now) }
  }

  /// The device has made up its mind about a write for which it had answered `.later`. What comes too late, twice or unasked changes nothing.
  package func judged(_ number: UInt64, _ verdict: WriteVerdict, at now: Duration) {
    for index in deviceRequests.indices {
      guard case .write(let request, var statuses, var responses, var late) = deviceRequests[index].kind,
        let write = late[number]
      else { continue }
      if case .later = verdict { return }
      late[number] = nil
      let connection = deviceRequests[index].connection
      let entry = request.entries[write.position]
      switch verdict {
      case .accepted(let response):
        if let slot = database.slot(of: entry.id) {
          responses[write.position] = response
          statuses[write.position] = perform(entry, write.value, inSlot: slot, by: connection, at: now)
          tellDevice()
        } else {
          statuses[write.position] = refuseWrite(entry, .doesNotExist, "it is gone", connection)
        }
      case .refused(let status):
        statuses[write.position] = refuseWrite(entry, status, "the device refused", connection)
      case .later: break
      }
      deviceRequests[index].kind = .write(request, statuses: statuses, responses: responses, late: late)
      if late.isEmpty { finish(deviceRequests.remove(at: index), at: now) }
      return
    }
  }

  // MARK: Asking

  /// - Returns: whether the device has to be asked first; the answer comes then.
  func askDevice(
    for request: ReadQuery, _ query: UnsafeRawBufferPointer, of connection: ConnectionCore, at now: Duration
  ) -> Bool {
    var ids: [AttributeID] = []
    request.forEachID { id in
      if case .slot(let slot) = readable(id, by: connection), liveSlots.contains(slot), !ids.contains(id) {
        ids.append(id)
      }
    }
    guard !ids.isEmpty else { return false }
    ask(for: ids, .read(query: [UInt8](query)), of: connection, at: now)
    return true
  }

  /// - Returns: whether the device has to be asked first; the answer comes then.
  func askDevice(forAllOf connection: ConnectionCore, at now: Duration) -> Bool {
    var ids: [AttributeID] = []
    liveSlots.forEach { slot in
      let id = database.id(ofSlot: slot)
      if case .slot = readable(id, by: connection) { ids.append(id) }
    }
    guard !ids.isEmpty else { return false }
    ask(for: ids, .database, of: connection, at: now)
    return true
  }

  private func ask(
    for ids: [AttributeID], _ kind: DeviceRequest.Kind, of connection: ConnectionCore, at now: Duration
  ) {
    let ticket = newTicket()
    wait(
      DeviceRequest(
        ticket: ticket, connection: connection, kind: kind, outstanding: Set(ids), warning: now + Self.slowDevice,
        deadline: now + conduct.deviceDeadline))
    actions.append(.read(ids, ticket: ticket))
  }

  /// The device thinks about some of the writes of the request under way.
  func awaitDevice(on connection: ConnectionCore, at now: Duration) {
    wait(
      DeviceRequest(
        ticket: newTicket(), connection: connection,
        kind: .write(writeRequest, statuses: writeStatuses, responses: writeResponses, late: lateWrites),
        warning: now + Self.slowDevice, deadline: now + conduct.deviceDeadline))
    writeResponses.removeAll()
    lateWrites.removeAll()
  }

  private func wait(_ request: DeviceRequest) {
    request.connection.isWaiting = true
    deviceRequests.append(request)
  }

  // MARK: Answering

  /// When the device is to be reported as slow, or given up on.
  var deviceDeadline: Duration? {
    guard !deviceRequests.isEmpty else { return nil }
    return deviceRequests.lazy.map { min($0.warning ?? $0.deadline, $0.deadline) }.min()
  }

  func giveUpOnDevice(at now: Duration) {
    for index in deviceRequests.indices {
      guard let warning = deviceRequests[index].warning, warning <= now else { continue }
      deviceRequests[index].warning = nil
      report(.slow(deviceRequests[index].awaited))
    }
    while let index = deviceRequests.firstIndex(where: { $0.deadline <= now }) {
      var request = deviceRequests.remove(at: index)
      request.timeOut()
      finish(request, at: now)
    }
  }

  private func finish(_ request: DeviceRequest, at now: Duration) {
    let connection = request.connection
    connection.isWaiting = false
    guard connection.phase == .open else { return }
    switch request.kind {
    case .database: answerAccessoriesRead(failures: request.failures, on: connection)
    case .read(let query):
      query.withUnsafeBytes { query in
        guard let read = try? ReadQuery(query, limit: Self.readLimit, conduct: conduct) else {
          preconditionFailure("the query was read before")
        }
        answerRead(read, query, failures: request.failures, on: connection)
      }
    case .write(let write, let statuses, let responses, _):
      let needsBody = zip(statuses, write.entries).contains { $0 != .success || isAnsweredWithValue($1) }
      guard needsBody else {
        connection.answer(.noContent)
        break
      }
      writeRequest = write
      writeResponses = responses
      answerWrite(statuses, on: connection)
      writeResponses.removeAll()
    }
    work(off: connection, at: now)
  }
}

extension DeviceRequest {
  /// What the device has not answered yet, in order.
  fileprivate var awaited: [AttributeID] {
    switch kind {
    case .read, .database: outstanding.sorted()
    case .write(let request, _, _, let late):
      late.values.map(\.position).sorted().map { request.entries[$0].id }
    }
  }

  /// -70408 for what is outstanding, and for it alone.
  fileprivate mutating func timeOut() {
    for id in outstanding { failures[id] = .timedOut }
    if case .write(let request, var statuses, let responses, let late) = kind {
      for write in late.values { statuses[write.position] = .timedOut }
      kind = .write(request, statuses: statuses, responses: responses, late: [:])
    }
  }
}
