import HAPController
import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPStore
import HAPTransport

/// The identity of a proxy as an accessory. It is stored in a separate folder, so that the proxy of one accessory has
/// the same identity in each run.
///
/// The initializer reads and writes the folder and computes a verifier, so it blocks.
package struct ProxyIdentity: Sendable {
  package let name: String
  package let store: AccessoryStore
  package let identity: AccessoryIdentity
  package let setup: StoredSetup
  let pairings: [Pairing]
  let failedAttempts: Int
  package let advertisement: Advertisement

  /// - Parameters:
  ///   - pairing: hapctl's pairing with the accessory.
  ///   - database: the database of that accessory.
  ///   - code: the setup code; nil: the stored one, or a new one.
  ///   - folder: the folder of the identity.
  ///   - files: the file system.
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

  /// Returns the proxy's own configuration number for a database of the accessory. It increases, and is stored, when
  /// the structure changes.
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

  /// The mDNS host name, which only this proxy has.
  var hostName: String { "hapctl-" + identity.deviceID.text.lowercased().split(separator: ":").joined() }

  /// Returns a name that DNS-SD allows: without control characters, and short enough for a suffix.
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
  /// Returns the text of the first characteristic of a type that has one. Accessory Information comes first.
  fileprivate func text(of type: TypeID) -> String? {
    characteristics.first { $0.type == type }?.value.stringValue
  }

  /// The category, `ci`, derived from the main service, because an accessory reports it only in DNS-SD.
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

  /// The services whose category has a different name.
  private static let otherNames = [
    "Lock Mechanism": "door-lock", "Stateless Programmable Switch": "programmable-switch",
  ]
}
