import HAPModel

/// The attributes of one accessory, for all controllers on all front ends: values, permissions, subscriptions, timed writes, and the device that
/// has the values.
///
/// It knows no protocol. Front ends give it typed requests with the session that sent them, and render its results. It does no I/O and reads no
/// clock; everything happens on the caller's thread.
package final class AttributeServer {
  package let quirks: AttributeQuirks
  package internal(set) var database: AttributeDatabase
  /// Receives each write before the answer, and may refuse it.
  package weak var writer: (any CharacteristicWriter)?
  let actions: any AttributeActions
  /// Of verified controllers.
  private(set) var sessions: [AttributeSession] = []

  /// Characteristics whose value changed since the last `takeChanges`, for the store.
  private var changedSlots: [Int] = []
  private var isChanged: [Bool]
  /// What the request under way wrote, in order, until the device gets it.
  var writtenSlots: [(slot: Int, value: Value)] = []
  /// Characteristics whose value the device is asked for at every read.
  var liveSlots = SlotSet()
  /// Requests whose answer waits for the device.
  var deviceRequests: [DeviceRequest] = []
  /// Accessories of a bridge that can't be reached, with the values that they had then.
  var unreachable: [UInt64: [AttributeID: Value]] = [:]
  var lastWrite: UInt64 = 0

  /// - Parameters:
  ///   - database: with the values to start from.
  ///   - actions: gets the work to be done. It is retained, so it must not own the server.
  package init(_ database: AttributeDatabase, quirks: AttributeQuirks, _ actions: any AttributeActions) {
    self.database = database
    self.quirks = quirks
    self.actions = actions
    isChanged = Array(repeating: false, count: database.characteristics.count)
  }

  // MARK: Sessions

  /// A controller was verified.
  package func open(_ session: AttributeSession) { sessions.append(session) }

  /// A session is over: its subscriptions and its waiting requests end with it.
  package func close(_ session: AttributeSession) {
    silence(session)
    sessions.removeAll { $0 === session }
  }

  /// The connection of a session sends nothing more.
  package func silence(_ session: AttributeSession) {
    session.silence()
    deviceRequests.removeAll { $0.session === session }
  }

  // MARK: Changes for the store

  /// Appends every value that changed since the last call and that is kept over a restart.
  package func takeChanges(into changes: inout [(id: AttributeID, value: Value)]) {
    for slot in changedSlots {
      isChanged[slot] = false
      if database.characteristics[slot].persists {
        changes.append((database.id(ofSlot: slot), database.characteristics[slot].value))
      }
    }
    changedSlots.removeAll(keepingCapacity: true)
  }

  package var hasChanges: Bool { !changedSlots.isEmpty }

  /// Notes that the store has a value to keep.
  func markChanged(_ slot: Int) {
    guard !isChanged[slot] else { return }
    isChanged[slot] = true
    changedSlots.append(slot)
  }

  // MARK: Another database

  /// Serves another database from now on: services came or went, a bridge has other accessories, the firmware was updated.
  ///
  /// Sessions stay, and so do the subscriptions to characteristics that exist before and after. If such a characteristic has another value now,
  /// its subscribers get an event. An accessory that can't be reached stays so while it exists.
  /// - Parameters:
  ///   - new: with the values to start from. Ids of what stays are the same; an id that was given up is never used for something else.
  ///   - live: characteristics whose values the device is asked for.
  package func replace(_ new: AttributeDatabase, live: some Sequence<AttributeID>, at now: Duration) {
    let old = database
    let oldChanges = changedSlots
    database = new
    isChanged = Array(repeating: false, count: new.characteristics.count)
    changedSlots.removeAll(keepingCapacity: true)
    for slot in oldChanges {
      if let slot = new.slot(of: old.id(ofSlot: slot)) { markChanged(slot) }
    }
    setLive(live)
    unreachable = unreachable.filter { new.hasAccessory($0.key) }
    for session in sessions { moveSubscriptions(of: session, from: old) }
    for slot in new.characteristics.indices {
      guard let before = old.slot(of: new.id(ofSlot: slot)),
        old.characteristics[before].value != new.characteristics[slot].value
      else { continue }
      markChanged(slot)
      tell(slot, by: nil, at: now)
    }
  }

  /// A subscription stays if its characteristic still has events.
  private func moveSubscriptions(of session: AttributeSession, from old: AttributeDatabase) {
    func moved(_ slot: Int) -> Int? {
      guard let new = database.slot(of: old.id(ofSlot: slot)),
        database.characteristics[new].perms.contains(.events)
      else { return nil }
      return new
    }
    var kept = SlotSet()
    session.subscriptions.forEach { slot in
      if let new = moved(slot) { kept.insert(new) }
    }
    session.subscriptions = kept
    session.events.move(moved)
  }
}
