import HAPModel

extension AttributeServer {
  package var hasUnreachable: Bool { !unreachable.isEmpty }

  /// Sets whether an accessory of the bridge is reachable. An unreachable accessory keeps its IDs, its place in the
  /// database and its subscriptions. Reads and writes of its characteristics get -70402, and they have no events. HAP
  /// R2 §6.7.1.4.
  ///
  /// When it is reachable again, subscribers get events for all values that changed meanwhile.
  /// - Parameter aid: an accessory of the database; never 1, the bridge itself.
  package func setReachable(_ isReachable: Bool, aid: UInt64, at now: Duration) {
    guard let entry = database.accessoryEntries.first(where: { $0.aid == aid }) else {
      preconditionFailure("no accessory \(aid) in the database")
    }
    if isReachable {
      guard let before = unreachable.removeValue(forKey: aid) else { return }
      for slot in entry.slots {
        let characteristic = database.characteristics[slot]
        // A button has no event for a past press.
        guard let value = before[database.id(ofSlot: slot)], value != characteristic.value,
          !EventRules.everyEventCounts(characteristic.type)
        else { continue }
        tell(slot, by: nil, at: now)
      }
      sendDueEvents(at: now)
    } else if unreachable[aid] == nil {
      for session in sessions { for slot in entry.slots { session.events.remove(slot) } }
      unreachable[aid] = Dictionary(
        uniqueKeysWithValues: entry.slots.map { (database.id(ofSlot: $0), database[slot: $0]) })
    }
  }

  /// Returns whether the accessory of a characteristic is unreachable.
  func isUnreachable(_ id: AttributeID) -> Bool { !unreachable.isEmpty && unreachable[id.aid] != nil }
}
