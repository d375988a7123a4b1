import Foundation
import HAPLint
import HAPModel
import HAPWire
import Testing

@Suite("Linting a database") struct DatabaseLintTests {
  private static func codes(_ text: String, _ facts: LintFacts = LintFacts()) -> [String] {
    DatabaseLint([UInt8](text.utf8)).findings(facts: facts).map(\.rule).sorted()
  }

  @Test(
    "A valid database has no findings",
    arguments: [
      Databases.house, Databases.bridge, Databases.switches, Databases.oneSwitch, Databases.heaterCooler,
      Databases.humidifier, Databases.valve, Databases.one(), Databases.one(Databases.ceiling),
      Databases.one(Databases.outlet), Databases.one(Databases.empty), Databases.one(Databases.hidden),
    ])
  func right(_ text: String) {
    #expect(Self.codes(text, LintFacts(isReadOverIP: true)) == [])
  }

  @Test("A single change causes exactly its finding", arguments: Change.all)
  func changed(_ change: Change) {
    if !change.from.isEmpty { #expect(change.database.contains(change.from), "there is no such place") }
    #expect(Self.codes(change.changed, change.facts) == change.found)
  }

  @Test("Numbers at the limits don't trap")
  func ends() {
    let least = "-170141183460469231731687303715884105728"
    let text = Databases.house.replacing(
      "\"value\":50,\"unit\":\"percentage\",\"minValue\":0,\"maxValue\":100,",
      with: "\"value\":50,\"minValue\":\(least),\"maxValue\":100,")
    #expect(text.contains(least))
    #expect(!Self.codes(text).contains("value-step/off-grid"))
  }

  @Test(
    "A number is on a step, off it, or too far from the minimum to decide",
    arguments: [
      (#""format":"float","value":16.1,"minValue":0,"minStep":1"#, false),
      (#""format":"float","value":16.10001,"minValue":0,"minStep":1"#, true),
      (#""format":"int","value":20,"minValue":-10,"minStep":10"#, false),
      (#""format":"int","value":21,"minValue":-10,"minStep":10"#, true),
      (#""format":"int","value":21,"minValue":-10.0,"minStep":10"#, true),
      (#""format":"int","value":20,"minValue":-1e22,"minStep":10"#, false),
      (#""format":"int","value":7,"minValue":-1e400,"minStep":5"#, false),
    ])
  func steps(_ members: String, isOff: Bool) {
    let service = """
      {"iid":20,"type":"1D9E0001-63A1-4C9B-9B5A-0C34A1E0B001","characteristics":[
      {"iid":21,"type":"1D9E0011-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr"],\(members)}]}
      """
    #expect(Self.codes(Databases.one(service)).contains("value-step/off-grid") == isOff)
  }

  @Test("Each rule is violated by a change, or has a separate test")
  func everyRule() {
    let elsewhere: Set<String> = ["counts", "accessory-count", "switch-service"]
    let broken = Set(Change.all.flatMap(\.found).map { String($0.prefix { $0 != "/" }) })
    #expect(Set(DatabaseLint.rules.map(\.name)).subtracting(broken) == elsewhere)
  }

  @Test("The rules are exactly those of the case catalogue")
  func rules() {
    let ids = DatabaseLint.rules.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Set(DatabaseLint.rules.map(\.name)).count == ids.count)
    let rows = (1...40).map { "ADB-" + ($0 < 10 ? "0" : "") + "\($0)" } + ["ADB-45", "SV-30", "DISC-20", "DISC-21"]
    #expect(Set(ids) == Set(rows))
    #expect(DatabaseLint.rule("ADB-08")?.name == "information-lengths")
    #expect(DatabaseLint.rule("information-lengths")?.id == "ADB-08")
    #expect(DatabaseLint.rule("ADB-41") == nil)
  }

  @Test("Each finding has its rule's number and a place", arguments: Change.all)
  func complete(_ change: Change) throws {
    for finding in DatabaseLint([UInt8](change.changed.utf8)).findings(facts: change.facts) {
      let rule = try #require(DatabaseLint.rule(String(finding.rule.prefix { $0 != "/" })))
      #expect(rule.id == finding.caseID)
      #expect(!finding.summary.isEmpty)
      #expect(finding.ios == .unknown || finding.source != nil, "a finding about iOS needs a source")
      if rule.level == .info { #expect(finding.severity == .info) }
      if rule.level == .should { #expect(finding.severity != .must) }
    }
  }

  @Test("Rules are selected by case or by name")
  func chosen() {
    let text = Databases.house.replacing("\"SN0001\"", with: "\"S\"").replacing("\"value\":50", with: "\"value\":500")
    let lint = DatabaseLint([UInt8](text.utf8))
    #expect(lint.findings().map(\.caseID) == ["ADB-08", "ADB-20"])
    #expect(lint.findings(rules: ["ADB-20"]).map(\.rule) == ["value-range/outside"])
    #expect(lint.findings(rules: ["information-lengths"]).map(\.caseID) == ["ADB-08"])
    #expect(lint.findings(rules: ["ADB-99"]).isEmpty)
  }

  @Test("SV-30 is a SHOULD version of ADB-38, only on request")
  func switchService() {
    let text = Databases.switches.replacing("\"linked\":[40,44]", with: "\"linked\":[40]")
    let lint = DatabaseLint([UInt8](text.utf8))
    #expect(lint.findings(rules: ["SV-30"]).map(\.rule) == ["switch-service/not-linked"])
    #expect(lint.findings(rules: ["SV-30"]).map(\.severity) == [.should])
    #expect(lint.findings(rules: ["ADB-38"]).map(\.severity) == [.must])
  }

  @Test("Links from the switches to the label are valid, too")
  func linkedFromSwitches() {
    let text = Databases.switches.replacing("\"linked\":[40,44],", with: "")
      .replacing("\"type\":\"89\",", with: "\"type\":\"89\",\"linked\":[50],")
    #expect(Self.codes(text) == [])
  }

  @Test("More than 150 accessories are a finding, 150 are not")
  func accessoryCount() {
    func bridge(_ count: Int) -> String {
      Databases.database(
        (1...count).map {
          Databases.accessory($0, [Databases.information(serial: "SN\($0)")] + ($0 == 1 ? [Databases.version] : []))
        })
    }
    #expect(Self.codes(bridge(150)) == [])
    #expect(Self.codes(bridge(151)) == ["accessory-count/too-many"])
  }

  @Test("More than 100 services or characteristics are a finding, 100 are not")
  func counts() {
    func characteristic(_ iid: Int) -> String {
      let type = "1D9E0000-63A1-4C9B-9B5A-" + String(format: "%012X", iid)
      return "{\"iid\":\(iid),\"type\":\"\(type)\",\"perms\":[\"pr\"],\"format\":\"bool\",\"value\":0}"
    }
    func service(_ iid: Int, _ count: Int) -> String {
      let list = (0..<count).map { characteristic(iid + 1 + $0) }.joined(separator: ",")
      return "{\"iid\":\(iid),\"type\":\"1D9E0001-63A1-4C9B-9B5A-0C34A1E0B001\",\"characteristics\":[\(list)]}"
    }
    func database(_ services: Int, _ characteristics: Int) -> String {
      let list = (0..<services).map { service(1000 + 1000 * $0, characteristics) }
      return Databases.database([Databases.accessory(1, [Databases.information(), Databases.version] + list)])
    }
    #expect(Self.codes(database(98, 100)) == [])
    #expect(Self.codes(database(99, 1)) == ["counts/services"])
    #expect(Self.codes(database(1, 101)) == ["counts/characteristics"])
  }

  @Test("An equivalent spelling is no finding")
  func otherSpellings() {
    let house = Databases.house
    for (from, to) in [
      ("\"value\":true", "\"value\":1"), ("\"value\":120", "\"value\":120.0"), ("[0,4]", "[[0,4]]"),
      ("[0,4]", "[[0,1],[2,4]]"), ("\"value\":20.5", "\"value\":20.499998"), ("\"value\":20.5", "\"value\":40"),
      ("\"Hall Lamp\"", "\"Küche d'été 2\""), ("\"1.0.0\"", "\"4294967295\""), ("\"AQEA\"", "\"\""),
      ("\"format\":\"tlv8\",\"value\":\"\"", "\"format\":\"tlv8\""), ("\"primary\":true", "\"primary\":false"),
      ("1D9E0012-63A1", "1d9e0012-63a1"), ("[\"pr\",\"hd\"]", "[\"hd\",\"pr\"]"),
      ("\"value\":7", "\"value\":7,\"x-note\":{\"deep\":[]}"), ("\"type\":\"A2\"", "\"type\" : \"A2\""),
    ] {
      #expect(house.contains(from))
      #expect(Self.codes(house.replacing(from, with: to, maxReplacements: 1)) == [], "\(to)")
    }
  }

  @Test("A matching category is no finding", arguments: [(5, true), (2, true), (7, false)])
  func category(_ number: Int, _ fits: Bool) {
    #expect(Self.codes(Databases.house, LintFacts(category: number)).isEmpty == fits)
    #expect(Self.codes(Databases.bridge, LintFacts(category: 2)) == [])
  }

  @Test("A bare list is an info in a recording, but a MUST violation if an accessory sent it")
  func bareList() {
    let text = "[" + Databases.house.drop { $0 != "{" }.dropFirst().drop { $0 != "{" }.dropLast()
    let lint = DatabaseLint([UInt8](text.utf8))
    #expect(lint.findings().map(\.severity) == [.info])
    #expect(lint.findings(facts: LintFacts(isReadOverIP: true)).map(\.severity) == [.must])
  }

  @Test("A finding has its place, its path, its subject and a fix")
  func place() throws {
    let text = Databases.house.replacing("\"value\":50", with: "\"value\":500")
    let finding = try #require(DatabaseLint([UInt8](text.utf8)).findings().first)
    #expect(finding.path == "accessories[0].services[2].characteristics[1].value")
    #expect(finding.place == JSONPlace(line: 13, column: 70))
    #expect(finding.subject.accessory == "accessory 1 \"Hall Lamp\"")
    #expect(finding.subject.service == "Light Bulb (iid 10)")
    #expect(
      finding.message
        == "Brightness (iid 12) of Light Bulb (iid 10) of accessory 1 \"Hall Lamp\": the value 500 is outside maxValue 100"
    )
    #expect(finding.ios == .rejects)
    #expect(finding.fix != nil)
  }

  @Test("A null that is gone in a second read is no finding")
  func nullOnce() {
    let text = Databases.house.replacing("\"value\":\"AQID\"", with: "\"value\":null")
    #expect(Self.codes(text, LintFacts(nullAgain: [])) == [])
    #expect(DatabaseLint.nulls(in: [UInt8](text.utf8)) == [AttributeID(aid: 1, iid: 22)])
  }

  @Test("Real devices have no findings", arguments: devices)
  func realDevices(_ name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/devices/\(name).json")
    let findings = DatabaseLint([UInt8](try Data(contentsOf: file))).findings()
    #expect(findings.filter { $0.severity.isFailure || $0.ios == .rejects } == [])
  }

  private static let devices = [
    "aqara_gateway", "camera", "ecobee3", "eve_energy", "koogeek_ls1", "lennox_e30", "nanoleaf_bulb",
  ]

  @Test("Rules of JSON syntax apply only to bytes sent by an accessory, not to recordings")
  func otherTransport() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Vectors/devices/eve_energy.json")
    let lint = DatabaseLint([UInt8](try Data(contentsOf: file)))
    #expect(lint.findings().contains { $0.rule == "shape/not-over-ip" })
    let strict = Set(lint.findings(facts: LintFacts(isReadOverIP: true)).filter { $0.severity == .must }.map(\.caseID))
    #expect(strict.isSuperset(of: ["ADB-04", "ADB-05", "ADB-13", "ADB-15", "ADB-26", "ADB-37"]))
  }

  @Test("Texts from an accessory can't control the terminal")
  func hostileNames() {
    let text = Databases.house.replacing("\"Hall Lamp\"", with: "\"\\u001b[2J\\u202eA\"")
      .replacing("\"SN0001\"", with: "\"\\u001b\"")
    let report = LintText.report(DatabaseLint([UInt8](text.utf8)).findings())
    #expect(!report.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
    #expect(report.contains("\\u{1b}"))
  }
}

@Suite("The page on linting") struct LintPageTests {
  @Test("The table has each rule, with its name, level and text")
  func table() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/reference/lint.md")
    let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    for rule in DatabaseLint.rules {
      #expect(page.contains("| \(rule.id) | `\(rule.name)` | \(rule.level.rawValue) | \(rule.requirement) |"))
    }
  }
}
