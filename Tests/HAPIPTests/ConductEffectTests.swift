import HAPModel
import HAPProfile
import Testing

@Suite("Every field of the conduct is consulted")
struct ConductEffectTests {
  /// Fields whose effect lies outside the cores, or needs keys that a visit seldom has; with the suite that tests them.
  private static let elsewhere = [
    "proofForms": "PairSetupServerTests", "configurationWrapsToZero": "AccessoryStoreTests",
    "modelIsName": "ConductServingTests",
  ]

  /// Where the default's neighbour would not show on the tour.
  private static let settings: [String: ConductField.Setting] = [
    "setupTakeover": .text("10s"), "maximumTries": .integer(1), "maximumPairings": .integer(5),
    "maximumSessions": .integer(4),
    "reclaimsAfter": .text("10s"), "deviceDeadline": .text("20s"), "coalescing": .text("2s"),
    "floatSnapFraction": .fraction(0.4),
    "immediateEvents": .list(["73"]), "unverified": .text("401 -70401"), "unknownAddress": .text("500"),
    "wrongMethod": .text("500"), "malformedBody": .text("500 -70403"), "malformedQuery": .text("500"),
    "emptyWrite": .text("204"),
    "emptyRead": .text("400"), "noResource": .text("none close"), "malformedPrepare": .text("200 -70410"),
    "malformedPrepareBody": .text("500 -70403"),
    "unknownRead": .integer(-70402), "unknownWrite": .integer(-70402), "refusedValue": .integer(-70402),
  ]

  /// Conducts under which a field shows that doesn't under the default.
  private static func base(of field: String) -> Conduct {
    var conduct = Conduct()
    switch field {
    // Idle connections give way only when there is no room.
    case "reclaimsAfter": conduct.maximumSessions = 4
    // A code that may be tried again after a failure has to be tried once more than allowed.
    case "clearsFailedTries": conduct.maximumTries = 3
    case "returnsUnknownResponses": conduct.refusesUnknownResponses = false
    // Held against a list by its own field first.
    default: break
    }
    return conduct
  }

  private static let standard = ConductTour.transcript(Conduct())

  @Test("A visit sees the difference of every setting", arguments: ConductField.all.map(\.name))
  func differs(name: String) throws {
    let field = try #require(ConductField.named(name))
    guard Self.elsewhere[name] == nil else { return }
    let base = Self.base(of: name)
    let seen = base == Conduct() ? Self.standard : ConductTour.transcript(base)
    for setting in others(field) {
      var conduct = base
      #expect(field.apply(setting, to: &conduct))
      #expect(conduct != base)
      #expect(ConductTour.transcript(conduct) != seen, "nothing shows that \(name) is \(setting)")
    }
  }

  private func others(_ field: ConductField) -> [ConductField.Setting] {
    if let setting = Self.settings[field.name] { return [setting] }
    switch (field.kind, field.setting(of: Conduct())) {
    case (.boolean, .boolean(let value)): return [.boolean(!value)]
    case (.choice(let words), .text(let word)): return words.filter { $0 != word }.map { .text($0) }
    default:
      Issue.record("no other setting of \(field.name) is known here")
      return []
    }
  }

  @Test("A visit is the same twice")
  func repeats() { #expect(ConductTour.transcript(Conduct()) == Self.standard) }

  @Test("No two presets look alike, and none like the default")
  func presets() {
    var visits = [Self.standard]
    for name in Conduct.presets.keys {
      let visit = ConductTour.transcript(Conduct.presets[name] ?? Conduct())
      #expect(!visits.contains(visit), "\(name) looks like another")
      visits.append(visit)
    }
  }
}
