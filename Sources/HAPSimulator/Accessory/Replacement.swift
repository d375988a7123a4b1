import HAPModel
import HAPProfile
import HAPStore

/// Another profile for an accessory that is being served, ready to take the place of the one before: ids are given out and `c#` is raised, both
/// stored.
///
/// Making it reads and writes the state folder, so it belongs off the loop.
struct Replacement: Sendable {
  let profile: AccessoryProfile
  let built: BuiltAccessory
  let blueprint: DeviceBlueprint
  let configurationNumber: UInt16

  /// Identity, setup code, category, conduct and the name on the network stay what they are until the next start.
  ///
  /// - Throws: `ProfileErrors` when the profile can't be served, `CommandError` when it is another accessory's, `StoreError`.
  init(_ profile: AccessoryProfile, for prepared: PreparedAccessory) throws {
    let files = try profile.refuseProblems()
    if let other = profile.deviceID, other != prepared.deviceID {
      throw CommandError(
        .notPossible,
        "the profile is another accessory's: its device ID is \(other.text), not \(prepared.deviceID.text)")
    }
    self.profile = profile
    var ids = try prepared.store.idMap()
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
  ///   - declared: the values of the profile of which `current` was made, by its slots.
  func database(from current: AttributeDatabase, declared: [Value]) -> AttributeDatabase {
    var database = built.database
    for slot in database.characteristics.indices {
      let id = database.id(ofSlot: slot)
      guard let old = current.slot(of: id), declared[old] == database[slot: slot],
        let value = database.characteristics[slot].remembered(current[slot: old])
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
