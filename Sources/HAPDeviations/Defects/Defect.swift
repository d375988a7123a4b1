import HAPModel
import HAPProfile
import HAPWire

/// A deliberate error of an accessory that breaks one rule. See docs/reference/defects.md.
package struct Defect: Sendable {
  package let id: String
  /// The area of its cases.
  package let area: String
  /// The cases of haptest that fail because of it; empty: it is a defect of Matter.
  package let breaks: [String]
  /// The accessory's error, in one sentence.
  package let what: String
  /// Other cases that fail because of it, with the reason.
  package let drags: [(id: String, reason: String)]
  /// Why every case fails with it, if that can't be avoided; `nil`: at most five other cases fail.
  package let total: String?
  /// Why no run can show it; `nil`: a run shows it.
  package let unproven: String?
  /// Members of a claims file that its run needs.
  package let claims: JSONNode?
  /// The name of the shipped profile in which it shows.
  package let profile: String
  /// The options of a run that shows it.
  package let testOptions: [String]
  package let serveOptions: [String]
  /// The types of characteristics and services that the database needs for it to show.
  package let needs: [TypeID]

  let rules: [MessageRule]
  private let manners: [(field: QuirksField, setting: QuirksField.Setting)]
  package let records: [RecordChange]
  package let devices: [DeviceChange]
  package let restart: RestartChange?
  package let identity: IdentityChange?
  package let setup: SetupChange?
  package let random: RandomChange?
  let sealings: [SealingChange]
  /// A connection that sent nothing for this time is closed.
  package let idle: Duration?
  /// The error of the accessory as a Matter node. A defect of Matter has no other changes; nil: it concerns HAP.
  package private(set) var matter: MatterDefect?

  /// Creates a defect of Matter.
  init(id: String, area: String, what: String, _ matter: MatterDefect) {
    self.init(
      id: id, area: area, breaks: [], what: what, drags: [], total: nil, unproven: nil, claims: nil,
      profile: Self.profileOfMatter, testOptions: [], serveOptions: [], needs: [], rules: [], manners: [], records: [],
      devices: [], restart: nil, identity: nil, setup: nil, random: nil, sealings: [], idle: nil)
    self.matter = matter
  }

  private static let profileOfMatter = "light-colour"

  init(
    id: String, area: String, breaks: [String], what: String, drags: [(id: String, reason: String)], total: String?,
    unproven: String?, claims: JSONNode?, profile: String,
    testOptions: [String], serveOptions: [String], needs: [TypeID], rules: [MessageRule],
    manners: [(field: QuirksField, setting: QuirksField.Setting)], records: [RecordChange], devices: [DeviceChange],
    restart: RestartChange?, identity: IdentityChange?, setup: SetupChange?, random: RandomChange?,
    sealings: [SealingChange],
    idle: Duration?
  ) {
    self.id = id
    self.area = area
    self.breaks = breaks
    self.what = what
    self.drags = drags
    self.total = total
    self.unproven = unproven
    self.claims = claims
    self.profile = profile
    self.testOptions = testOptions
    self.serveOptions = serveOptions
    self.needs = needs
    self.rules = rules
    self.manners = manners
    self.records = records
    self.devices = devices
    self.restart = restart
    self.identity = identity
    self.setup = setup
    self.random = random
    self.sealings = sealings
    self.idle = idle
  }

  /// Returns the defect with other changes.
  func with(
    rules: [MessageRule], records: [RecordChange], devices: [DeviceChange], restart: RestartChange?,
    sealings: [SealingChange], idle: Duration?
  ) -> Defect {
    Defect(
      id: id, area: area, breaks: breaks, what: what, drags: drags, total: total, unproven: unproven, claims: claims,
      profile: profile, testOptions: testOptions, serveOptions: serveOptions, needs: needs, rules: rules,
      manners: manners, records: records, devices: devices, restart: restart, identity: identity, setup: setup,
      random: random,
      sealings: sealings, idle: idle)
  }

  /// Returns the quirks of an accessory that has this defect.
  package func quirks(over quirks: Quirks) -> Quirks {
    var quirks = quirks
    for (field, setting) in manners { _ = field.apply(setting, to: &quirks) }
    return quirks
  }

  /// How long the accessory identifies itself; nil: as usual.
  package var identifying: Duration? { devices.compactMap(\.lasts).last }

  /// Whether an accessory that stops withdraws its record.
  package var saysGoodbye: Bool { records.allSatisfy(\.saysGoodbye) }

  /// The intervals at which its rules must be run.
  package var beats: Set<Duration> {
    Set(rules.compactMap { if case .beat(let pause) = $0.condition.members.kind { pause } else { nil } })
  }

  /// Whether it changes messages or their frames.
  package var altersMessages: Bool { !rules.isEmpty || !sealings.isEmpty || random != nil || idle != nil }

  /// Whether it must be installed between the accessory and its connections or its device.
  package var isInstalled: Bool { altersMessages || !devices.isEmpty }

  /// The protocol that it concerns.
  package var servedProtocol: ServedProtocol { matter == nil ? .hap : .matter }

  /// Returns why it can't show in an accessory with this database; `nil`: it can.
  package func obstacle(in database: AttributeDatabase) -> String? {
    for type in needs {
      if database.characteristics.contains(where: { $0.type == type }) { continue }
      if database.services.contains(where: { $0.type == type }) { continue }
      let name =
        Catalogue.characteristic(type)?.name ?? Catalogue.service(type)?.name ?? "characteristic or service \(type)"
      return "the accessory has no \(name)"
    }
    return nil
  }
}
