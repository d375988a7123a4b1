import HAPModel

extension AccessoryCore {
  /// The accessory serves another database from now on: services came or went, a bridge has other accessories, the firmware was updated.
  ///
  /// Connections stay, and so do the subscriptions to characteristics that are there before and after. Where such a one has another value now,
  /// its subscribers are told. An accessory that can't be reached stays so while it is there. HAP R2 §6.6.1 wants `c#` raised, and it is advertised.
  ///
  /// - Parameters:
  ///   - new: with the values to start from. Ids of what stays are the same; an id that was given up never comes again for something else.
  ///   - model: the model of aid 1, which is advertised as `md`.
  ///   - configurationNumber: 1...65535, durable already.
  ///   - live: characteristics whose values the device is asked for.
  package func replace(
    _ new: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>,
    at now: Duration
  ) {
    let old = database
    let oldChanges = changedSlots
    database = new
    rendering = AttributeRendering(new, conduct: conduct)
    isChanged = Array(repeating: false, count: new.characteristics.count)
    changedSlots.removeAll(keepingCapacity: true)
    for slot in oldChanges {
      if let slot = new.slot(of: old.id(ofSlot: slot)) { markChanged(slot) }
    }
    setLive(live)
    unreachable = unreachable.filter { new.hasAccessory($0.key) }
    for connection in sessions { moveSubscriptions(of: connection, from: old) }
    for slot in new.characteristics.indices {
      guard let before = old.slot(of: new.id(ofSlot: slot)),
        old.characteristics[before].value != new.characteristics[slot].value
      else { continue }
      markChanged(slot)
      tell(slot, by: nil, at: now)
    }
    if advertised.model != model || advertised.configurationNumber != configurationNumber {
      advertised.model = model
      advertised.configurationNumber = configurationNumber
      advertise(after: nil)
    }
    sendDueEvents(at: now)
  }

  /// A subscription stays where there is still something to be told.
  private func moveSubscriptions(of connection: ConnectionCore, from old: AttributeDatabase) {
    func moved(_ slot: Int) -> Int? {
      guard let new = database.slot(of: old.id(ofSlot: slot)),
        database.characteristics[new].perms.contains(.events)
      else { return nil }
      return new
    }
    var kept = SlotSet()
    connection.subscriptions.forEach { slot in
      if let new = moved(slot) { kept.insert(new) }
    }
    connection.subscriptions = kept
    connection.events.move(moved)
  }
}
