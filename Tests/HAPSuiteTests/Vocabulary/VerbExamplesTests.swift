import HAPWire
import Testing

@testable import HAPSuite

@Suite("Each verb") struct VerbExamplesTests {
  /// By verb: its valid and its invalid contents.
  private static let examples: [String: (right: [String], wrong: [String])] = [
    "connect": (["main", "{ on: b, within: 2s, save: how }"], ["{ of: b }", "[main]", "{ within: soon }"]),
    "close": (["main", "{ on: b, how: reset }"], ["{ how: gently }", "[]"]),
    "secure": (["{ on: b, with: transient }"], ["main", "{ on: b }"]),
    "reading": (["{ paused: true }"], ["main", "{ on: b }", "{ paused: perhaps }"]),
    "settle": (["true", "main"], ["{ on: b }"]),
    "send": (
      ["{ path: / }", "{ read: 1.9, on: b }", "{ pairings: list }"], ["/", "{ pairings: change }", "{ rest: 5 }"]
    ),
    "expect": (["refused", "{ status: 200 }"], ["unknown", "{}", "[refused]"]),
    "event": (["{ entries: [{ id: 1.9 }] }"], ["{}", "main", "{ entries: 5 }"]),
    "make": (["{ a: { random: 4 } }"], ["{ a: xx }", "[a]"]),
    "events": (
      ["{ save: { seen: values } }", "{ on: b, id: 1.9, least: 2, within: 3s, for: 1s, save: { all: events } }"],
      ["{ least: 2 }", "main", "{ least: -1, save: { seen: values } }", "{ save: seen }"]
    ),
    "silence": (["{ for: 1s, of: everything }"], ["{ of: events }", "1s", "{ for: ever }"]),
    "forget": (["main", "{ on: b }"], ["{ of: b }"]),
    "pair": (["main", "{ as: guest }"], ["{ who: guest }"]),
    "verify": (["main", "{ on: b, as: guest }"], ["{ on: [b] }"]),
    "controller": (
      ["{ name: guest, paired: false, id: \"aa\" }"], ["guest", "{ permissions: user }", "{ name: a, id: xx }"]
    ),
    "unpair": (["true", "guest"], ["{ name: guest }"]),
    "let": (["{ a: 1, b: [2] }"], ["a", "[a]"]),
    "collect": (["{ times: 1 }"], ["times", "[times]"]),
    "check": (["{ that: 1, is: 1 }", "[{ that: 1, is: 1 }]"], ["{ that: 1 }", "[{ is: 1 }]", "true"]),
    "find": (["{ on: { type: On } }"], ["On", "{ on: { type: Onn } }"]),
    "database": (["true", "{ save: db, bytes: raw }"], ["{ store: db }", "5"]),
    "lint": (["{ rules: [a] }"], ["[a]", "{ of: \"aa\" }"]),
    "compare": (["{ old: a, new: b, what: structure }"], ["{ old: a, new: b }", "{ old: a, new: b, what: all }"]),
    "record": (["words"], ["{ a: b }"]), "deviation": (["HAP-python"], ["[HAP-python]"]), "fail": (["why"], ["~"]),
    "skip": (["why"], ["{ why: so }"]), "mark": (["start"], ["[start]"]),
    "repeat": (["{ times: 2, steps: [] }"], ["{ times: 2 }", "{ steps: [] }", "2"]),
    "each": (["{ in: [1], as: x, steps: [] }"], ["{ in: [1], steps: [] }", "[1]"]),
    "if": (["{ that: 1, then: [], else: [] }"], ["{ is: 1, then: [] }", "true", "{ that: 1, then: 2 }"]),
    "together": (["[[], [{ wait: 1s }]]"], ["{ steps: [] }", "[{ wait: 1s }]"]),
    "wait": (["1.5s"], ["{ for: 1s }", "1", "1sec"]),
    "try": (["{ steps: [], save: how }"], ["[]", "{ save: how }"]),
    "finally": (["[{ wait: 1s }]", "[]"], ["{ steps: [] }", "true", "[{ hook: reboot }]"]),
    "do": (["again", "{ routine: again, with: { x: 1 } }"], ["{ with: { x: 1 } }", "[again]", "unheard-of"]),
    "hook": (["{ name: reboot }"], ["reboot", "{ name: rebot }", "{ value: 1 }", "{ name: press, kind: triple }"]),
    "reachable": (["true", "{ within: 30s }"], ["{ in: 30s }"]), "alive": (["true"], ["{}", "main"]),
    "mdns": (["{ listen: goodbye, within: 2s }"], ["goodbye", "{ listen: everything }", "{ query: PTR }"]),
    "txt": (["{ sf: 1 }"], ["sf", "{ sf: { $mim: 1 } }"]), "claims": (["true"], ["{}", "[a]"]),
  ]

  @Test("Each verb of the vocabulary has examples here, valid and invalid, and no other name has") func complete() {
    #expect(Self.examples.keys.sorted() == Vocabulary.verbs.map(\.name).sorted())
    for (verb, examples) in Self.examples { #expect(!examples.right.isEmpty && !examples.wrong.isEmpty, "\(verb)") }
  }

  @Test("Valid contents are accepted, invalid ones refused", arguments: Vocabulary.verbs.map(\.name)) func hold(
    _ verb: String
  )
    throws
  {
    let examples = try #require(Self.examples[verb])
    for text in examples.right {
      let problems = try SuiteText.problems(
        SuiteText.steps("\(verb): \(text)") + "routines: { again: [{ wait: 1s }] }\n")
      #expect(problems.isEmpty, "\(verb): \(text): \(problems)")
    }
    for text in examples.wrong {
      let problems = try SuiteText.problems(
        SuiteText.steps("\(verb): \(text)") + "routines: { again: [{ wait: 1s }] }\n")
      #expect(!problems.isEmpty, "\(verb): \(text) is accepted")
      #expect(
        problems.allSatisfy { $0.place.line == 12 && $0.path.hasPrefix("cases[0].steps[0].\(verb)") }, "\(problems)")
    }
  }

  @Test("The vocabulary describes each step and each alteration once, in the order of its names") func described() {
    #expect(Vocabulary.verbs.map(\.step) == StepName.allCases)
    #expect(Vocabulary.alterations.map(\.name) == AlterationName.allCases.map(\.rawValue))
  }

  @Test("No verb, constraint, item or error has two meanings") func distinct() {
    for names in [
      Vocabulary.verbs.map(\.name), Vocabulary.constraints.map(\.name), Vocabulary.itemTypes.map(\.name),
      Vocabulary.errorNames.map(\.name), Vocabulary.hookNames, Vocabulary.alterations.map(\.name),
      Vocabulary.bytesMembers.map(\.name), Vocabulary.subjectMembers.map(\.name), Vocabulary.sendMembers.map(\.name),
      Vocabulary.expectMembers.map(\.name),
    ] {
      #expect(Set(names).count == names.count, "\(names)")
    }
    #expect(Set(Vocabulary.itemTypes.map(\.type)).count == Vocabulary.itemTypes.count)
    #expect(Set(Vocabulary.errorNames.map(\.value)).count == Vocabulary.errorNames.count)
  }
}
