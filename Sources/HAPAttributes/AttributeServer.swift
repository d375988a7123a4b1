import HAPModel

/// The attributes of one accessory, for all controllers on all front ends: values, permissions, subscriptions, timed
/// writes, and the connection to the device.
///
/// It does not depend on a protocol. Front ends pass in typed requests with their sessions, and render the results.
/// It does no I/O and reads no clock; everything runs on the caller's thread.
package final class AttributeServer {
  package let quirks: AttributeQuirks
  package internal(set) var database: AttributeDatabase
  /// Receives each write before the response, and may refuse it.
  package weak var writer: (any CharacteristicWriter)?
  let actions: any AttributeActions
  /// The sessions of verified controllers.
  private(set) var sessions: [AttributeSession] = []

  /// Characteristics whose value changed since the last `takeChanges`, for the store.
  private var changedSlots: [Int] = []
  private var isChanged: [Bool]
  /// The values that the current request wrote, in order, until they are passed to the device.
  var writtenSlots: [(slot: Int, value: Value)] = []
  /// Characteristics whose values are requested from the device at every read.
  var liveSlots = SlotSet()
  /// Requests whose response waits for the device.
  var deviceRequests: [DeviceRequest] = []
  /// Unreachable accessories of a bridge, with their last values.
  var unreachable: [UInt64: [AttributeID: Value]] = [:]
  var lastWrite: UInt64 = 0

  /// - Parameters:
  ///   - database: contains the initial values.
  ///   - actions: receives the actions. It is retained, so it must not own the server.
  package init(_ database: AttributeDatabase, quirks: AttributeQuirks, _ actions: any AttributeActions) {
    self.database = database
    self.quirks = quirks
    self.actions = actions
    isChanged = Array(repeating: false, count: database.characteristics.count)
  }

  // MARK: Sessions

  /// Adds the session of a verified controller.
  package func open(_ session: AttributeSession) { sessions.append(session) }

  /// Subscribes a session to all characteristics with events, without a report.
  package func followAll(by session: AttributeSession) {
    for slot in database.characteristics.indices where database.characteristics[slot].perms.contains(.events) {
      session.follow(slot: slot)
    }
  }

  /// Ends a session with its subscriptions and its waiting requests.
  package func close(_ session: AttributeSession) {
    silence(session)
    sessions.removeAll { $0 === session }
  }

  /// Stops a session whose connection sends nothing more.
  package func silence(_ session: AttributeSession) {
    session.silence()
    deviceRequests.removeAll { $0.session === session }
  }

  // MARK: Changes for the store

  /// Appends every persistent value that changed since the last call.
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

  /// Marks a value for the store.
  func markChanged(_ slot: Int) {
    guard !isChanged[slot] else { return }
    isChanged[slot] = true
    changedSlots.append(slot)
  }

  // MARK: Replacing the database

  /// Replaces the database: services were added or removed, a bridge has other accessories, or the firmware was
  /// updated.
  ///
  /// Sessions continue, and so do subscriptions to characteristics that exist before and after. If the value of such
  /// a characteristic differs, its subscribers get an event. An unreachable accessory stays unreachable while it
  /// exists.
  /// - Parameters:
  ///   - new: contains the initial values. Unchanged elements keep their IDs; the ID of a removed element must never
  ///     be reused.
  ///   - live: characteristics whose values are requested from the device.
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

  /// Moves the subscriptions of a session. A subscription continues if its characteristic still has events.
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
