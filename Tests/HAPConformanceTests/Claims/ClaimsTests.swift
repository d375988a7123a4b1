import HAPSuite
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation

private func claims(_ members: String) throws(JSONProblem) -> Claims {
  try Claims(Array("{\"format\": 1, \"claims\": {\(members)}}".utf8))
}

@Suite("Claims") struct ClaimsTests {
  @Test("A claim is true, false, a number, text, a name or unknown; a claim that is absent is unknown")
  func reading() throws {
    let read = try claims(
      #""bridge": true, "mfi": false, "category": 5, "setup-id": "7OSX", "max-pairings": false, "model": "unknown", "x-note": [1], "services": ["light bulb", "3E", "E0A00001-6CFD-492D-A5B2-603D9DA7F9D9"], "admin-only": ["On"], "hooks": ["power-cut"]"#
    )
    #expect(read["bridge"] == .flag(true) && read["mfi"] == .flag(false) && read["max-pairings"] == .flag(false))
    #expect(read["category"] == .number(5) && read["setup-id"] == .text("7OSX"))
    #expect(read["model"] == .unknown && read["camera"] == .unknown)
    #expect(
      read["services"] == .names(["LightBulb", "AccessoryInformation", "E0A00001-6CFD-492D-A5B2-603D9DA7F9D9"]))
    #expect(read["admin-only"] == .names(["On"]) && read["hooks"] == .names(["power-cut"]))
  }

  @Test(
    "A mistake in a claim is reported with its place",
    arguments: [
      (#""brige": true"#, 26, "did you mean \"bridge\"?"), (#""bridge": 1"#, 36, "true, false or \"unknown\""),
      (#""bridge": "yes""#, 36, "not a string"), (#""bridge": null"#, 36, "not null"),
      (#""category": true"#, 38, "a number, false"),
      (#""category": 0"#, 38, "0 is not in 1...65535"), (#""category": 1.5"#, 38, "an integer is expected"),
      (#""model": 5"#, 35, "a text, false"),
      (#""model": true"#, 35, "a text, false"), (#""setup-id": "7osx""#, 38, "not \"7osx\""),
      (#""services": "On""#, 38, "a list of names"),
      (#""services": ["LightBulp"]"#, 39, "did you mean \"LightBulb\"?"),
      (#""services": [5]"#, 39, "a string is expected"),
      (#""services": ["LightBulb", "43"]"#, 52, "is listed twice"),
      (#""admin-only": ["Brightnes"]"#, 41, "did you mean \"Brightness\"?"),
      (#""hooks": ["rebot"]"#, 36, "did you mean \"reboot\"?"), (#""hooks": true"#, 35, "a list of names"),
    ]) func problems(_ members: String, _ column: Int, _ words: String)
  {
    let problem = #expect(throws: JSONProblem.self) { try claims(members) }
    #expect(problem?.message.contains(words) == true, "\(problem!)")
    #expect(problem?.place == JSONPlace(line: 1, column: column), "\(problem!)")
  }

  @Test(
    "The file's top level is checked",
    arguments: [
      "{", "[]", "{}", #"{"format": 2, "claims": {}}"#, #"{"format": 1}"#, #"{"format":1,"claims":[]}"#,
      #"{"format":1,"claims":{},"a":1}"#,
    ])
  func files(_ text: String) {
    #expect(throws: JSONProblem.self) { try Claims(Array(text.utf8)) }
  }

  @Test("Claims survive writing and reading", arguments: 0..<100 as Range<UInt64>) func roundTrip(_ seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    var all = Claims()
    for definition in Claims.known {
      let other: Claims.Value =
        switch definition.kind {
        case .flag: .flag(true)
        case .number(let range): .number(Int128.random(in: range, using: &random))
        case .text:
          .text(
            definition.name == "setup-id" ? "AB01" : ["", "a \"b\"", "unknown?", "é\n"].randomElement(using: &random)!)
        case .services:
          .names(
            Array(
              ["LightBulb", "Switch", "LockMechanism"].shuffled(using: &random).prefix(
                Int.random(in: 0...3, using: &random))))
        case .characteristics: .names(["On"])
        case .hooks: .names(HookName.allCases.map(\.rawValue).filter { _ in Bool.random(using: &random) })
        }
      all[definition.name] = [.unknown, .flag(false), other].randomElement(using: &random)!
    }
    #expect(try Claims(Array(all.fileText.utf8)) == all)
    #expect(all.fileText.split(separator: "\n").count == Claims.known.count + 5)
    let node = JSONNode.object([("format", .integer(1)), ("claims", all.variables)])
    #expect(try Claims(node) == all)
    #expect(all.differences(from: all).isEmpty && all.differences(from: Claims()).isEmpty)
  }

  @Test("Claims are derived from the TXT record and the database; all others are unknown") func drawn() throws {
    let database = try JSONNode.parse(
      Array(
        #"""
        {"accessories": [
          {"aid": 1, "services": [{"iid": 1, "type": "3E", "characteristics": []}, {"iid": 8, "type": "00000043-0000-1000-8000-0026BB765291",
            "characteristics": [{"iid": 9, "type": "25", "perms": ["pr", "tw"]}]}]},
          {"aid": 2, "services": [{"iid": 1, "type": "3E", "characteristics": []}, {"iid": 9, "type": "110", "characteristics": [{"perms": ["wr", 5]}]},
            {"iid": 10, "type": "E0A00001-6CFD-492D-A5B2-603D9DA7F9D9"}, {"type": 5}, 7]}]}
        """#.utf8))
    let both = Claims.drawn(
      txt: ["CI": "5", "md": "Lamp1,1", "pv": "1.1", "sh": "AAAAAA==", "ff": "0", "s#": "1", "id": "x"],
      database: database)
    var wanted = Claims()
    wanted["category"] = .number(5)
    wanted["model"] = .text("Lamp1,1")
    wanted["protocol-version"] = .text("1.1")
    wanted["mfi"] = .flag(false)
    wanted["bridge"] = .flag(true)
    wanted["accessories"] = .number(2)
    wanted["services"] = .names([
      "AccessoryInformation", "LightBulb", "CameraRTPStreamManagement", "E0A00001-6CFD-492D-A5B2-603D9DA7F9D9",
    ])
    wanted["camera"] = .flag(true)
    wanted["timed-writes"] = .flag(true)
    wanted["write-response"] = .flag(true)
    wanted["has-additional-authorization"] = .flag(false)
    #expect(both == wanted)
    #expect(try Claims(Array(both.fileText.utf8)) == both)
    let txt = Claims.drawn(txt: ["ci": "2", "ff": "2", "s#": "7"], database: nil)
    #expect(txt["bridge"] == .flag(true) && txt["mfi"] == .flag(true) && txt["counts-states"] == .flag(true))
    #expect(txt["setup-id"] == .flag(false) && txt["protocol-version"] == .text("1.0") && txt["services"] == .unknown)
    #expect(Claims.drawn(txt: nil, database: nil) == Claims())
    for odd in ["", "-1", "x", "0", "99999"] {
      #expect(Claims.drawn(txt: ["ci": odd], database: nil)["category"] == .unknown)
    }
    #expect(Claims.drawn(txt: ["ff": "x"], database: nil)["mfi"] == .unknown)
    #expect(Claims.drawn(txt: nil, database: .object([("accessories", .integer(5))])) == Claims())
  }

  @Test("A claim that the accessory contradicts is reported; if either side is unknown, nothing is reported")
  func differences() throws {
    let mine = try claims(
      #""bridge": true, "category": 5, "model": "A", "services": ["Switch", "LightBulb"], "camera": false, "admin-only": ["On"], "accessories": false"#
    )
    let seen = try claims(
      #""bridge": false, "category": 5, "model": "B", "services": ["LightBulb", "Outlet"], "camera": "unknown", "mfi": true, "accessories": 2"#
    )
    #expect(
      mine.differences(from: seen) == [
        "model: claimed \"A\", observed \"B\"", "bridge: claimed true, observed false",
        "accessories: claimed false, observed 2",
        "services: Switch claimed but not observed; Outlet observed but not claimed",
      ])
    // The order of names is ignored, and absent names equal an empty list.
    #expect(
      try claims(#""services": ["Switch", "Outlet"]"#).differences(from: claims(#""services": ["Outlet", "Switch"]"#))
        == [])
    #expect(try claims(#""services": []"#).differences(from: claims(#""services": false"#)) == [])
    #expect(try claims(#""services": false"#).differences(from: claims(#""services": []"#)) == [])
    #expect(
      try claims(#""services": false"#).differences(from: claims(#""services": ["Switch"]"#)) == [
        "services: claimed false, observed [\"Switch\"]"
      ])
  }
}
