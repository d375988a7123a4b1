import HAPModel
import HAPWire

extension AccessoryCore {
  /// The device, or a person at it, changed a value.
  ///
  /// - Parameter value: of the characteristic's format and within its rules; the caller has seen to that.
  package func change(_ id: AttributeID, to value: Value, at now: Duration) {
    guard let slot = database.slot(of: id) else { preconditionFailure("no characteristic \(id) in the database") }
    set(slot, to: value, by: nil, at: now)
    sendDueEvents(at: now)
  }

  /// Puts a value into the database and tells the subscribers, all but the connection that wrote it.
  func set(_ slot: Int, to value: Value, by origin: ConnectionCore?, at now: Duration) {
    let characteristic = database.characteristics[slot]
    // Every press of a button is an event, equal ones too; and a countdown that starts again has counted in between.
    let everyEventCounts =
      EventRules.everyEventCounts(characteristic.type) || EventRules.countsDown(characteristic.type)
    guard everyEventCounts || conduct.tellsUnchanged || characteristic.value != value else { return }
    database[slot: slot] = value
    markChanged(slot)
    tell(slot, by: origin, at: now)
  }

  /// Notes that the store has a value to keep.
  func markChanged(_ slot: Int) {
    guard !isChanged[slot] else { return }
    isChanged[slot] = true
    changedSlots.append(slot)
  }

  /// Puts the value in a slot on its way to the subscribers, all but the connection that wrote it.
  func tell(_ slot: Int, by origin: ConnectionCore?, at now: Duration) {
    let characteristic = database.characteristics[slot]
    guard characteristic.perms.contains(.events), !isUnreachable(database.id(ofSlot: slot)) else { return }
    let isImmediate = conduct.immediateEvents.contains(characteristic.type)
    let keepsValue = EventRules.everyEventCounts(characteristic.type) || conduct.tellsIntermediateValues
    let origin = conduct.tellsWriter ? nil : origin
    // What waits for the writer would be sent with the value that it has just written.
    if !keepsValue { origin?.events.remove(slot) }
    for connection in sessions where connection !== origin && connection.subscriptions.contains(slot) {
      let due = isImmediate ? now : ordinaryEventTime(on: connection, at: now)
      connection.events.add(slot, value: keepsValue ? characteristic.value : nil, due: due)
    }
  }

  /// When an event that is not immediate is due.
  private func ordinaryEventTime(on connection: ConnectionCore, at now: Duration) -> Duration {
    guard conduct.sendsFirstEventAtOnce else { return now + conduct.coalescing }
    return max(now, connection.lastEvent.map { $0 + conduct.coalescing } ?? now)
  }

  /// When `advance` has to be called next; nil: not before another input.
  package var nextDeadline: Duration? {
    var next = deviceDeadline
    for connection in sessions where !connection.isWaiting && connection.phase == .open {
      guard let deadline = connection.events.deadline else { continue }
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next
  }

  /// Time has passed: sends the events that are due, and answers for a device that doesn't.
  package func advance(to now: Duration) {
    if !deviceRequests.isEmpty { giveUpOnDevice(at: now) }
    sendDueEvents(at: now)
  }

  func sendDueEvents(at now: Duration) {
    for connection in sessions {
      guard let deadline = connection.events.deadline, deadline <= now else { continue }
      sendEvents(on: connection, at: now)
    }
  }

  /// One EVENT with all that waits, unless an answer is still owed: an event never stands inside an answer or before one that is under way.
  func sendEvents(on connection: ConnectionCore, at now: Duration) {
    guard !connection.isWaiting, connection.phase == .open, !connection.events.isEmpty else { return }
    connection.lastEvent = now
    connection.sendEvent { buffer in
      buffer.append("{\"characteristics\":[")
      var isFirst = true
      for entry in connection.events.entries {
        if !isFirst { buffer.append(",") }
        isFirst = false
        rendering.writeIDs(database.id(ofSlot: entry.slot), to: &buffer)
        rendering.writeValue(entry.value ?? database.characteristics[entry.slot].value, to: &buffer)
        buffer.append("}")
      }
      buffer.append("]}")
    }
    if makesReports {
      let controller = connection.controller
      for entry in connection.events.entries {
        let value = entry.value ?? database.characteristics[entry.slot].value
        report(.told(database.id(ofSlot: entry.slot), value, controller: controller))
      }
    }
    connection.events.removeAll()
  }
}
