import HAPHome
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home lint: names that people can't speak or tell apart")
struct LintTests {
  private func findings(_ commands: [[String]]) throws -> [String] {
    let bench = HomeBench()
    try #require(bench("new", "Sea House", "--zone", "UTC").exit == .well)
    for words in commands { try #require(bench.run(words).exit == .well, "\(words)") }
    return NameLint(bench.home).findings.map {
      "\($0.rule.rawValue): \($0.object.name)\($0.other.map { " / \($0.name)" } ?? "")"
    }
  }

  @Test("The rooms and scenes of a new home have no finding")
  func clean() throws {
    #expect(try findings([]) == [])
    #expect(
      try findings([["room", "add", "Kitchen", "Hall", "Bedroom", "Bathroom"], ["scene", "add", "Movie"]]) == [])
  }

  @Test(
    "Names that differ only in a number",
    arguments: [
      (["Lamp 2", "Lamp two"], true), (["Lamp", "Lamp 3"], true), (["Room to", "Room 2"], true),
      (["Lamp A", "Lamp B"], false),
      (["Bed", "Bath"], false), (["First Floor", "Second Floor"], true), (["2 Seat", "Seat"], true),
    ] as [([String], Bool)])
  func numbers(names: [String], isFound: Bool) throws {
    let found = try findings([["group", "add", names[0]], ["group", "add", names[1]]])
    #expect(found == (isFound ? ["number: \(names[1]) / \(names[0])"] : []))
  }

  @Test(
    "A name of a type, of one letter, of digits",
    arguments: [
      ("light", "type"), ("Lights", "type"), ("Garage Door Opener", "type"), ("X", "one-letter"), ("42", "digits"),
      ("7", "digits"),
    ])
  func alone(name: String, rule: String) throws {
    #expect(try findings([["group", "add", name]]) == ["\(rule): \(name)"])
  }

  @Test("A scene that sounds like a room")
  func scenes() throws {
    #expect(
      try findings([["room", "add", "Study"], ["scene", "add", "Steady"]]) == ["scene-like-room: Steady / Study"])
    #expect(try findings([["room", "add", "Study"], ["scene", "add", "Party"]]) == [])
    #expect(try findings([["room", "add", "台所"], ["scene", "add", "映画"]]) == [], "no Latin letters")
  }

  @Test("A name that an accessory supplied with symbols; a service named like its accessory is not a second name")
  func symbols() throws {
    let bench = HomeBench()
    try #require(bench("new", "Sea House", "--zone", "UTC").exit == .well)
    try bench.hub.prepare(.addDevice(home: bench.home.id, .device(1, [.with(1, "MyBulb_1", [.light])], category: 5)))
    let said = bench("lint")
    #expect(
      said.out == "The accessory \"MyBulb_1\" has characters that can't be spoken: rename it\n"
        || said.out == "the accessory \"MyBulb_1\" has characters that can't be spoken: rename it\n")
    #expect(said.exit == .problem)
    let json = try bench("lint", "--json").json["findings"]?.elements?.first
    #expect(
      json?["rule"]?.stringValue == "symbols" && json?["kind"]?.stringValue == "accessory"
        && json?["other"]?.isNull == true)
    #expect(bench("rename", "MyBulb_1", "Desk Glow").exit == .well)
    #expect(bench("lint").exit == .problem, "the service keeps its name")
    #expect(bench("rename", "Desk Glow/MyBulb_1", "Desk Glow").exit == .well)
    #expect(
      bench("lint")
        == Transcript(out: "All names can be spoken and told apart, and each enabled trigger does something.\n"))
  }
}
