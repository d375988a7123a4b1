import HAPCrypto
import HAPDeviations
import HAPDevices
import HAPIP
import HAPModel
import HAPPairing
import HAPProfile
import HAPStore
import HAPWire

/// A profile ready to be served, with ids, identity, stored values and the lock on its state.
///
/// Preparing reads and writes the state folder and computes a verifier, so it must not run on the loop.
package struct PreparedAccessory: Sendable {
  /// The choices of the person who starts the accessory. They override the profile.
  package struct Choices: Sendable {
    package var name: String?
    package var setupCode: SetupCode?
    package var setupID: SetupID?
    /// Whether to accept explicit ids that differ from those served before.
    package var renumber = false
    package var quirks: Quirks?
    /// 8…10 000.
    package var maximumSessions: Int?
    /// A deliberate defect.
    package var defect: Defect?
    /// The copy that the accessory is; `nil`: it is the only accessory of its profile. The copy's name precedes `name`,
    /// and its setup ID precedes the profile's.
    package var copy: AccessoryCopy?
    /// The vendor of its Matter node, for which its choices about Matter are checked; `nil`: the default one.
    package var matterVendor: UInt16?

    package init(
      name: String? = nil, setupCode: SetupCode? = nil, setupID: SetupID? = nil, renumber: Bool = false,
      quirks: Quirks? = nil, maximumSessions: Int? = nil, defect: Defect? = nil, copy: AccessoryCopy? = nil,
      matterVendor: UInt16? = nil
    ) {
      self.name = name
      self.setupCode = setupCode
      self.setupID = setupID
      self.renumber = renumber
      self.quirks = quirks
      self.maximumSessions = maximumSessions
      self.defect = defect
      self.copy = copy
      self.matterVendor = matterVendor
    }
  }

  /// The limit on open files for its connections; `nil`: the limit of the process.
  package var openFiles: Int?
  package let name: String
  package let category: HAPModel.Category
  package let setupCode: SetupCode
  package let setupPayload: SetupPayload
  package let deviceID: DeviceID
  /// The database with the stored values.
  package private(set) var database: AttributeDatabase
  /// The accessory as the profile defines it.
  package private(set) var built: BuiltAccessory
  package private(set) var blueprint: DeviceBlueprint
  package let quirks: Quirks
  /// The profile under the chosen name; for a copy, the common profile of all copies.
  package let profile: AccessoryProfile
  private let choices: Choices
  /// A deliberate defect.
  package let defect: Defect?
  package let store: AccessoryStore
  package let identity: AccessoryIdentity
  package let pairings: [Pairing]
  package let failedAttempts: Int
  package let advertisement: Advertisement

  /// - Throws: `ProfileErrors` if the profile has errors, `StoreError` if its state cannot be used (for example because another process uses it).
  package init(
    _ profile: AccessoryProfile, in folder: StateFolder, choices: Choices = Choices(), random: RandomSource
  ) throws {
    let servable = try ServableProfile(profile, matterVendor: choices.matterVendor)
    try self.init(servable, in: folder, choices: choices, random: random)
  }

  /// Prepares one of several accessories of a profile.
  /// - Throws: as the other initialiser, and `IdentityConflict`.
  package init(
    _ servable: ServableProfile, in folder: StateFolder, choices: Choices = Choices(), random: RandomSource
  ) throws {
    let profile = choices.named(servable.profile)
    let store = try folder.accessory(key: choices.copy?.key ?? profile.key, name: profile.name)
    do {
      try self.init(named: profile, of: servable.profile, store, choices, servable.files, random)
    } catch {
      store.close()
      throw error
    }
  }

  /// Prepares the accessory again from its stored state, as the next start of the process would.
  /// - Parameters:
  ///   - profile: its own profile, or its replacement.
  ///   - quirks: the quirks that replace the present ones; `nil`: no change.
  package init(
    again prepared: PreparedAccessory, from profile: AccessoryProfile, with quirks: Quirks? = nil,
    random: RandomSource
  ) throws {
    let files = ReplayFiles(beside: profile.fileName)
    var choices = prepared.choices
    if let quirks { choices.quirks = quirks }
    try self.init(named: choices.named(profile), of: profile, prepared.store, choices, files, random)
  }

  private init(
    named profile: AccessoryProfile, of base: AccessoryProfile, _ store: AccessoryStore, _ choices: Choices,
    _ files: ReplayFiles, _ random: RandomSource
  ) throws {
    let identity = try Self.identity(of: profile, in: store, choices.copy, random)
    let setup = try Self.setup(of: profile, in: store, choices, random)
    var ids = try store.idMap()
    let built = try profile.build(ids: &ids, deviceID: identity.deviceID, renumber: choices.renumber)
    try store.setIDMap(ids)
    var quirks = choices.quirks ?? profile.quirks ?? Quirks()
    if let limit = choices.maximumSessions { quirks.maximumSessions = limit }
    let defect = choices.defect
    quirks = defect?.quirks(over: quirks) ?? quirks
    if let defect, let obstacle = defect.obstacle(in: built.database) {
      throw DefectObstacle(defect: defect.id, reason: obstacle)
    }
    let number = try store.updateConfiguration(
      hash: built.configurationHash, wrapsToZero: quirks.configurationWrapsToZero)

    var database = built.database
    for (id, value) in try store.values.load() { database.restore(value, of: id) }

    // Thousands of copies share one profile.
    self.profile = choices.copy == nil ? profile : base
    self.choices = choices
    name = built.name
    category = built.category
    setupCode = setup.code
    deviceID = identity.deviceID
    self.database = database
    self.built = built
    blueprint = DeviceBlueprint(built, files: files)
    self.quirks = quirks
    self.store = store
    self.defect = defect
    self.identity = AccessoryIdentity(
      deviceID: defect?.identity?.saysOtherID == true ? identity.deviceID.other : identity.deviceID,
      key: defect?.identity?.signsWithOther == true
        ? SigningKey(seed: random.secret(32), showing: SigningKey(seed: identity.keySeed).publicKey)
        : SigningKey(seed: identity.keySeed),
      verifier: setup.srpVerifier)
    pairings = try store.pairings()
    failedAttempts = quirks.keepsFailedTries ? try store.failedTries() : 0
    advertisement = Advertisement(
      model: built.shownModel(quirks), deviceID: identity.deviceID, configurationNumber: number,
      category: built.category.number,
      isPaired: pairings.contains { $0.isAdmin }, setupID: setup.id)
    setupPayload = SetupPayload(category: built.category.number, code: setup.code, setupID: setup.id, supportsIP: true)
  }

  /// Releases the lock on its state. The accessory will not be served.
  package func close() { store.close() }

  /// The data needed while the accessory runs, without its databases. Each of them would be copied as soon as a value changes.
  package var running: PreparedAccessory {
    var prepared = self
    prepared.database = .empty
    prepared.built = built.withoutDatabase
    prepared.blueprint = .empty
    return prepared
  }

  /// The vendor of its Matter node; `nil`: the default one.
  var matterVendor: UInt16? { choices.matterVendor }

  /// The key of its stored state.
  package var key: String { store.key }

  /// The secret of other front ends; `nil`: the accessory has no given identity.
  package var frontEndSecret: SecretBytes? { choices.copy?.identity?.frontEndSecret }

  /// The faults active from its start.
  package var ownFaults: [FaultChoice] { profile.faultChoices + (choices.copy?.faults ?? []) }

  /// Returns the identity. The profile's device ID takes precedence; a changed one is a new identity without pairings.
  private static func identity(
    of profile: AccessoryProfile, in store: AccessoryStore, _ copy: AccessoryCopy?, _ random: RandomSource
  ) throws -> StoredIdentity {
    guard let copy, let made = copy.identity else {
      return try store.identity { .draw(deviceID: profile.deviceID, from: random) }
    }
    let stored = try store.identity { StoredIdentity(deviceID: made.deviceID, keySeed: made.keySeed) }
    guard stored.deviceID == made.deviceID, stored.keySeed == made.keySeed else {
      throw IdentityConflict(name: copy.name, kept: stored.deviceID, wanted: made.deviceID)
    }
    return stored
  }

  private static func setup(
    of profile: AccessoryProfile, in store: AccessoryStore, _ choices: Choices, _ random: RandomSource
  ) throws(StoreError) -> StoredSetup {
    let (copy, made) = (choices.copy, choices.copy?.identity)
    let code = choices.defect?.identity?.setupCode ?? choices.setupCode ?? profile.setupCode ?? made?.setupCode
    let id = choices.setupID ?? (copy == nil ? profile.setupID : made?.setupID)
    func make(_ code: SetupCode?, _ id: SetupID?) -> StoredSetup {
      var setup = StoredSetup.make(code: code, id: id, from: random, isPutOff: copy != nil)
      if let made { setup.salt = made.salt }
      return setup
    }
    let stored = try store.setup { make(code, id) }
    if code.map({ $0 == stored.code }) ?? true, id.map({ $0 == stored.id }) ?? true { return stored }
    let changed = make(code ?? stored.code, id ?? stored.id)
    try store.replaceSetup(changed)
    return changed
  }

  /// The unique host name of the accessory in mDNS. Accessories on one machine must not share a name.
  package var hostName: String {
    "hapsim-" + deviceID.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// The name in DNS-SD, cut to 63 bytes, the limit of a label. `Name` allows 64.
  package var instanceName: String {
    var label = name
    while label.utf8.count > 63 { label.removeLast() }
    return label
  }

}

extension PreparedAccessory.Choices {
  /// Returns the profile with the name and the changes of this accessory.
  fileprivate func named(_ profile: AccessoryProfile) -> AccessoryProfile {
    var profile = profile
    if let copy {
      copy.apply(to: &profile)
    } else if let name {
      profile.rename(name)
    }
    return profile
  }
}

extension BuiltAccessory {
  /// The model in `md` of the TXT record.
  package func shownModel(_ quirks: Quirks) -> String { quirks.modelIsName ? name : model }

  /// The accessory without its database, for use after core and device have been made.
  package var withoutDatabase: BuiltAccessory {
    var built = self
    built.database = .empty
    built.behaviours = []
    built.matter = [:]
    built.configurationText = ""
    return built
  }

  /// The hash whose changes increment `c#`.
  var configurationHash: [UInt8] { SHA512.hash(Array(configurationText.utf8)) }
}

extension AttributeDatabase {
  /// Restores a stored value if the characteristic still accepts it.
  fileprivate mutating func restore(_ value: Value, of id: AttributeID) {
    guard let slot = slot(of: id), characteristics[slot].persists else { return }
    if let canonical = characteristics[slot].remembered(value) { self[slot: slot] = canonical }
  }
}

extension AccessoryProfile {
  /// - Parameter matterVendor: the vendor of the Matter node; nil: the default one.
  /// - Throws: `ProfileErrors` if the profile has errors.
  /// - Returns: the contents of the files that its behaviours name.
  func refuseProblems(matterVendor: UInt16?) throws(ProfileErrors) -> ReplayFiles {
    let files = ReplayFiles(beside: fileName)
    let problems = problems + behaviourProblems(files) + matterProblems(vendor: matterVendor)
    guard !problems.contains(where: { $0.severity == .error }) else {
      throw ProfileErrors(fileName: fileName, problems: problems)
    }
    return files
  }

  /// The errors of the `behaviour` members, which the profile stores unparsed. Reads the files that they name.
  package var behaviourProblems: [ProfileProblem] { behaviourProblems(ReplayFiles(beside: fileName)) }

  /// Returns the errors of parameters for the services of a type. Reads the files that they name.
  package func problems(with parameters: JSONNode, of type: TypeID) -> [JSONProblem] {
    let files = ReplayFiles(beside: fileName)
    return behaviours(of: type, with: parameters).flatMap { node, characteristics in
      BehaviourRegistry.standard.problems(in: node, for: type, with: characteristics, files: files)
    }
  }

  private func behaviourProblems(_ files: ReplayFiles) -> [ProfileProblem] {
    behaviourNodes.flatMap { type, node, characteristics in
      BehaviourRegistry.standard.problems(in: node, for: type, with: characteristics, files: files).map {
        ProfileProblem(rule: "behaviour", $0)
      }
    }
  }
}

/// The reason why a defect has no effect in an accessory.
package struct DefectObstacle: Error, CustomStringConvertible {
  package let defect: String
  package let reason: String

  package var description: String { "the defect \"\(defect)\" has no effect here: \(reason)" }
}

extension DeviceID {
  /// A device ID that differs in the last bit.
  fileprivate var other: DeviceID {
    var bytes = bytes
    bytes[bytes.count - 1] ^= 1
    return DeviceID(bytes: bytes) ?? self
  }
}
