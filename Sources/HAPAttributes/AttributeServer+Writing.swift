import HAPModel

extension AttributeServer {
  /// Executes a write request. HAP R2 §6.7.2 and, for subscriptions, §6.8.
  /// - Parameters:
  ///   - transaction: has the writes; gets a status for each.
  ///   - isTimed: whether the request was prepared (`spendTimedWrite`).
  package func write(
    _ transaction: inout WriteTransaction, isTimed: Bool, by session: AttributeSession, at now: Duration
  ) -> WriteProgress {
    transaction.begin()
    for index in transaction.writes.indices {
      let id = transaction.writes[index].id
      if quirks.unknownWriteEndsRequest, transaction.writes[index].value != nil, database.slot(of: id) == nil {
        if actions.makesReports { session.frontEnd.reportMissing(id, in: session) }
        tellDevice()
        // The device's decisions about earlier writes came to nothing with the request.
        transaction.late.removeAll()
        return .ended
      }
      let status = write(at: index, of: &transaction, isTimed: isTimed, by: session, at: now)
      transaction.statuses.append(status)
    }
    tellDevice()
    if transaction.late.isEmpty { return .done }
    awaitDevice(transaction, of: session, at: now)
    return .waiting
  }

  /// Executes one write: rules in HomeKitADK's order; first the subscription, but the status is that of the value.
  private func write(
    at position: Int, of transaction: inout WriteTransaction, isTimed: Bool, by session: AttributeSession,
    at now: Duration
  ) -> HAPStatus {
    let write = transaction.writes[position]
    guard let slot = database.slot(of: write.id) else {
      if quirks.unknownWriteEndsRequest { return .success }
      return refuse(write, quirks.unknownWrite, "there is none", session)
    }
    let perms = database.characteristics[slot].perms
    if write.value == nil, write.subscribes == nil {
      guard quirks.refusesIdleEntries else { return .success }
      return refuse(write, .invalidValue, "neither value nor ev", session)
    }
    if write.value != nil, perms.contains(.timedWrite), !isTimed, quirks.enforcesTimedWrites {
      return refuse(write, .invalidValue, "it takes timed writes only", session)
    }
    let adminOnly = database.characteristics[slot].adminOnly
    let isAdmin = adminOnly.isEmpty || isAdmin(session)
    var status = HAPStatus.success
    if write.subscribes != nil { status = subscribe(slot, write, isAdmin: isAdmin, session) }
    guard let written = write.value else { return status }
    let answersWithValue = perms.contains(.writeResponse) || write.wantsResponse
    if !isAdmin, adminOnly.contains(.pairedWrite) || (answersWithValue && adminOnly.contains(.pairedRead)) {
      return refuse(write, .insufficientPrivileges, "only an admin may write", session)
    }
    guard perms.contains(.pairedWrite) || !quirks.checksPermissions else {
      return refuse(write, .readOnly, "it is read-only", session)
    }
    if case .malformed? = write.authorization { return refuse(write, .invalidValue, "authData is no base64", session) }
    if written == .null { return refuse(write, .invalidValue, "null is no value", session) }
    let value: Value
    do throws(HAPStatus) {
      value = try database.characteristics[slot].admit(written, quirks: quirks.values)
    } catch {
      return refuse(write, quirks.refusedValue, "the value is not one of the characteristic's", session)
    }
    if database.characteristics[slot].type == EventRules.identify, value != .bool(true) {
      return refuse(write, .invalidValue, "Identify takes true only", session)
    }
    if isUnreachable(write.id) {
      return refuse(write, .unableToCommunicate, "its accessory is offline", session)
    }
    if let writer, let status = judge(write, value, at: position, of: &transaction, writer, session) { return status }
    return perform(write, value, inSlot: slot, by: session, at: now)
  }

  /// - Returns: nil if the device accepts the write at once.
  private func judge(
    _ write: AttributeWrite, _ value: Value, at position: Int, of transaction: inout WriteTransaction,
    _ writer: any CharacteristicWriter, _ session: AttributeSession
  ) -> HAPStatus? {
    lastWrite += 1
    switch writer.judge(CharacteristicWrite(lastWrite, write, value)) {
    case .accepted(let response):
      transaction.responses[position] = response
      return nil
    case .refused(let status): return refuse(write, status, "the device refused", session)
    case .later:
      transaction.late[lastWrite] = LateWrite(position: position, value: value)
      return .success
    }
  }

  /// Does what the rules and the device have admitted. The device gets it when the whole request was executed.
  func perform(
    _ write: AttributeWrite, _ value: Value, inSlot slot: Int, by session: AttributeSession, at now: Duration
  ) -> HAPStatus {
    set(slot, to: value, by: session, at: now)
    writtenSlots.append((slot, value))
    actions.report(.wrote(write.id, value, controller: session.name))
    // The write is done; only its echo is not to be had.
    if write.wantsResponse, quirks.refusesUnknownResponses,
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
      actions.wrote(write)
    }
    writtenSlots.removeAll(keepingCapacity: true)
  }

  /// Whether the answer to a write holds a value, if the write succeeds.
  package func isAnsweredWithValue(_ write: AttributeWrite) -> Bool {
    guard write.wantsResponse else { return false }
    if quirks.refusesUnknownResponses || quirks.returnsUnknownResponses { return true }
    return database.slot(of: write.id).map { database.characteristics[$0].perms.contains(.writeResponse) } ?? false
  }

  private func subscribe(
    _ slot: Int, _ write: AttributeWrite, isAdmin: Bool, _ session: AttributeSession
  ) -> HAPStatus {
    let adminOnly = database.characteristics[slot].adminOnly
    if !isAdmin, adminOnly.contains(.events) || adminOnly.contains(.pairedRead) {
      return refuse(write, .insufficientPrivileges, "only an admin may subscribe", session)
    }
    guard database.characteristics[slot].perms.contains(.events) || !quirks.checksPermissions else {
      return refuse(write, .notificationUnsupported, "it has no events", session)
    }
    let id = database.id(ofSlot: slot)
    if write.subscribes == true {
      session.subscriptions.insert(slot)
      actions.report(.subscribed(id, controller: session.name))
    } else {
      session.subscriptions.remove(slot)
      session.events.remove(slot)
      actions.report(.unsubscribed(id, controller: session.name))
    }
    return .success
  }

  func refuse(
    _ write: AttributeWrite, _ status: HAPStatus, _ reason: @autoclosure () -> String, _ session: AttributeSession
  ) -> HAPStatus {
    if actions.makesReports { session.frontEnd.reportRefusal(of: write.id, status, reason: reason(), in: session) }
    return status
  }
}
