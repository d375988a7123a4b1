import HAPModel
import HAPWire

extension AccessoryCore {
  /// `PUT /characteristics`. HAP R2 §6.7.2 and, for `ev`, §6.8.
  ///
  /// 204 when everything was done and nothing asked back; otherwise 207 with a status for every entry.
  func receiveWrite(_ body: UnsafeRawBufferPointer, on connection: ConnectionCore, at now: Duration) {
    do throws(WriteRequest.Mistake) {
      try writeRequest.read(body, conduct: conduct)
    } catch {
      refuse(
        connection, request: "PUT /characteristics", reason: "\(error.message), at byte \(error.offset) of the body")
      return answer(writeRequest.isWithoutEntries ? conduct.emptyWrite : conduct.malformedBody, on: connection)
    }
    if conduct.refusesDuplicateIDs, writeRequest.hasDuplicates {
      refuse(connection, request: "PUT /characteristics", reason: "an id stands twice")
      return connection.answer(.unprocessable, .invalidValue)
    }
    var isTimed = false
    if let pid = writeRequest.pid {
      isTimed = spendTimedWrite(pid, on: connection, at: now)
      if !isTimed {
        refuse(connection, request: "PUT /characteristics", reason: "the pid was not prepared, is spent or has expired")
        let statuses = Array(repeating: HAPStatus.invalidValue, count: writeRequest.entries.count)
        guard conduct.executesUnpreparedWrites else { return answerWrite(statuses, on: connection) }
      }
    }
    guard !writeRequest.entries.isEmpty else { return connection.answer(.noContent) }
    writeStatuses.removeAll(keepingCapacity: true)
    if !writeResponses.isEmpty { writeResponses.removeAll() }
    var needsBody = false
    for index in writeRequest.entries.indices {
      if conduct.unknownWriteEndsRequest, writeRequest.entries[index].value != nil,
        database.slot(of: writeRequest.entries[index].id) == nil
      {
        refuse(connection, request: "PUT /characteristics", reason: "there is no \(writeRequest.entries[index].id)")
        tellDevice()
        // What the device still thinks about came to nothing with its request.
        lateWrites.removeAll()
        return answer(conduct.malformedBody, on: connection)
      }
      let status = write(writeRequest.entries[index], at: index, isTimed: isTimed, by: connection, at: now)
      writeStatuses.append(status)
      if status != .success || isAnsweredWithValue(writeRequest.entries[index]) { needsBody = true }
    }
    tellDevice()
    if !lateWrites.isEmpty { return awaitDevice(on: connection, at: now) }
    if needsBody { answerWrite(writeStatuses, on: connection) } else { connection.answer(.noContent) }
  }

  /// One entry: rules in HomeKitADK's order; the subscription first, the value's outcome stands in the answer.
  private func write(
    _ entry: WriteRequest.Entry, at position: Int, isTimed: Bool, by connection: ConnectionCore, at now: Duration
  )
    -> HAPStatus
  {
    guard let slot = database.slot(of: entry.id) else {
      if conduct.unknownWriteEndsRequest { return .success }
      return refuseWrite(entry, conduct.unknownWrite, "there is none", connection)
    }
    let perms = database.characteristics[slot].perms
    if entry.value == nil, entry.ev == nil {
      guard conduct.refusesIdleEntries else { return .success }
      return refuseWrite(entry, .invalidValue, "neither value nor ev", connection)
    }
    if entry.value != nil, perms.contains(.timedWrite), !isTimed, conduct.enforcesTimedWrites {
      return refuseWrite(entry, .invalidValue, "it takes timed writes only", connection)
    }
    let adminOnly = database.characteristics[slot].adminOnly
    let isAdmin = adminOnly.isEmpty || isAdmin(connection)
    var status = HAPStatus.success
    if let ev = entry.ev {
      if !isAdmin, adminOnly.contains(.events) || adminOnly.contains(.pairedRead) {
        status = refuseWrite(entry, .insufficientPrivileges, "only an admin may subscribe", connection)
      } else if !perms.contains(.events), conduct.checksPermissions {
        status = refuseWrite(entry, .notificationUnsupported, "it has no events", connection)
      } else {
        subscribe(slot, ev, on: connection)
      }
    }
    guard let written = entry.value else { return status }
    let answersWithValue = perms.contains(.writeResponse) || entry.wantsResponse
    if !isAdmin, adminOnly.contains(.pairedWrite) || (answersWithValue && adminOnly.contains(.pairedRead)) {
      return refuseWrite(entry, .insufficientPrivileges, "only an admin may write", connection)
    }
    guard perms.contains(.pairedWrite) || !conduct.checksPermissions else {
      return refuseWrite(entry, .readOnly, "it is read-only", connection)
    }
    var authorization: [UInt8]?
    if let text = entry.authorization {
      guard let bytes = Base64.decode(text) else {
        return refuseWrite(entry, .invalidValue, "authData is no base64", connection)
      }
      authorization = bytes
    }
    if written == .null { return refuseWrite(entry, .invalidValue, "null is no value", connection) }
    let value: Value
    do throws(HAPStatus) {
      value = try database.characteristics[slot].admit(written, conduct: conduct)
    } catch {
      return refuseWrite(entry, conduct.refusedValue, "the value is not one of the characteristic's", connection)
    }
    if database.characteristics[slot].type == EventRules.identify, value != .bool(true) {
      return refuseWrite(entry, .invalidValue, "Identify takes true only", connection)
    }
    if isUnreachable(entry.id) {
      return refuseWrite(entry, .unableToCommunicate, "its accessory is offline", connection)
    }
    if let writer {
      lastWrite += 1
      let write = CharacteristicWrite(
        number: lastWrite, id: entry.id, value: value, authorization: authorization, isRemote: entry.isRemote)
      switch writer.judge(write) {
      case .accepted(let response): writeResponses[position] = response
      case .refused(let status): return refuseWrite(entry, status, "the device refused", connection)
      case .later:
        lateWrites[lastWrite] = LateWrite(position: position, value: value)
        return .success
      }
    }
    return perform(entry, value, inSlot: slot, by: connection, at: now)
  }

  /// Does what was admitted and taken. The device is told when the whole request has been gone through.
  func perform(
    _ entry: WriteRequest.Entry, _ value: Value, inSlot slot: Int, by connection: ConnectionCore, at now: Duration
  )
    -> HAPStatus
  {
    set(slot, to: value, by: connection, at: now)
    writtenSlots.append((slot, value))
    report(.wrote(entry.id, value, controller: connection.controller))
    // The write is done; only its echo is not to be had.
    if entry.wantsResponse, conduct.refusesUnknownResponses,
      !database.characteristics[slot].perms.contains(.writeResponse)
    {
      return .writeOnly
    }
    return .success
  }

  /// One action for each service that was written to, in the order of their first entries.
  func tellDevice() {
    var start = 0
    while start < writtenSlots.count {
      let (slot, value) = writtenSlots[start]
      start += 1
      guard slot >= 0 else { continue }  // went with an earlier one of its service
      var write = ServiceWrite(first: .init(database.id(ofSlot: slot), value))
      let service = database.service(ofSlot: slot).slots
      for index in writtenSlots.indices.dropFirst(start) where service.contains(writtenSlots[index].slot) {
        write.others.append(.init(database.id(ofSlot: writtenSlots[index].slot), writtenSlots[index].value))
        writtenSlots[index].slot = -1
      }
      actions.append(.wrote(write))
    }
    writtenSlots.removeAll(keepingCapacity: true)
  }

  /// Whether an entry's answer holds a value, if it is written.
  func isAnsweredWithValue(_ entry: WriteRequest.Entry) -> Bool {
    guard entry.wantsResponse else { return false }
    if conduct.refusesUnknownResponses || conduct.returnsUnknownResponses { return true }
    return database.slot(of: entry.id).map { database.characteristics[$0].perms.contains(.writeResponse) } ?? false
  }

  func isAdmin(_ connection: ConnectionCore) -> Bool {
    guard let controller = connection.session?.controller else { return false }
    return pairings.contains { $0.identifier == controller && $0.isAdmin }
  }

  private func subscribe(_ slot: Int, _ isOn: Bool, on connection: ConnectionCore) {
    let id = database.id(ofSlot: slot)
    if isOn {
      connection.subscriptions.insert(slot)
      report(.subscribed(id, controller: connection.controller))
    } else {
      connection.subscriptions.remove(slot)
      connection.events.remove(slot)
      report(.unsubscribed(id, controller: connection.controller))
    }
  }

  func refuseWrite(
    _ entry: WriteRequest.Entry, _ status: HAPStatus, _ reason: @autoclosure () -> String, _ connection: ConnectionCore
  ) -> HAPStatus {
    refuse(connection, request: "PUT /characteristics \(entry.id)", reason: "\(status.rawValue): \(reason())")
    return status
  }

  func answerWrite(_ statuses: [HAPStatus], on connection: ConnectionCore) {
    let isRefused = conduct.partialWrite == .badRequest && statuses.contains { $0 != .success }
    connection.answer(isRefused ? .badRequest : .multiStatus, .hapJSON) { buffer in
      buffer.append("{\"characteristics\":[")
      var isFirst = true
      for (index, entry) in writeRequest.entries.enumerated() {
        if conduct.partialWrite == .failures, statuses[index] == .success, !isAnsweredWithValue(entry) { continue }
        if !isFirst { buffer.append(",") }
        isFirst = false
        writeEntry(entry.id, statuses[index], to: &buffer)
        if isAnsweredWithValue(entry), statuses[index] == .success, let slot = database.slot(of: entry.id) {
          let response = writeResponses[index] ?? AttributeRendering.listedValue(of: database.characteristics[slot])
          rendering.writeValue(response, to: &buffer)
        }
        buffer.append("}")
      }
      buffer.append("]}")
    }
  }
}
