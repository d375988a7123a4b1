import Foundation
import HAPLint
import HAPWire
import Testing

@Suite("Linting malformed text") struct BrokenTextTests {
  private static func codes(_ bytes: [UInt8]) -> [String] { DatabaseLint(bytes).findings().map(\.rule) }

  @Test("Malformed JSON is reported with its place, as the only finding")
  func malformed() throws {
    let findings = DatabaseLint([UInt8]("{\n \"accessories\" [".utf8)).findings()
    #expect(findings.map(\.rule) == ["json/malformed"])
    #expect(findings.first?.place == JSONPlace(line: 2, column: 16))
    #expect(Self.codes([]) == ["json/malformed"])
    #expect(Self.codes([UInt8]("null".utf8)) == ["shape/accessories-missing"])
    #expect(Self.codes([UInt8]("{\"accessories\":{}}".utf8)) == ["shape/kind"])
    #expect(Self.codes([UInt8]("{\"accessories\":[1]}".utf8)) == ["shape/kind"])
  }

  @Test("All errors of the text are reported, and the rest is linted")
  func several() {
    var text = Databases.house.replacing("\"value\":7}", with: "\"value\":7,}").replacing(
      "\"hello\"", with: "\"a\u{1}b\"")
    text = "\u{FEFF}" + text.replacing("\"SN0001\"", with: "\"S\"") + "\0"
    #expect(
      Set(Self.codes([UInt8](text.utf8)))
        == [
          "json/byte-order-mark", "json/trailing-comma", "json/control-character",
          "information-lengths/serial-too-short",
        ])
  }

  @Test("Places are kept if the JSON repair moved nothing, and left out otherwise")
  func places() {
    let comma = Databases.house.replacing("\"value\":7}", with: "\"value\":7,}").replacing("\"SN0001\"", with: "\"S\"")
    #expect(DatabaseLint([UInt8](comma.utf8)).findings().allSatisfy { $0.place != nil })
    let moved = Databases.house.replacing("\"hello\"", with: "\"a\u{1}b\"").replacing("\"SN0001\"", with: "\"S\"")
    let findings = DatabaseLint([UInt8](moved.utf8)).findings()
    #expect(findings.first { $0.caseID == "ADB-08" }?.place == nil)
    #expect(findings.first { $0.caseID == "ADB-02" }?.place != nil)
  }

  @Test("Trailing bytes, and bytes other than UTF-8, are reported")
  func bytes() {
    #expect(Self.codes([UInt8](Databases.house.utf8) + [UInt8]("}".utf8)) == ["json/trailing-bytes"])
    var bytes = [UInt8](Databases.house.utf8)
    let place = bytes.firstRange(of: [UInt8]("hello".utf8))?.lowerBound ?? 0
    bytes[place] = 0xFF
    #expect(Self.codes(bytes) == ["json/not-utf-8"])
  }

  @Test("Nesting is limited to 64 levels")
  func depth() {
    #expect(Self.codes([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == ["json/too-deep"])
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    #expect(Self.codes([UInt8](deep.utf8)) == ["json/too-deep"])
  }

  @Test("A text above the size limit is not linted")
  func tooLarge() {
    let list = [String](repeating: "{}", count: 300_001).joined(separator: ",")
    #expect(Self.codes([UInt8]("{\"accessories\":[\(list)]}".utf8)) == ["json/too-large"])
  }

  @Test("Thousands of findings are counted, and a thousand are reported")
  func many() {
    let characteristic = "{\"iid\":0,\"type\":\"x\",\"perms\":[\"rw\"],\"format\":\"date\",\"unit\":\"apples\"}"
    let list = [String](repeating: characteristic, count: 20_000).joined(separator: ",")
    let text = Databases.one("{\"iid\":10,\"type\":\"43\",\"characteristics\":[\(list)]}")
    let findings = DatabaseLint([UInt8](text.utf8)).findings()
    #expect(findings.count < DatabaseLint.mostFindings + 100)
    let remark = findings.last { $0.rule == "iids/not-an-id" }
    #expect(remark?.summary == "19900 more of this kind")
    #expect(remark?.severity == .must)
  }

  @Test("If findings are omitted, the most severe are kept")
  func worst() {
    let hyphened = (0..<3000).map { iid in
      "{\"iid\":\(iid + 100),\"type\":\"23\",\"perms\":[\"pr\"],\"format\":\"string\",\"value\":\"a-b\"}"
    }
    let text = Databases.one(
      "{\"iid\":10,\"type\":\"1D9E0002-63A1-4C9B-9B5A-0C34A1E0B001\",\"characteristics\":[\(hyphened.joined(separator: ","))]}",
      Databases.light.replacing("\"value\":50", with: "\"value\":500").replacing("\"iid\":10,", with: "\"iid\":99,"))
    let findings = DatabaseLint([UInt8](text.utf8)).findings()
    #expect(findings.contains { $0.rule == "value-range/outside" })
  }

  @Test("A long chain of links is followed without recursion")
  func longChain() {
    let services = (0..<20_000).map {
      "{\"iid\":\($0 + 100),\"type\":\"1D9E0002-63A1-4C9B-9B5A-0C34A1E0B001\",\"hidden\":true,\"linked\":[\($0 + 101)],\"characteristics\":[]}"
    }
    let text = Databases.database([
      Databases.accessory(1, [Databases.information(), Databases.version] + services)
    ])
    #expect(Set(Self.codes([UInt8](text.utf8))) == ["counts/services", "links/nowhere"])
  }

  @Test("A changed byte never traps, and the findings are reproducible", arguments: 0..<8)
  func mutations(_ seed: UInt64) {
    var random = Seeded(state: seed)
    let texts = [Databases.house, Databases.bridge, Databases.switches, Databases.heaterCooler, Databases.valve]
      .map { [UInt8]($0.utf8) }
    let words = [
      "null", "-1", "1e999", "18446744073709551616", "\"\"", "[]", "{}", "true", "\"linked\"", "\"25\"", "0.1",
    ]
    .map { [UInt8]($0.utf8) }
    for _ in 0..<150 {
      var bytes = texts.randomElement(using: &random) ?? []
      for _ in 0...Int.random(in: 0..<6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.remove(at: place)
        case 2:
          if let comma = bytes[place...].firstIndex(of: UInt8(ascii: ",")),
            let colon = bytes[..<comma].lastIndex(of: UInt8(ascii: ":"))
          {
            bytes.replaceSubrange((colon + 1)..<comma, with: words.randomElement(using: &random) ?? [])
          }
        case 3:
          if let end = bytes[place...].firstIndex(of: UInt8(ascii: "}")) { bytes.removeSubrange(place..<end) }
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
        }
      }
      let lint = DatabaseLint(bytes)
      let findings = lint.findings(facts: LintFacts(category: 5))
      #expect(lint.findings(facts: LintFacts(category: 5)) == findings)
      #expect((try? JSONNode.parse([UInt8](LintText.json(findings).utf8))) != nil)
      #expect(LintText.report(findings).hasSuffix("\n"))
      _ = DatabaseLint.structuralDifferences(between: [UInt8](Databases.house.utf8), and: bytes)
    }
  }
}

/// SplitMix64: the same sequence in each run.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
