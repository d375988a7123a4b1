import HAPWire
import Testing

@testable import HAPTarget

@Suite("Hooks files") struct HookFileTests {
  @Test("A hook is a command, a person, or a command with a time limit") func ways() throws {
    let file = try HookFile(
      Array(
        """
        {"format": 1, "x-note": "my lamp", "hooks": {
          "reboot": "ssh lamp reboot", "press": "manual", "x-why": 1,
          "obstruct": {"command": "gpio 4 on", "within": "30s"}, "power-cut": {"command": "plug cycle"}}}
        """.utf8))
    #expect(
      file.hooks == [
        .reboot: .command("ssh lamp reboot", within: .seconds(60)), .press: .manual,
        .obstruct: .command("gpio 4 on", within: .seconds(30)), .powerCut: .command("plug cycle", within: .seconds(60)),
      ])
    #expect(try HookFile(Array(#"{"format":1,"hooks":{}}"#.utf8)).hooks.isEmpty)
  }

  @Test(
    "A mistake is reported with its place",
    arguments: [
      ("{", 1, 2, "the text ends too early"), ("[]", 1, 1, "an object is expected"),
      ("{\"hooks\": {}}", 1, 1, "\"format\" is missing"),
      (#"{"format": 2, "hooks": {}}"#, 1, 12, "2 is not in 1...1"), (#"{"format": 1}"#, 1, 1, "\"hooks\" is missing"),
      (#"{"format": 1, "hook": {}}"#, 1, 15, "did you mean \"hooks\"?"),
      (#"{"format": 1, "hooks": []}"#, 1, 24, "an object is expected"),
      (#"{"format": 1, "hooks": {"rebot": "x"}}"#, 1, 25, "did you mean \"reboot\"?"),
      (#"{"format": 1, "hooks": {"press": 5}}"#, 1, 34, "not an integer"),
      (#"{"format": 1, "hooks": {"press": " "}}"#, 1, 34, "empty"),
      (#"{"format": 1, "hooks": {"press": "a\u0000b"}}"#, 1, 34, "NUL"),
      (#"{"format": 1, "hooks": {"press": {}}}"#, 1, 34, "\"command\" is missing"),
      (#"{"format": 1, "hooks": {"press": {"command": ""}}}"#, 1, 46, "empty"),
      (#"{"format": 1, "hooks": {"press": {"comand": "x"}}}"#, 1, 35, "did you mean \"command\"?"),
      (#"{"format": 1, "hooks": {"press": {"command": "x", "within": 5}}}"#, 1, 61, "a time such as"),
      (#"{"format": 1, "hooks": {"press": {"command": "x", "within": "0s"}}}"#, 1, 61, "a time such as"),
      (#"{"format": 1, "hooks": {"press": {"command": "x", "within": "2h"}}}"#, 1, 61, "1h at most"),
    ]) func problems(_ text: String, _ line: Int, _ column: Int, _ words: String)
  {
    let problem = #expect(throws: JSONProblem.self) { try HookFile(Array(text.utf8)) }
    #expect(problem?.message.contains(words) == true, "\(problem!)")
    #expect(problem?.place == JSONPlace(line: line, column: column), "\(problem!)")
  }
}
