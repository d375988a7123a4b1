import HAPDevices
import HAPModel
import HAPProfile
import HAPStore

/// Another profile for an accessory that is being served, ready to take the place of the one before: ids are given out and `c#` is raised, both
/// stored.
///
/// Making it reads and writes the state folder, so it belongs off the loop.
package struct Replacement: Sendable {
  package let profile: AccessoryProfile
  package let built: BuiltAccessory
  package let blueprint: DeviceBlueprint
  package let configurationNumber: UInt16
  /// What the profile before it declares: for the new one's values to be compared with.
  private let old: AttributeDatabase?

  /// Identity, setup code, category, conduct and the name on the network stay what they are until the next start.
  ///
  /// - Parameters:
  ///   - old: what is served now.
  ///   - served: the ids under which it is.
  /// - Throws: `ProfileErrors` when the profile can't be served, `CommandError` when it is another accessory's, `StoreError`.
  package init(
    _ profile: AccessoryProfile, inPlaceOf old: AccessoryProfile, servedAs served: IDMap,
    for prepared: PreparedAccessory
  ) throws {
    let files = try profile.refuseProblems()
    if let other = profile.deviceID, other != prepared.deviceID {
      throw CommandError(
        .notPossible,
        "the profile is another accessory's: its device ID is \(other.text), not \(prepared.deviceID.text)")
    }
    self.profile = profile
    var ids = try prepared.store.idMap()
    var served = served
    // Made anew rather than kept all the time. Where that can't be done any more, since another replacement came to nothing half-way, values begin
    // as the new profile has them.
    self.old = try? old.build(ids: &served, deviceID: prepared.deviceID).database
    built = try profile.build(ids: &ids, deviceID: prepared.deviceID)
    blueprint = DeviceBlueprint(built, files: files)
    try prepared.store.setIDMap(ids)
    configurationNumber = try prepared.store.updateConfiguration(
      hash: built.configurationHash, wrapsToZero: prepared.conduct.configurationWrapsToZero)
  }

  /// The new database with the values it starts from: those of now, but for characteristics to which the new profile gives another value than
  /// the old one did.
  /// - Parameters:
  ///   - current: what is served now.
  package func database(from current: AttributeDatabase) -> AttributeDatabase {
    var database = built.database
    for slot in database.characteristics.indices {
      let id = database.id(ofSlot: slot)
      guard let now = current[id], let declared = old?[id], declared == database[slot: slot],
        let value = database.characteristics[slot].remembered(now)
      else { continue }
      database[slot: slot] = value
    }
    return database
  }
}

extension Characteristic {
  /// A value that it had under another profile or in another run, if it can have it still.
  func remembered(_ value: Value) -> Value? { value == self.value ? value : try? admit(value) }
}

extension AttributeDatabase {
  /// Returns a copy that has the present values of the device's live characteristics. Only a composed device continues, so others are not asked.
  package func updated(by device: any Device, now: Duration, random: SimulationRandom) -> AttributeDatabase {
    guard let device = device as? ComposedDevice, !device.live.isEmpty else { return self }
    var database = self
    var context = DeviceContext(now: now, random: random) { id in slot(of: id).map { characteristics[$0] } }
    device.read(device.live, ticket: Ticket(number: 0), &context)
    for case .answerRead(let id, .success(let value), _) in context.actions { database[id] = value }
    return database
  }
}
