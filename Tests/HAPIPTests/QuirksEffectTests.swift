import HAPModel
import HAPProfile
import Testing

@Suite("Every field of the quirks has an effect")
struct QuirksEffectTests {
  /// Fields with an effect outside the cores, or one that depends on rare keys, and the suites that test them.
  private static let elsewhere = [
    "proofForms": "PairSetupServerTests", "configurationWrapsToZero": "AccessoryStoreTests",
    "modelIsName": "QuirksServingTests",
  ]

  /// Settings for fields whose nearest other value has no visible effect on the tour.
  private static let settings: [String: QuirksField.Setting] = [
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

  /// Quirks under which a field has a visible effect, if it has none under the default.
  private static func base(of field: String) -> Quirks {
    var quirks = Quirks()
    switch field {
    // Idle connections are evicted only when no slot is free.
    case "reclaimsAfter": quirks.maximumSessions = 4
    // The effect of clearing failed tries is visible only if a code is tried more often than allowed.
    case "clearsFailedTries": quirks.maximumTries = 3
    case "returnsUnknownResponses": quirks.refusesUnknownResponses = false
    // The other fields have a visible effect under the default.
    default: break
    }
    return quirks
  }

  private static let standard = QuirksTour.transcript(Quirks())

  @Test("Each setting changes the transcript of a visit", arguments: QuirksField.all.map(\.name))
  func differs(name: String) throws {
    let field = try #require(QuirksField.named(name))
    guard Self.elsewhere[name] == nil else { return }
    let base = Self.base(of: name)
    let seen = base == Quirks() ? Self.standard : QuirksTour.transcript(base)
    for setting in others(field) {
      var quirks = base
      #expect(field.apply(setting, to: &quirks))
      #expect(quirks != base)
      #expect(QuirksTour.transcript(quirks) != seen, "\(name) \(setting) has no visible effect")
    }
  }

  private func others(_ field: QuirksField) -> [QuirksField.Setting] {
    if let setting = Self.settings[field.name] { return [setting] }
    switch (field.kind, field.setting(of: Quirks())) {
    case (.boolean, .boolean(let value)): return [.boolean(!value)]
    case (.choice(let words), .text(let word)): return words.filter { $0 != word }.map { .text($0) }
    default:
      Issue.record("add another setting of \(field.name) to this test")
      return []
    }
  }

  @Test("Two visits under the same quirks have equal transcripts")
  func repeats() { #expect(QuirksTour.transcript(Quirks()) == Self.standard) }

  @Test("All presets have different transcripts, which also differ from the default's")
  func presets() {
    var visits = [Self.standard]
    for name in Quirks.presets.keys {
      let visit = QuirksTour.transcript(Quirks.presets[name] ?? Quirks())
      #expect(!visits.contains(visit), "\(name) looks like another")
      visits.append(visit)
    }
  }
}
