import HAPModel
import HAPWire
import Testing

@testable import HAPProfile

/// Rules with separate tests. A profile that violates one of them also violates another rule, or violates it several
/// times, or is refused only when it is built.
let testedElsewhere: Set<ProfileRule> = [
  .quirksKind, .quirksUnknown, .quirksValue, .serviceName, .switchLabels, .identifyReadable, .idChanged,
]

/// Rules of docs/internals/protocol.md that are tested under their ids.
private let cited: [String: Set<ProfileRule>] = [
  "[DB.1] [DB.2]": [.aid], "[DB.3]": [.iid], "[DB.4]": [.informationTwice, .iidOfInformation],
  "[DB.5]": [.protocolVersion],
  "[DB.6]": [.accessoryCount], "[DB.7]": [.serviceCount], "[DB.8]": [.primaryCount],
  "[DB.9]": [.linkUnknown, .linkTwice],
  "[DB.10]": [.nameLength, .manufacturerLength, .modelLength, .serialLength], "[DB.11]": [.firmwareRevision],
  "[DB.12]": [.valueRange, .valueValid, .valueLength], "[DB.31]": [.valueNull], "[DB.32]": [.characteristicTwice],
  "[DB.33]": [.nameCharacters], "[DB.35]": [.formatChanged, .unitChanged], "[DB.36]": [.metadataWidened],
  "[DB.37]": [.permsWidened], "[DB.38]": [.characteristicUnlisted], "[DB.39]": [.characteristicCount],
  "[DB.40]": [.informationReadable, .serialTwice], "[DB.41]": [.metadataRange, .valueLength],
]

private let allBreaches = documentBreaches + characteristicBreaches + serviceBreaches + accessoryBreaches

private func breaches(of rules: Set<ProfileRule>) -> [Breach] { allBreaches.filter { rules.contains($0.rule) } }

struct RuleTests {
  @Test("A violated rule is the only reported problem, with its path and place", arguments: allBreaches)
  func breach(_ breach: Breach) throws { try check(breach) }

  @Test("Each rule of docs/internals/protocol.md that profiles can violate is reported", arguments: cited.keys.sorted())
  func protocolRules(_ ids: String) throws {
    let breaches = breaches(of: try #require(cited[ids]))
    #expect(!breaches.isEmpty)
    for breach in breaches { try check(breach) }
  }

  private func check(_ breach: Breach) throws {
    let found = problems(breach.json)
    #expect(found.map(\.rule) == [breach.rule.rawValue], "\(found)")
    let problem = try #require(found.first)
    #expect(problem.path == breach.path)
    #expect(problem.severity == breach.rule.severity)
    #expect(breach.says.isEmpty || problem.message.contains(breach.says), "\(problem.message)")
    guard breach.rule != .json else { return }
    let place = try place(of: breach.path, in: breach.json, isMember: breach.rule == .memberUnknown)
    #expect(JSONPlace(line: problem.line, column: problem.column) == place)
  }

  /// Looks up the place again, with the path alone.
  private func place(of path: String, in json: String, isMember: Bool) throws -> JSONPlace {
    var node = try JSONNode.parse(Array(json.utf8))
    var place = node.place
    for step in path.split(whereSeparator: { ".[]".contains($0) }) {
      if let index = Int(step) {
        node = try #require(node.elements?[index])
        place = node.place
      } else {
        let member = try #require(node.members?.first { $0.name == step })
        node = member.value
        place = isMember && path.hasSuffix(step) ? member.place : node.place
      }
    }
    return place
  }

  @Test("Each rule is violated by a test")
  func allRules() {
    #expect(Set(allBreaches.map(\.rule)).union(testedElsewhere) == Set(ProfileRule.allCases))
  }

  @Test("[DB.6] [DB.7] [DB.8] [DB.10] [DB.11] [DB.12] Values at the limits cause no problem")
  func withinLimits() {
    let long = String(repeating: "a", count: 64)
    for sound in [
      document(#""name": "\#(long)", "manufacturer": "\#(long)", "model": "\#(long)", "serialNumber": "\#(long)""#),
      document(#""name": "A", "manufacturer": "", "model": "M", "serialNumber": "12""#),
      document(#""firmwareRevision": "1""#), document(#""firmwareRevision": "4294967295.0.10""#),
      document(services: repeated(98) { #"{ "type": "Switch", "name": "S\#($0)" }"# }),
      bridge(lamp(#""name": "Lamp", "copies": 149"#)),
      bridge(""),
      document(services: #"{ "type": "Switch", "primary": true }, { "type": "Outlet" }"#),
      custom(#""value": 255"#, format: "uint8"), custom(#""value": -2147483648"#),
      custom(#""value": 18446744073709551615"#, format: "uint64"),
      custom(#""value": 2, "valid-values": [0, 2]"#), custom(#""value": 0.3, "minStep": 0.1"#, format: "float"),
      custom(#""value": "\#(long)""#, format: "string"), custom(#""maxLen": 256"#, format: "string"),
    ] {
      #expect(problems(sound) == [], "\(sound.prefix(300))")
    }
  }

  @Test("[DB.13] Services of one type without a name, or with equal names, are reported")
  func serviceNames() {
    func rules(_ services: String) -> [String] {
      problems(document(services: services)).map { "\($0.rule) \($0.path)" }
    }
    #expect(
      rules(#"{ "type": "Switch" }, { "type": "Switch" }"#) == ["service-name services[0]", "service-name services[1]"])
    #expect(
      rules(#"{ "type": "Switch", "name": "A" }, { "type": "Switch", "name": "A" }"#) == ["service-name services[1]"])
    #expect(rules(#"{ "type": "Switch", "name": "A" }, { "type": "Switch", "name": "B" }"#) == [])
    #expect(rules(#"{ "type": "Switch", "name": "A" }, { "type": "Switch", "hidden": true }"#) == [])
  }

  @Test("[DB.34] [SV-30] Several stateless switches need a Service Label and indexes")
  func switchLabels() {
    let loose =
      #"{ "type": "StatelessProgrammableSwitch", "name": "A" }, { "type": "StatelessProgrammableSwitch", "name": "B" }"#
    #expect(problems(document(services: loose)).map(\.rule) == ["switch-labels", "switch-labels", "switch-labels"])
    let labelled = repeated(2) {
      #"{ "type": "89", "id": "b\#($0)", "characteristics": [ { "type": "ServiceLabelIndex", "value": \#($0 + 1) } ] }"#
    }
    #expect(problems(document(services: labelled + #", { "type": "ServiceLabel", "linked": ["b0", "b1"] }"#)) == [])
  }

  @Test("[DB.30] Identify with a readable value is reported")
  func identifyReadable() {
    let json = document(
      characteristics: #"{ "type": "Identify", "perms": ["pr", "pw"] }"#, type: "AccessoryInformation")
    #expect(problems(json).map(\.rule) == ["perms-widened", "identify-readable"])
  }

  @Test("All problems are reported at once, in the order of the document")
  func allAtOnce() {
    let json = """
      {
        "format": "hasaccessory/1",
        "nmae": "x",
        "name": "Thing\\u0007",
        "category": "lamp",
        "services": [
          { "type": "LightBulb", "characteristics": [
            { "type": "Brightness", "value": 900 },
            { "type": "Hue", "value": "red" }
          ], "linked": ["nothing"] },
          { "type": "Lightbulp" }
        ]
      }
      """
    let found = problems(json)
    #expect(
      found.map(\.rule) == [
        "member-unknown", "name-control", "category-unknown", "value-range", "value-kind", "link-unknown",
        "type-unknown",
      ])
    #expect(found.map(\.line) == [3, 4, 5, 8, 9, 10, 11])
    #expect(
      found[3].description
        == "8:40: error: services[0].characteristics[0].value: 900 is above maxValue 100 [value-range]")
    #expect(throws: ProfileErrors.self) {
      var ids = IDMap()
      _ = try profile(json).build(ids: &ids, deviceID: testDeviceID)
    }
  }

  @Test("In an entry with an unknown type, other mistakes are reported, too")
  func unknownTypes() {
    let json = """
      {
        "format": "hasaccessory/1",
        "name": "Thing",
        "services": [
          { "type": "Lightbulp", "id": "lamp", "primary": 1, "behaviour": {}, "characteristics": [
            { "type": "Brigthness", "format": "int", "perms": ["read"], "maxValue": 10,
              "value": 11 },
            { "type": "fade-rate", "unit": "hours",
              "iid": 0 }
          ] },
          { "type": "Switch", "linked": ["lamp"] }
        ]
      }
      """
    let found = problems(json)
    #expect(
      found.map(\.rule) == [
        "type-unknown", "member-kind", "type-unknown", "perms", "value-range", "type-unknown", "word-unknown",
        "member-range",
      ], "\(found)")
    #expect(found.map(\.line) == [5, 5, 6, 6, 7, 8, 8, 9])
  }

  @Test("A profile with warnings can be served")
  func warningsServe() throws {
    let widened = try profile(
      document(characteristics: #"{ "type": "TargetTemperature", "minValue": 5, "value": 7 }"#, type: "Thermostat"))
    #expect(widened.isServable && widened.problems.count == 1)
    var ids = IDMap()
    #expect(throws: Never.self) { try widened.build(ids: &ids, deviceID: testDeviceID) }
  }

  @Test("Members starting with x- are kept and ignored everywhere")
  func extensions() {
    let json = document(
      #""x-note": { "a": [1] }"#,
      services: #"{ "type": "Switch", "x-note": 1, "characteristics": [ { "type": "On", "x-note": null } ] }"#)
    #expect(problems(json) == [])
  }

  @Test("A profile with any byte changed is read or refused, and never traps")
  func anyByte() {
    let original = Array(
      bridge(
        lamp(#""name": "A", "copies": 3, "aid": 5"#),
        members: #""deviceID": "AA:BB:CC:DD:EE:FF", "setupCode": "031-45-154""#
      ).utf8)
    for position in original.indices {
      // A fifth of all byte values per position; the next position gets another fifth.
      for byte in stride(from: UInt8(9 + position % 5), to: 128, by: 5) {
        var bytes = original
        bytes[position] = byte
        guard let profile = try? AccessoryProfile(json: bytes, fileName: "x"), profile.isServable else { continue }
        var ids = IDMap()
        #expect(throws: Never.self) { try profile.build(ids: &ids, deviceID: testDeviceID) }
      }
    }
  }
}
