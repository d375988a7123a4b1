import HAPAttributes
import HAPIP
import HAPModel
import HAPPairing
import Testing

@testable import HAPProfile

@Suite("Fields of the quirks")
struct ConductTests {
  private static let parts: [any Sendable] = [PairingQuirks(), IPQuirks(), AttributeQuirks(), ValueQuirks()]

  @Test("Each property of the quirks is a field with the same name, and names are unique")
  func complete() {
    let properties = Self.parts.flatMap { Mirror(reflecting: $0).children.compactMap(\.label) }.filter {
      $0 != "values"
    }
    #expect(ConductField.all.map(\.name).sorted() == properties.sorted())
    #expect(Set(properties).count == properties.count)
  }

  @Test(
    "A field accepts the form in which it is shown, and changes no other field",
    arguments: ConductField.all.map(\.name))
  func sets(name: String) throws {
    let field = try #require(ConductField.named(name))
    for preset in Conduct.presets.keys {
      let source = try #require(Conduct.presets[preset])
      var conduct = Conduct()
      #expect(field.apply(field.setting(of: source), to: &conduct))
      #expect(field.setting(of: conduct) == field.setting(of: source))
      for other in ConductField.all where other.name != name {
        #expect(other.setting(of: conduct) == other.setting(of: Conduct()), "\(name) changed \(other.name)")
      }
    }
  }

  @Test("A field refuses settings of another kind", arguments: ConductField.all.map(\.name))
  func refuses(name: String) throws {
    let field = try #require(ConductField.named(name))
    let wrong: [ConductField.Setting] = [.boolean(true), .integer(-1), .fraction(0.7), .text("?"), .list(["?"])]
    for setting in wrong {
      if case .boolean = field.kind, case .boolean = setting { continue }
      var conduct = Conduct()
      #expect(!field.apply(setting, to: &conduct), "\(name) took \(setting)")
      #expect(conduct == Conduct())
    }
  }

  @Test("Unknown fields and presets are refused")
  func unknown() {
    #expect(ConductField.named("tellsbusy") == nil)
    #expect(Conduct.presets["HomeSpan"] == nil && Conduct.presets[""] == nil)
    #expect(Set(Conduct.presets.keys).count == Conduct.presets.all.count)
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
