import HAPModel

extension AttributeServer {
  /// The device, or a person using it, changed a value.
  ///
  /// - Parameter value: the caller must check that it has the characteristic's format and follows its rules.
  package func change(_ id: AttributeID, to value: Value, at now: Duration) {
    guard let slot = database.slot(of: id) else { preconditionFailure("no characteristic \(id) in the database") }
    set(slot, to: value, by: nil, at: now)
    sendDueEvents(at: now)
  }

  /// Stores a value in the database. All subscribers except the session that wrote it get an event.
  func set(_ slot: Int, to value: Value, by origin: AttributeSession?, at now: Duration) {
    let characteristic = database.characteristics[slot]
    // Every press of a button is an event, even with an equal value. A countdown that restarts with an equal value had
    // a lower value before.
    let everyEventCounts =
      EventRules.everyEventCounts(characteristic.type) || EventRules.countsDown(characteristic.type)
    guard everyEventCounts || quirks.tellsUnchanged || characteristic.value != value else { return }
    database[slot: slot] = value
    markChanged(slot)
    tell(slot, by: origin, at: now)
  }

  /// Queues a change for all subscribers except the session that wrote it.
  func tell(_ slot: Int, by origin: AttributeSession?, at now: Duration) {
    let characteristic = database.characteristics[slot]
    guard characteristic.perms.contains(.events), !isUnreachable(database.id(ofSlot: slot)) else { return }
    let isImmediate = quirks.immediateEvents.contains(characteristic.type)
    let keepsValue = EventRules.everyEventCounts(characteristic.type) || quirks.tellsIntermediateValues
    let origin = quirks.tellsWriter ? nil : origin
    // A pending event for the writer would be sent with the value that it has just written.
    if !keepsValue { origin?.events.remove(slot) }
    for session in sessions where session !== origin && session.subscriptions.contains(slot) {
      let due = isImmediate || session.getsEventsAtOnce ? now : ordinaryEventTime(in: session, at: now)
      session.events.add(slot, value: keepsValue ? characteristic.value : nil, due: due)
    }
  }

  /// Returns the time at which a non-immediate event is due.
  private func ordinaryEventTime(in session: AttributeSession, at now: Duration) -> Duration {
    guard quirks.sendsFirstEventAtOnce else { return now + quirks.coalescing }
    return max(now, session.lastEvent.map { $0 + quirks.coalescing } ?? now)
  }

  /// The time at which `advance` must be called next; nil: not before another input.
  package var nextDeadline: Duration? {
    var next = deviceDeadline
    for session in sessions where !session.holdsEvents && !session.isSilenced {
      guard let deadline = session.events.deadline else { continue }
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next
  }

  /// Handles the passing of time: sends the due events, and finishes requests that the device does not answer.
  package func advance(to now: Duration) {
    if !deviceRequests.isEmpty { giveUpOnDevice(at: now) }
    sendDueEvents(at: now)
  }

  /// Sends the events that are due.
  package func sendDueEvents(at now: Duration) {
    for session in sessions {
      guard let deadline = session.events.deadline, deadline <= now else { continue }
      session.frontEnd.sendEvents(of: session, at: now)
    }
  }

  /// Reports the pending events of a session as sent, if reports are requested.
  package func reportEvents(of session: AttributeSession) {
    guard actions.makesReports else { return }
    let name = session.name
    for entry in session.events.entries {
      let value = entry.value ?? database.characteristics[entry.slot].value
      actions.report(.told(database.id(ofSlot: entry.slot), value, controller: name))
    }
  }
}
