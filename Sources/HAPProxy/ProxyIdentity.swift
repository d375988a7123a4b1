import HAPController
import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPStore
import HAPTransport

/// The identity of a proxy as an accessory. It is stored in a folder of its own, so that it is the same for one accessory in each run.
///
/// Making one reads and writes the folder and computes a verifier, so it blocks.
package struct ProxyIdentity: Sendable {
  package let name: String
  package let store: AccessoryStore
  package let identity: AccessoryIdentity
  package let setup: StoredSetup
  let pairings: [Pairing]
  let failedAttempts: Int
  package let advertisement: Advertisement

  /// - Parameters:
  ///   - pairing: our pairing with the accessory of the proxy.
  ///   - database: of that accessory.
  ///   - code: nil: the one that is kept, or a new one.
  ///   - folder: where the identity is kept.
  ///   - files: of the machine.
  package init(
    before pairing: ControllerPairing, _ database: AttributeDatabase, code: SetupCode?, folder: String,
    files: any StoreFiles = SystemFiles()
  ) throws {
    let own = database.text(of: CharacteristicDefinition.name.type) ?? pairing.alias
    name = Self.label(own) + " (proxy)"
    store = try StateFolder.open(path: folder, files: files).accessory(key: pairing.accessoryName, name: name)
    let stored = try store.identity { .draw(from: .system) }
    var setup = try store.setup { .make(code: code, id: nil, from: .system) }
    if let code, code != setup.code {
      setup = .make(code: code, id: setup.id, from: .system)
      try store.replaceSetup(setup)
    }
    self.setup = setup
    identity = AccessoryIdentity(
      deviceID: stored.deviceID, key: SigningKey(seed: stored.keySeed), verifier: setup.srpVerifier)
    pairings = try store.pairings()
    failedAttempts = try store.failedTries()
    let model = database.text(of: CharacteristicDefinition.model.type) ?? "Proxy"
    advertisement = Advertisement(
      model: Self.label(model), deviceID: stored.deviceID,
      configurationNumber: try Self.configurationNumber(of: database, store),
      category: database.category, isPaired: pairings.contains { $0.isAdmin }, setupID: setup.id)
  }

  /// The proxy's own configuration number for a database of the accessory. It rises, durably, when the structure changes.
  func configurationNumber(of database: AttributeDatabase) throws(StoreError) -> UInt16 {
    try Self.configurationNumber(of: database, store)
  }

  private static func configurationNumber(
    of database: AttributeDatabase, _ store: AccessoryStore
  ) throws(StoreError) -> UInt16 {
    try store.updateConfiguration(hash: SHA512.hash(Array(database.structure.utf8)))
  }

  package var payload: SetupPayload {
    SetupPayload(category: advertisement.category, code: setup.code, setupID: setup.id, supportsIP: true)
  }

  /// In mDNS: a host of its own.
  var hostName: String { "hapctl-" + identity.deviceID.text.lowercased().split(separator: ":").joined() }

  /// A name that DNS-SD allows: no control characters, and short enough for a suffix.
  private static func label(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      label.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    while label.utf8.count > 50 { label.removeLast() }
    return label.isEmpty ? "Accessory" : label
  }
}

extension AttributeDatabase {
  /// The first characteristic of a type, where it has a text: of Accessory Information, which comes first.
  fileprivate func text(of type: TypeID) -> String? {
    characteristics.first { $0.type == type }?.value.stringValue
  }

  /// `ci`, which an accessory says in DNS-SD alone: guessed by its main service.
  fileprivate var category: UInt8 {
    if accessoryEntries.count > 1 { return Catalogue.category(slug: "bridge")?.number ?? 1 }
    let ordered = services.filter(\.isPrimary) + services
    for service in ordered {
      guard let name = Catalogue.service(service.type)?.name else { continue }
      let slug = Self.otherNames[name] ?? name
      if let category = Catalogue.category(slug: slug)
        ?? (name.hasSuffix("Sensor") ? Catalogue.category(slug: "sensor") : nil)
      {
        return category.number
      }
    }
    return Catalogue.category(slug: "other")?.number ?? 1
  }

  /// Services whose category is called otherwise.
  private static let otherNames = [
    "Lock Mechanism": "door-lock", "Stateless Programmable Switch": "programmable-switch",
  ]
}
