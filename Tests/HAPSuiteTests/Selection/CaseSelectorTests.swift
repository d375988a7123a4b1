import HAPTestSupport
import Testing

@testable import HAPSuite

@Suite("Selecting cases") struct CaseSelectorTests {
  private static let cases = [
    SelectableCase(
      id: "PS-01", name: "m1-answer", area: "pair-setup", section: "HAP R2 §5.6.1–5.6.2", level: "must",
      tags: ["unpaired"]),
    SelectableCase(
      id: "PS-29", name: "m1-while-paired", area: "pair-setup", section: "HAP R2 §5.6.2", level: "must", tags: ["long"]),
    SelectableCase(
      id: "PV-02", name: "m1-twice", area: "pair-verify", section: "HAP R2 §5.7, 9.3", level: "should", tags: []),
    SelectableCase(
      id: "SV-60", name: "lock", area: "services", section: "HAP R2 §5.60", level: "info", tags: ["long", "Hook"]),
  ]

  private func select(_ text: String) throws(CaseSelector.Problem) -> [String] {
    try CaseSelector(text).select(from: Self.cases).map(\.id)
  }

  @Test(
    "An expression selects cases, in their order",
    arguments: [
      ("PS-29", ["PS-29"]), ("ps-29", ["PS-29"]), ("PS-*", ["PS-01", "PS-29"]),
      ("*", ["PS-01", "PS-29", "PV-02", "SV-60"]),
      ("m1-while-paired", ["PS-29"]), ("m1-*", ["PS-01", "PS-29", "PV-02"]), ("pair-setup", ["PS-01", "PS-29"]),
      ("pair-*", ["PS-01", "PS-29", "PV-02"]), ("must", ["PS-01", "PS-29"]), ("info", ["SV-60"]),
      ("§5.6", ["PS-01", "PS-29"]),
      ("§5.6.", ["PS-01", "PS-29"]), ("§5.6.1", ["PS-01"]), ("§5.60", ["SV-60"]),
      ("§5", ["PS-01", "PS-29", "PV-02", "SV-60"]), ("§9.3", ["PV-02"]),
      ("§5.*", ["PS-01", "PS-29", "PV-02", "SV-60"]), ("tag:long", ["PS-29", "SV-60"]), ("tag:hook", ["SV-60"]),
      ("TAG:lo*", ["PS-29", "SV-60"]),
      ("SV-60,PS-01", ["PS-01", "SV-60"]), ("SV-60 PS-01", ["PS-01", "SV-60"]),
      (" SV-60 ,, PS-01\n", ["PS-01", "SV-60"]),
      ("must&tag:long", ["PS-29"]), ("must & tag:long", ["PS-29"]), ("must &tag:long, lock", ["PS-29", "SV-60"]),
      ("!must", ["PV-02", "SV-60"]),
      ("! must", ["PV-02", "SV-60"]), ("!!lock", ["SV-60"]), ("PS-*&!tag:long", ["PS-01"]),
      ("m1-*&!PS-*&should", ["PV-02"]),
      ("!§5.6 must", ["PS-01", "PS-29", "PV-02", "SV-60"]),
    ]) func selection(_ text: String, _ ids: [String]) throws
  {
    #expect(try select(text) == ids)
  }

  @Test(
    "An expression that selects nothing is reported with a suggestion",
    arguments: [
      ("PS-28", "no case is named \"PS-28\": did you mean PS-29?"),
      ("PS-29, pair-setpu", "\"pair-setpu\": did you mean pair-setup?"),
      ("mst", "did you mean must?"), ("QQ-*", "no case is named \"QQ-*\""),
      ("nothing-like-it", "there are the areas pair-setup, pair-verify, services"),
      ("§5.8", "no case is about §5.8: did you mean §5.7"), ("§", "no case is about §"),
      ("§5.6.20", "no case is about §5.6.20"),
      ("tag:logn", "no case has \"tag:logn\": did you mean tag:long?"),
      ("tag:another", "there are tag:Hook, tag:long, tag:unpaired"),
      ("!PS-28", "\"PS-28\""), ("PS-01&PS-29", "no case matches \"PS-01&PS-29\""),
      ("lock, must&!PS-*", "no case matches \"must&!PS-*\""),
      ("", "\"\" selects no case"), (" , ,", "selects no case"), ("a&", "a term is missing in \"a&\""),
      ("&a", "a term is missing"), ("!", "a term is missing"),
      ("a&&b", "a term is missing"), ("PS-01, !", "a term is missing"),
    ]) func nothing(_ text: String, _ words: String)
  {
    let problem = #expect(throws: CaseSelector.Problem.self) { try select(text) }
    #expect(problem?.message.contains(words) == true, "\(problem!.message)")
  }

  @Test("Without cases, nothing is selected, which is reported") func noCases() throws {
    let selector = try CaseSelector("must")
    #expect(throws: CaseSelector.Problem.self) { try selector.select(from: []) }
    #expect(!selector.matches(Self.cases[2]) && selector.matches(Self.cases[0]))
  }

  @Test("\"not this or not that\" selects all, \"this and not this\" none", arguments: 0..<200 as Range<UInt64>)
  func algebra(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = ["PS-01", "PS-*", "m1-*", "must", "should", "tag:long", "§5.6", "§5.7", "lock", "pair-setup"]
    let (a, b) = (words.randomElement(using: &random)!, words.randomElement(using: &random)!)
    func ids(_ text: String) throws -> Set<String> {
      let selector = try CaseSelector(text)
      return Set(Self.cases.filter(selector.matches).map(\.id))
    }
    #expect(try ids("\(a), \(b)") == ids(a).union(ids(b)))
    #expect(try ids("\(a)&\(b)") == ids(a).intersection(ids(b)))
    #expect(try ids("!\(a)") == Set(Self.cases.map(\.id)).subtracting(ids(a)))
    #expect(try ids("\(a)&!\(a)").isEmpty)
  }
}
