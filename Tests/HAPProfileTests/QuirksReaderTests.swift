import HAPModel
import Testing

@testable import HAPProfile

private func quirks(_ member: String) throws -> Quirks {
  let read = try profile(document(#""quirks": \#(member)"#))
  #expect(read.problems.isEmpty)
  return try #require(read.quirks)
}

private func setting(_ change: (inout Quirks) -> Void, over base: Quirks = Quirks()) -> Quirks {
  var quirks = base
  change(&quirks)
  return quirks
}

let quirksBreaches: [Breach] = [
  .init(.quirksKind, "quirks", document(#""quirks": 1"#), says: "not an integer"),
  .init(.quirksKind, "quirks", document(#""quirks": null"#)),
  .init(.quirksKind, "quirks.preset", document(#""quirks": { "preset": [] }"#), says: "not a list"),
  .init(.quirksUnknown, "quirks", document(#""quirks": "hap-nodjs""#), says: "did you mean \"hap-nodejs\"?"),
  .init(.quirksUnknown, "quirks", document(#""quirks": "zzz""#), says: "homekit-adk, hap-nodejs"),
  .init(.quirksUnknown, "quirks.preset", document(#""quirks": { "preset": "HomeSpan" }"#), says: "\"homespan\""),
  .init(
    .quirksUnknown, "quirks.maximumTrys", document(#""quirks": { "maximumTrys": 1 }"#),
    says: "did you mean \"maximumTries\"?"),
  .init(.quirksValue, "quirks.tellsBusy", document(#""quirks": { "tellsBusy": 1 }"#), says: "true or false"),
  .init(.quirksValue, "quirks.maximumTries", document(#""quirks": { "maximumTries": -1 }"#), says: "0...1000000"),
  .init(.quirksValue, "quirks.maximumTries", document(#""quirks": { "maximumTries": 1e30 }"#)),
  .init(.quirksValue, "quirks.maximumTries", document(#""quirks": { "maximumTries": 99999999999999999999 }"#)),
  .init(
    .quirksValue, "quirks.floatSnapFraction", document(#""quirks": { "floatSnapFraction": 0.6 }"#), says: "0.0...0.5"
  ),
  .init(.quirksValue, "quirks.chunked", document(#""quirks": { "chunked": "often" }"#), says: "\"never\""),
  .init(.quirksValue, "quirks.coalescing", document(#""quirks": { "coalescing": 250 }"#), says: "250ms"),
  .init(.quirksValue, "quirks.unverified", document(#""quirks": { "unverified": "470 -1" }"#), says: "470 -70411"),
  .init(.quirksValue, "quirks.unverified", document(#""quirks": { "unverified": "99" }"#)),
  .init(.quirksValue, "quirks.unknownRead", document(#""quirks": { "unknownRead": 0 }"#), says: "-70412"),
  .init(.quirksValue, "quirks.immediateEvents", document(#""quirks": { "immediateEvents": ["Buton"] }"#)),
  .init(.quirksValue, "quirks.immediateEvents", document(#""quirks": { "immediateEvents": [1] }"#)),
  .init(.quirksValue, "quirks.booleans", document(#""quirks": { "booleans": null }"#)),
]

@Suite("Quirks in profiles and files")
struct QuirksReaderTests {
  @Test("A preset is selected by its name", arguments: Quirks.presets.keys)
  func presets(name: String) throws {
    #expect(try quirks("\"\(name)\"") == Quirks.presets[name])
    #expect(try quirks(#"{ "preset": "\#(name)" }"#) == Quirks.presets[name])
  }

  @Test("Fields override the default, or a preset at any position in the object")
  func fields() throws {
    #expect(try quirks("{}") == Quirks())
    #expect(
      try quirks(#"{ "tellsBusy": false, "coalescing": "1s", "x-why": 1 }"#)
        == setting {
          $0.tellsBusy = false
          $0.coalescing = .seconds(1)
        })
    let base = try #require(Quirks.presets["hap-python"])
    #expect(
      try quirks(#"{ "maximumTries": 5, "preset": "hap-python" }"#) == setting({ $0.maximumTries = 5 }, over: base))
  }

  @Test("Each field can be written in the form in which it is shown", arguments: Quirks.presets.keys)
  func roundTrip(name: String) throws {
    let preset = try #require(Quirks.presets[name])
    let members = QuirksField.all.map { field in
      switch field.setting(of: preset) {
      case .boolean(let value): "\"\(field.name)\": \(value)"
      case .integer(let value): "\"\(field.name)\": \(value)"
      case .fraction(let value): "\"\(field.name)\": \(value)"
      case .text(let text): "\"\(field.name)\": \"\(text)\""
      case .list(let list): "\"\(field.name)\": \(list)"
      }
    }
    #expect(try quirks("{ \(members.joined(separator: ", ")) }") == preset)
  }

  @Test("A profile without quirks has none")
  func absent() throws { #expect(try profile(document()).quirks == nil) }

  @Test("All mistakes are reported at once, each with its place", arguments: quirksBreaches)
  func breaches(breach: Breach) throws {
    let problems = try profile(breach.json).problems
    let problem = try #require(problems.first { $0.rule == breach.rule.rawValue })
    #expect(problem.path == breach.path)
    #expect(problem.severity == .error)
    #expect(breach.says.isEmpty || problem.message.contains(breach.says))
  }

  @Test("Several mistakes are all reported")
  func several() throws {
    let read = try profile(document(#""quirks": { "preset": "x", "tellsBusy": 1, "y": 2 }"#))
    #expect(read.problems.map(\.path) == ["quirks.preset", "quirks.tellsBusy", "quirks.y"])
  }

  @Test("A file may contain only quirks")
  func file() throws {
    #expect(try Quirks(json: Array(#""homespan""#.utf8), fileName: "c.json") == Quirks.presets["homespan"])
    #expect(
      try Quirks(json: Array(#"{ "tellsBusy": false }"#.utf8), fileName: "c.json") == setting { $0.tellsBusy = false })
    let error = #expect(throws: ProfileErrors.self) {
      try Quirks(json: Array("{\n  \"tellsBusy\": 3\n}".utf8), fileName: "c.json")
    }
    #expect(error?.description == "c.json:2:16: error: tellsBusy: tellsBusy takes true or false [quirks-value]")
    #expect(throws: ProfileErrors.self) { try Quirks(json: Array("{".utf8), fileName: "c.json") }
  }
}
