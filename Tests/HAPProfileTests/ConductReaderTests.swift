import HAPModel
import Testing

@testable import HAPProfile

private func conduct(_ member: String) throws -> Conduct {
  let read = try profile(document(#""conduct": \#(member)"#))
  #expect(read.problems.isEmpty)
  return try #require(read.conduct)
}

private func setting(_ change: (inout Conduct) -> Void, over base: Conduct = Conduct()) -> Conduct {
  var conduct = base
  change(&conduct)
  return conduct
}

let conductBreaches: [Breach] = [
  .init(.conductKind, "conduct", document(#""conduct": 1"#), says: "not an integer"),
  .init(.conductKind, "conduct", document(#""conduct": null"#)),
  .init(.conductKind, "conduct.preset", document(#""conduct": { "preset": [] }"#), says: "not a list"),
  .init(.conductUnknown, "conduct", document(#""conduct": "hap-nodjs""#), says: "did you mean \"hap-nodejs\"?"),
  .init(.conductUnknown, "conduct", document(#""conduct": "zzz""#), says: "homekit-adk, hap-nodejs"),
  .init(.conductUnknown, "conduct.preset", document(#""conduct": { "preset": "HomeSpan" }"#), says: "\"homespan\""),
  .init(
    .conductUnknown, "conduct.maximumTrys", document(#""conduct": { "maximumTrys": 1 }"#),
    says: "did you mean \"maximumTries\"?"),
  .init(.conductValue, "conduct.tellsBusy", document(#""conduct": { "tellsBusy": 1 }"#), says: "true or false"),
  .init(.conductValue, "conduct.maximumTries", document(#""conduct": { "maximumTries": -1 }"#), says: "0...1000000"),
  .init(.conductValue, "conduct.maximumTries", document(#""conduct": { "maximumTries": 1e30 }"#)),
  .init(.conductValue, "conduct.maximumTries", document(#""conduct": { "maximumTries": 99999999999999999999 }"#)),
  .init(
    .conductValue, "conduct.floatSnapFraction", document(#""conduct": { "floatSnapFraction": 0.6 }"#), says: "0.0...0.5"
  ),
  .init(.conductValue, "conduct.chunked", document(#""conduct": { "chunked": "often" }"#), says: "\"never\""),
  .init(.conductValue, "conduct.coalescing", document(#""conduct": { "coalescing": 250 }"#), says: "250ms"),
  .init(.conductValue, "conduct.unverified", document(#""conduct": { "unverified": "470 -1" }"#), says: "470 -70411"),
  .init(.conductValue, "conduct.unverified", document(#""conduct": { "unverified": "99" }"#)),
  .init(.conductValue, "conduct.unknownRead", document(#""conduct": { "unknownRead": 0 }"#), says: "-70412"),
  .init(.conductValue, "conduct.immediateEvents", document(#""conduct": { "immediateEvents": ["Buton"] }"#)),
  .init(.conductValue, "conduct.immediateEvents", document(#""conduct": { "immediateEvents": [1] }"#)),
  .init(.conductValue, "conduct.booleans", document(#""conduct": { "booleans": null }"#)),
]

@Suite("Quirks in profiles and files")
struct ConductReaderTests {
  @Test("A preset is selected by its name", arguments: Conduct.presets.keys)
  func presets(name: String) throws {
    #expect(try conduct("\"\(name)\"") == Conduct.presets[name])
    #expect(try conduct(#"{ "preset": "\#(name)" }"#) == Conduct.presets[name])
  }

  @Test("Fields override the default, or a preset at any position in the object")
  func fields() throws {
    #expect(try conduct("{}") == Conduct())
    #expect(
      try conduct(#"{ "tellsBusy": false, "coalescing": "1s", "x-why": 1 }"#)
        == setting {
          $0.tellsBusy = false
          $0.coalescing = .seconds(1)
        })
    let base = try #require(Conduct.presets["hap-python"])
    #expect(
      try conduct(#"{ "maximumTries": 5, "preset": "hap-python" }"#) == setting({ $0.maximumTries = 5 }, over: base))
  }

  @Test("Each field can be written in the form in which it is shown", arguments: Conduct.presets.keys)
  func roundTrip(name: String) throws {
    let preset = try #require(Conduct.presets[name])
    let members = ConductField.all.map { field in
      switch field.setting(of: preset) {
      case .boolean(let value): "\"\(field.name)\": \(value)"
      case .integer(let value): "\"\(field.name)\": \(value)"
      case .fraction(let value): "\"\(field.name)\": \(value)"
      case .text(let text): "\"\(field.name)\": \"\(text)\""
      case .list(let list): "\"\(field.name)\": \(list)"
      }
    }
    #expect(try conduct("{ \(members.joined(separator: ", ")) }") == preset)
  }

  @Test("A profile without quirks has none")
  func absent() throws { #expect(try profile(document()).conduct == nil) }

  @Test("All mistakes are reported at once, each with its place", arguments: conductBreaches)
  func breaches(breach: Breach) throws {
    let problems = try profile(breach.json).problems
    let problem = try #require(problems.first { $0.rule == breach.rule.rawValue })
    #expect(problem.path == breach.path)
    #expect(problem.severity == .error)
    #expect(breach.says.isEmpty || problem.message.contains(breach.says))
  }

  @Test("Several mistakes are all reported")
  func several() throws {
    let read = try profile(document(#""conduct": { "preset": "x", "tellsBusy": 1, "y": 2 }"#))
    #expect(read.problems.map(\.path) == ["conduct.preset", "conduct.tellsBusy", "conduct.y"])
  }

  @Test("A file may contain only quirks")
  func file() throws {
    #expect(try Conduct(json: Array(#""homespan""#.utf8), fileName: "c.json") == Conduct.presets["homespan"])
    #expect(
      try Conduct(json: Array(#"{ "tellsBusy": false }"#.utf8), fileName: "c.json") == setting { $0.tellsBusy = false })
    let error = #expect(throws: ProfileErrors.self) {
      try Conduct(json: Array("{\n  \"tellsBusy\": 3\n}".utf8), fileName: "c.json")
    }
    #expect(error?.description == "c.json:2:16: error: tellsBusy: tellsBusy takes true or false [conduct-value]")
    #expect(throws: ProfileErrors.self) { try Conduct(json: Array("{".utf8), fileName: "c.json") }
  }
}
