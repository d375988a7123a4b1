import HAPFleet
import HAPModel
import HAPWire
import Testing

@Suite struct AFleetIsRead {
  private func file(_ text: String) -> FleetFile { FleetFile(Array(text.utf8), file: "fleet.yaml") }

  private func problems(_ text: String) -> [String] { file(text).problems.map(\.description) }

  @Test("A fleet has groups, each with all properties of copies") func whole() throws {
    let read = file(
      """
      fleet: 1
      name: An office
      seed: 7
      identity: secret
      groups:
        - profile: lamp.hasaccessory
          count: 200
          id: lamps
          name: "Lamp {n:3}"
          setup-code: 031-45-154
          behaviour:
            LightBulb: { ramp: { uniform: [1s, 2s] } }
          faults:
            - fault: latency
              by: { choice: [1s, 2s] }
              share: 10%
            - lost-events
        - profile: lock.hasaccessory
      """)
    let fleet = try #require(read.fleet, "\(read.problems)")
    #expect(fleet.name == "An office" && fleet.seed == 7 && fleet.identity == "secret")
    let lamps = fleet.groups[0]
    #expect(lamps.count == 200 && lamps.id == "lamps" && lamps.name?.name(7) == "Lamp 007")
    #expect(lamps.setupCode == (try SetupCode("031-45-154")))
    #expect(lamps.behaviours.map(\.service) == ["LightBulb"] && lamps.faults.map(\.share) == [0.1, 1])
    #expect(fleet.groups[1].count == 1 && fleet.groups[1].name == nil)
  }

  @Test(
    "All mistakes are reported at once, each with its place",
    arguments: [
      ("groups: [{profile: a}]", "1:1: \"fleet\" is missing"),
      ("fleet: 2\ngroups: [{profile: a}]", "1:8: fleet: the format must be 1; this hapsim supports no other"),
      ("fleet: 1", "1:1: \"groups\" is missing"),
      ("fleet: 1\ngroups: []", "2:9: groups: there is no group"),
      (
        "fleet: 1\ngruops: []\ngroups: [{profile: a}]",
        "2:1: gruops: there is no member \"gruops\" here: did you mean \"groups\"?"
      ),
      ("fleet: 1\ngroups: [{count: 2}]", "2:10: groups[0]: \"profile\" is missing"),
      ("fleet: 1\ngroups: [{profile: a, count: 0}]", "2:30: groups[0].count: 0 is not in 1...10000"),
      ("fleet: 1\ngroups: [{profile: a, count: 10001}]", "2:30: groups[0].count: 10001 is not in 1...10000"),
      (
        "fleet: 1\ngroups: [{profile: a, name: Lamp}]",
        "2:29: groups[0].name: {n}, the number of the copy, is missing"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, behaviour: {Lamp: {ramp: {uniform: [2s, 1s]}}}}]",
        "2:58: groups[0].behaviour.Lamp.ramp.uniform: 1s is less than 2s"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, behaviour: {Lamp: {ramp: {choice: []}}}}]",
        "2:57: groups[0].behaviour.Lamp.ramp.choice: there is nothing to choose from"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, faults: [{fault: latnecy}]}]",
        "2:40: groups[0].faults[0].fault: there is no fault \"latnecy\": did you mean \"latency\"?"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, faults: [{fault: latency, by: {uniform: [1s, soon]}}]}]",
        "2:68: groups[0].faults[0].by.uniform[1]: the least and the greatest value are expected, two durations or two numbers, such as [2s, 5s], not \"soon\""
      ),
      (
        "fleet: 1\ngroups: [{profile: a, faults: [{fault: {choice: [stall, {choice: [deaf, defa]}]}}]}]",
        "2:40: groups[0].faults[0].fault: there is no fault \"defa\": did you mean \"deaf\"?"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, faults: [{fault: clock-jump}]}]",
        "2:40: groups[0].faults[0].fault: clock-jump would move the time of all accessories, once for each copy with the fault"
      ),
      (
        "fleet: 1\ngroups: [{profile: a, faults: [{fault: latency, share: 110%}]}]",
        "2:56: groups[0].faults[0].share: a percentage is expected, such as 10 or \"10%\""
      ),
    ])
  func wrong(_ text: String, _ problem: String) {
    #expect(problems(text) == ["fleet.yaml:" + problem])
  }

  @Test("Two mistakes are two problems") func both() {
    #expect(problems("fleet: 3\ngroups: [{profile: a, count: none}]").count == 2)
  }

  @Test("An error of YAML syntax has a place, too") func noYAML() {
    #expect(problems("fleet: 1\n groups: [").first?.hasPrefix("fleet.yaml:2:") == true)
  }

  @Test("A fleet has at most ten groups of ten thousand") func tooMany() {
    let groups = (0..<11).map { "  - { profile: p\($0), count: 10000 }" }.joined(separator: "\n")
    #expect(
      problems("fleet: 1\ngroups:\n" + groups)
        == ["fleet.yaml:3:3: groups: there are 110000 accessories; the limit is 100000"])
  }
}

@Suite struct NamesOfCopies {
  @Test(
    "A pattern has exactly one placeholder for the number",
    arguments: [
      "Lamp", "{n} {n}", "{m}", "{n", "n}", "{n:0}",
      "{n:x}",
    ])
  func wrong(_ text: String) {
    #expect(throws: NamePattern.PatternProblem.self) { try NamePattern(text) }
  }

  @Test("A long name is shortened so that each number fits") func cut() {
    let pattern = NamePattern(of: String(repeating: "ä", count: 32), count: 1000)
    #expect(pattern.name(1000).utf8.count <= 64 && pattern.name(1000).hasSuffix("ä 1000"))
    #expect(NamePattern(of: "Lamp", count: 3).name(2) == "Lamp 2")
  }
}

@Suite struct WhatIsDrawnForCopies {
  private func spread(_ json: String) throws -> Distribution { try Distribution(JSONNode.parse(Array(json.utf8))) }
  private let chance = FleetChance(seed: 1, group: "lamps")

  @Test("Random values lie within the bounds, and each choice occurs") func within() throws {
    let node = try spread(
      #"{"a": {"uniform": ["1s", "2s"]}, "b": {"uniform": [1, 3]}, "c": {"uniform": [0.5, 1]}, "d": {"choice": ["x", "y"]}}"#
    )
    var integers: Set<Int128> = []
    var words: Set<String> = []
    for copy in 1...200 {
      let drawn = node.drawn(chance, copy, for: "test")
      let duration = try #require(drawn["a"]?.stringValue.flatMap { Duration($0) })
      #expect(duration >= .seconds(1) && duration <= .seconds(2))
      integers.insert(try #require(drawn["b"]?.integerValue))
      #expect((0.5...1).contains(try #require(drawn["c"]?.numberValue?.double)))
      words.insert(try #require(drawn["d"]?.stringValue))
    }
    #expect(integers == [1, 2, 3] && words == ["x", "y"])
  }

  @Test("A random value depends only on seed, group and copy") func stable() throws {
    let node = try spread(#"{"uniform": [0, 1000000000]}"#)
    func drawn(_ seed: UInt64, _ group: String, _ copy: Int) -> Int128? {
      node.drawn(FleetChance(seed: seed, group: group), copy, for: "x").integerValue
    }
    #expect(drawn(1, "lamps", 3) == drawn(1, "lamps", 3))
    #expect(Set([drawn(1, "lamps", 3), drawn(2, "lamps", 3), drawn(1, "locks", 3), drawn(1, "lamps", 4)]).count == 4)
  }

  @Test("The variants contain each bound and each choice") func variants() throws {
    let node = try spread(#"{"a": {"uniform": [1, 5]}, "b": {"choice": ["x", "y", {"uniform": [7, 8]}]}}"#)
    #expect(node.variants.map { $0["a"]?.integerValue } == [1, 5, 5, 5])
    #expect(node.variants.map { $0["b"]?.compactText } == ["\"x\"", "\"y\"", "7", "8"])
    #expect(!node.isFixed)
    #expect(try spread(#"{"a": [1, "2s"]}"#).isFixed)
  }

  @Test("Nested distributions inside choices are validated at any depth") func nested() throws {
    let node = try spread(
      #"{"a": {"choice": [{"choice": [1, {"choice": [2, 3]}]}, {"k": {"uniform": ["1s", "2s"]}}, [{"choice": [4, 5]}]]}}"#
    )
    #expect(
      node.variants.map { $0["a"]?.compactText } == [
        "1", "2", "3", #"{"k":"1000ms"}"#, #"{"k":"2000ms"}"#, "[4]", "[5]",
      ])
    // The random values are among the variants.
    for copy in 1...50 {
      let drawn = try #require(node.drawn(chance, copy, for: "x")["a"])
      if drawn.members == nil { #expect(node.variants.contains { $0["a"]?.compactText == drawn.compactText }) }
    }
  }

  @Test("A thousand choices are the limit, including nested choices") func tooMany() {
    let hundred = "{\"choice\": [\((1...100).map(String.init).joined(separator: ","))]}"
    func choice(_ count: Int) -> String {
      "{\"choice\": [\(Array(repeating: hundred, count: count).joined(separator: ","))]}"
    }
    #expect(throws: Never.self) { try spread(choice(10)) }
    #expect(throws: JSONProblem.self) { try spread(choice(11)) }
  }

  @Test("Random values keep the places of their source text") func places() throws {
    let node = try spread("{\n \"a\": {\"choice\": [true]}}").variants[0]
    #expect(node["a"]?.place == JSONPlace(line: 2, column: 7))
  }

  @Test("A share is exact, and most of its copies stay in it when the group grows") func share() {
    let few = chance.chosen(0.1, of: 100, for: "fault 0")
    #expect(few.count == 10)
    #expect(chance.chosen(0.1, of: 100, for: "fault 0") == few)
    #expect(chance.chosen(0.1, of: 100, for: "fault 1") != few)
    #expect(chance.chosen(1, of: 3, for: "x") == [1, 2, 3])
    #expect(chance.chosen(0, of: 3, for: "x").isEmpty)
    // At least half of the copies that are chosen from 100 are also among the 20 that are chosen from 200.
    #expect(few.count - few.subtracting(chance.chosen(0.1, of: 200, for: "fault 0")).count >= 5)
  }
}
