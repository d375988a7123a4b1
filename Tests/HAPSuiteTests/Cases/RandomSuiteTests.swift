import HAPTestSupport
import HAPWire
import Testing

@testable import HAPSuite

@Suite("Random and damaged suites") struct RandomSuiteTests {
  /// Generates trees from the vocabulary, which pass many checks of the checker.
  private struct Maker {
    var random: SeededGenerator
    private static let words: [String] = {
      let verbs = Vocabulary.verbs.map(\.name)
      let members =
        Vocabulary.sendMembers.map(\.name) + Vocabulary.expectMembers.map(\.name)
        + Vocabulary.subjectMembers.map(\.name) + Vocabulary.bytesMembers.map(\.name)
        + Vocabulary.alterations.map(\.name)
      return verbs + members + Vocabulary.constraints.map(\.name) + Vocabulary.itemTypes.map(\.name) + [
        "area", "title", "cases", "expectations", "id", "name", "level", "steps", "needs", "find", "variants", "must",
        "section", "requirement", "paired", "LM-01", "${x}", "${", "$", "", "1s", "aa", "(", "hook", "wrong-codes",
        "0x7F",
        "item", "sizes", "é", "\u{0}",
      ]
    }()

    mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

    mutating func node(_ depth: Int) -> JSONNode {
      switch Int.random(in: 0..<(depth == 0 ? 5 : 9), using: &random) {
      case 0: return JSONNode(.null)
      case 1: return JSONNode(.bool(.random(using: &random)))
      case 2: return .integer([0, 1, -1, 255, Int.max, Int.min].randomElement(using: &random) ?? 0)
      case 3: return .number([0.5, -1e300, 1e-9].randomElement(using: &random) ?? 0)
      case 4: return .text(word())
      case 5, 6: return .list((0..<Int.random(in: 0...3, using: &random)).map { _ in node(depth - 1) })
      default:
        return .object((0..<Int.random(in: 0...4, using: &random)).map { _ in (word(), node(depth - 1)) })
      }
    }

    /// A case with valid top-level members.
    mutating func definition() -> JSONNode {
      var members: [(name: String, value: JSONNode)] = [
        ("id", .text("LM-01")), ("name", .text("a")), ("requirement", .text("r")), ("level", .text("must")),
        ("section", .text("s")),
      ]
      for name in ["needs", "find", "variants"] where Bool.random(using: &random) { members.append((name, node(3))) }
      let steps = (0..<3).map { _ -> JSONNode in
        let verb = Vocabulary.verbs.randomElement(using: &random)?.name ?? ""
        return .object([(verb, node(4))])
      }
      return .object(members + [("steps", .list(steps))])
    }
  }

  @Test("Random trees from the vocabulary never trap the reader, and accepted cases are complete") func trees() {
    for seed in UInt64(0)..<3000 {
      var maker = Maker(random: SeededGenerator(seed: seed))
      let any = maker.node(6)
      _ = SuiteReader.read(any, file: "random")
      let suite = JSONNode.object([
        ("area", .text("a")), ("title", .text("t")), ("expectations", maker.node(4)),
        ("cases", .list([maker.definition(), maker.definition(), maker.node(3)])),
      ])
      let (read, problems) = SuiteReader.read(suite, file: "random")
      #expect(read.cases.count < 2 || !problems.isEmpty, "seed \(seed): a duplicate id was accepted")
    }
  }

  @Test("Damaged texts never trap the library; it reports a problem, or accepts them") func texts() {
    var random = SeededGenerator(seed: 5)
    let whole = Array(
      (SuiteText.steps("send: { tlv: [[state, 1]], alter: [{ flip: proof }] }", "expect: { any: [refused] }")).utf8)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: at)
        default: bytes.insert(Array("{}[]:,-$\"\n &*!".utf8).randomElement(using: &random) ?? 0, at: at)
        }
      }
      var library = SuiteLibrary()
      library.add(bytes, file: "damaged")
      #expect(library.cases.count <= 1)
      #expect(!library.problems.isEmpty || library.cases.count == library.suites[0].cases.count)
    }
  }
}
