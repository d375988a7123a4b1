import HAPDevices
import HAPModel
import HAPProfile
import HAPStore

/// A new profile for an accessory that is being served, ready to replace the old one. Its ids are assigned and `c#` is raised; both are
/// stored.
///
/// Creating it reads and writes the state folder, so it must not run on the loop.
package struct Replacement: Sendable {
  package let profile: AccessoryProfile
  package let built: BuiltAccessory
  package let blueprint: DeviceBlueprint
  package let configurationNumber: UInt16
  /// The database that the old profile declares, for comparison with the new one's values.
  private let old: AttributeDatabase?

  /// Identity, setup code, category, quirks and the name on the network do not change until the next start.
  ///
  /// - Parameters:
  ///   - old: the profile served now.
  ///   - served: its ids.
  /// - Throws: `ProfileErrors` if the profile has errors, `CommandError` if it belongs to another accessory, `StoreError`.
  package init(
    _ profile: AccessoryProfile, inPlaceOf old: AccessoryProfile, servedAs served: IDMap,
    for prepared: PreparedAccessory
  ) throws {
    let files = try profile.refuseProblems(matterVendor: prepared.matterVendor)
    if let other = profile.deviceID, other != prepared.deviceID {
      throw CommandError(
        .notPossible,
        "the profile belongs to another accessory: its device ID is \(other.text), not \(prepared.deviceID.text)")
    }
    self.profile = profile
    var ids = try prepared.store.idMap()
    var served = served
    // Built again on demand instead of stored. If that fails, because another replacement failed half-way, values start as in the new
    // profile.
    self.old = try? old.build(ids: &served, deviceID: prepared.deviceID).database
    built = try profile.build(ids: &ids, deviceID: prepared.deviceID)
    blueprint = DeviceBlueprint(built, files: files)
    try prepared.store.setIDMap(ids)
    configurationNumber = try prepared.store.updateConfiguration(
      hash: built.configurationHash, wrapsToZero: prepared.quirks.configurationWrapsToZero)
  }

  /// Returns the new database with its initial values. They are the current values, except for characteristics whose value differs between the
  /// old and the new profile.
  /// - Parameters:
  ///   - current: the database served now.
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
  /// Returns a value from another profile or run if it is still valid.
  func remembered(_ value: Value) -> Value? { value == self.value ? value : try? admit(value) }
}

extension AttributeDatabase {
  /// Returns a copy with the present values of the device's live characteristics. Only composed devices continue, so other devices are not read.
  package func updated(by device: any Device, now: Duration, random: SimulationRandom) -> AttributeDatabase {
    guard let device = device as? ComposedDevice, !device.live.isEmpty else { return self }
    var database = self
    var context = DeviceContext(now: now, random: random) { id in slot(of: id).map { characteristics[$0] } }
    device.read(device.live, ticket: Ticket(number: 0), &context)
    for case .answerRead(let id, .success(let value), _) in context.actions { database[id] = value }
    return database
  }
}
