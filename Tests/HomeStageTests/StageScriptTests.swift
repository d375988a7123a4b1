import HAPAlmanac
import Testing

@testable import HomeStage

@Suite("Scripts of demonstrations") struct StageScriptTests {
  private func steps(_ text: String) throws -> [StageScript.Step] { try StageScript(text).lines.map(\.step) }

  @Test("A line is a comment, a command, a time or a signal") func lines() throws {
    let clock = try CivilTime("2015-06-08T17:30:00")
    let zone = try #require(ZoneName("America/Los_Angeles"))
    #expect(
      try steps(
        """
        # a comment

        clock 2015-06-08T17:30:00 America/Los_Angeles
        $ hapsim run lock --name "Front Door" &
        $ hapctl home run 'hi house'
        $ ! hapctl home run nothing
        wait 30 min
        wait 1 h
        wait 5 s
        until 18:05
        $ room=$(hapctl home show "Living Room" --json | jq -r .room.id)
        kill %1
        kill -9 %2
        """) == [
          .text, .text, .clock(clock, zone),
          .command(.init(words: ["hapsim", "run", "lock", "--name", "Front Door"], isBackground: true)),
          .command(.init(words: ["hapctl", "home", "run", "hi house"])),
          .command(.init(words: ["hapctl", "home", "run", "nothing"], fails: true)), .wait(.seconds(1800)),
          .wait(.seconds(3600)), .wait(.seconds(5)), .until(minute: 18 * 60 + 5),
          .variable(
            name: "room", .init(words: ["hapctl", "home", "show", "Living Room", "--json"]), member: ["room", "id"]),
          .kill(job: 1, isForced: false),
          .kill(job: 2, isForced: true),
        ])
  }

  @Test(
    "A wrong line is refused with its number",
    arguments: [
      "$", "$ !", "$ &", "$ a 'b", "sleep 1", "wait", "wait 1", "wait 0 s", "wait 1 d", "wait -1 s", "wait x s",
      "wait 1 s s", "until", "until 24:00", "until 1:60", "until 18", "until 18:00:00", "until now", "clock",
      "clock 2015-06-08T17:30:00", "clock today UTC", "clock 2015-06-08T17:30:00 /", "$ x=$(a)", "$ x=$(a | jq .b)",
      "$ x=$( | jq -r .b)", "kill", "kill 1", "kill %0",
      "kill %x", "kill -9", "kill %1 %2",
    ])
  func wrong(_ line: String) {
    let problem = #expect(throws: StageScript.Problem.self) { try StageScript("# first\n\(line)\n") }
    #expect(problem?.line == 2)
  }
}
