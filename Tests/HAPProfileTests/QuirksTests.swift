import HAPAttributes
import HAPIP
import HAPModel
import HAPPairing
import Testing

@testable import HAPProfile

@Suite("Fields of the quirks")
struct QuirksTests {
  private static let parts: [any Sendable] = [PairingQuirks(), IPQuirks(), AttributeQuirks(), ValueQuirks()]

  @Test("Each property of the quirks is a field with the same name, and names are unique")
  func complete() {
    let properties = Self.parts.flatMap { Mirror(reflecting: $0).children.compactMap(\.label) }.filter {
      $0 != "values"
    }
    #expect(QuirksField.all.map(\.name).sorted() == properties.sorted())
    #expect(Set(properties).count == properties.count)
  }

  @Test(
    "A field accepts the form in which it is shown, and changes no other field",
    arguments: QuirksField.all.map(\.name))
  func sets(name: String) throws {
    let field = try #require(QuirksField.named(name))
    for preset in Quirks.presets.keys {
      let source = try #require(Quirks.presets[preset])
      var quirks = Quirks()
      #expect(field.apply(field.setting(of: source), to: &quirks))
      #expect(field.setting(of: quirks) == field.setting(of: source))
      for other in QuirksField.all where other.name != name {
        #expect(other.setting(of: quirks) == other.setting(of: Quirks()), "\(name) changed \(other.name)")
      }
    }
  }

  @Test("A field refuses settings of another kind", arguments: QuirksField.all.map(\.name))
  func refuses(name: String) throws {
    let field = try #require(QuirksField.named(name))
    let wrong: [QuirksField.Setting] = [.boolean(true), .integer(-1), .fraction(0.7), .text("?"), .list(["?"])]
    for setting in wrong {
      if case .boolean = field.kind, case .boolean = setting { continue }
      var quirks = Quirks()
      #expect(!field.apply(setting, to: &quirks), "\(name) took \(setting)")
      #expect(quirks == Quirks())
    }
  }

  @Test("Unknown fields and presets are refused")
  func unknown() {
    #expect(QuirksField.named("tellsbusy") == nil)
    #expect(Quirks.presets["HomeSpan"] == nil && Quirks.presets[""] == nil)
    #expect(Set(Quirks.presets.keys).count == Quirks.presets.all.count)
  }

  @Test(
    "An answer has one text form",
    arguments: ["470 -70411", "404", "400 close", "470 -70401 close", "none", "none close"])
  func answers(text: String) { #expect(HTTPAnswer(text)?.text == text) }

  @Test(
    "Any other text is refused",
    arguments: [
      "", "99", "600", "0404", "404 ", " 404", "404 0", "404 -1", "404 close -70401", "404 close close", "abc",
      "none -70401",
      "none none",
    ])
  func malformedAnswers(text: String) { #expect(HTTPAnswer(text) == nil) }
}
