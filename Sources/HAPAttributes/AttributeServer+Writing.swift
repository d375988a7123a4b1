import HAPModel

extension AttributeServer {
  /// Executes a write request. HAP R2 §6.7.2 and, for subscriptions, §6.8.
  /// - Parameters:
  ///   - transaction: contains the writes; receives a status for each.
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
        // The device's decisions about earlier writes are discarded with the request.
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

  /// Executes one write. The rules follow HomeKitADK's order: the subscription comes first, but the status is that of
  /// the value.
  private func write(
    at position: Int, of transaction: inout WriteTransaction, isTimed: Bool, by session: AttributeSession,
    at now: Duration
  ) -> HAPStatus {
    let write = transaction.writes[position]
    guard let slot = database.slot(of: write.id) else {
      if quirks.unknownWriteEndsRequest { return .success }
      return refuse(write, quirks.unknownWrite, "it does not exist", session)
    }
    let perms = database.characteristics[slot].perms
    if write.value == nil, write.subscribes == nil {
      guard quirks.refusesIdleEntries else { return .success }
      return refuse(write, .invalidValue, "neither value nor ev", session)
    }
    if write.value != nil, perms.contains(.timedWrite), !isTimed, quirks.enforcesTimedWrites {
      return refuse(write, .invalidValue, "it accepts only timed writes", session)
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
    if case .malformed? = write.authorization { return refuse(write, .invalidValue, "authData is not base64", session) }
    if written == .null { return refuse(write, .invalidValue, "null is not a value", session) }
    let value: Value
    do throws(HAPStatus) {
      value = try database.characteristics[slot].admit(written, quirks: quirks.values)
    } catch {
      return refuse(write, quirks.refusedValue, "the characteristic does not allow the value", session)
    }
    if database.characteristics[slot].type == EventRules.identify, value != .bool(true) {
      return refuse(write, .invalidValue, "Identify accepts only true", session)
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

  /// Executes a write that the rules and the device have accepted. The device receives it after the whole request was
  /// executed.
  func perform(
    _ write: AttributeWrite, _ value: Value, inSlot slot: Int, by session: AttributeSession, at now: Duration
  ) -> HAPStatus {
    set(slot, to: value, by: session, at: now)
    writtenSlots.append((slot, value))
    actions.report(.wrote(write.id, value, controller: session.name))
    // The write succeeded; only the write response is not available.
    if write.wantsResponse, quirks.refusesUnknownResponses,
      !database.characteristics[slot].perms.contains(.writeResponse)
    {
      return .writeOnly
    }
    return .success
  }

  /// Creates one action for each service that was written to, in the order of their first entries.
  func tellDevice() {
    var start = 0
    while start < writtenSlots.count {
      let (slot, value) = writtenSlots[start]
      start += 1
      guard slot >= 0 else { continue }  // already sent with an earlier write to the same service
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

  /// Returns whether the response to a write contains a value, if the write succeeds.
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
