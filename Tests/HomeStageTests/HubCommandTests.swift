import Testing

@testable import HomeStage

/// `hapctl hub`, and the hub that `hapctl home` embeds, as programs of a simulated machine.
@Suite("hapctl hub") struct HubCommandTests {
  private static let folder = "/home/you/.local/state/hapctl/home"

  /// Runs lines at noon in Berlin.
  /// - Returns: the transcript, the home at the end, and the failures.
  private func run(_ lines: String) throws -> Stage.Result {
    let result = try Stage.run(StageScript("clock 2026-06-01T12:00:00 Europe/Berlin\n" + lines + "\n"))
    #expect(result.foreignJobCount == 0)
    return result
  }

  /// Runs lines that have to succeed.
  private func transcript(_ lines: String) throws -> String {
    let result = try run(lines)
    #expect(result.problems.isEmpty, "\(result.transcript.joined(separator: "\n"))")
    return result.transcript.joined(separator: "\n")
  }

  private static let home = "$ hapctl home new \"My Home\" --zone Europe/Berlin\n"

  @Test("A folder has one hub; a hub that was killed or stopped can be started again") func oneHub() throws {
    let text = try transcript(
      """
      $ hapctl hub run --interface lo &
      \(Self.home)$ ! hapctl hub run --interface lo
      kill -9 %1
      $ hapctl hub run --interface lo &
      $ hapctl hub stop
      $ hapctl hub run --interface lo &
      $ hapctl home list
      """)
    #expect(text.contains("hapctl hub run: \"hub\" is already running (process "))
    #expect(text.contains("; 'hapctl hub stop' ends it\n(it ended with status 3)"))
    #expect(text.contains("[1] ended by signal 9\n"))
    #expect(text.contains("The hub was stopped.") && text.contains("[2] The hub was stopped."))
    #expect(text.contains("Apps attach at \(Self.folder)/hub.sock. Press Ctrl-C to stop it."))
  }

  @Test("The status lists devices and apps, as text and as JSON") func status() throws {
    let text = try transcript(
      """
      $ hapsim run lock --setup-code 512-20-101 --interface lo &
      $ hapctl hub run --interface lo &
      \(Self.home)$ hapctl home add --code 512-20-101 --room Hall
      $ hapctl home watch "Front Door Lock/Lock Current State" &
      $ hapctl hub status
      $ hapctl hub status --json
      kill -9 %3
      kill %1
      wait 30 s
      $ hapctl hub status
      """)
    #expect(text.contains("reachable  1 subscriptions\napps:\n  \"hapctl home watch\" (process "))
    #expect(text.contains("\"apps\":[{\"app\":\"hapctl home watch\",\"processID\":"))
    #expect(text.contains("not reachable: "))
    #expect(text.hasSuffix("apps: none\n[2] The hub was stopped."), "\(text.suffix(200))")
  }

  @Test("Without a hub, status and stop report how to start one") func noHub() throws {
    let text = try run("$ ! hapctl hub status\n$ ! hapctl hub stop\n").transcript.joined(separator: "\n")
    for command in ["status", "stop"] {
      #expect(text.contains("hapctl hub \(command): no hub answers at \(Self.folder)/hub.sock: "))
    }
    #expect(text.contains("run 'hapctl hub run'"))
  }

  @Test("A backup can be restored when the hub does not run") func backup() throws {
    let result = try run(
      """
      $ hapctl hub run --interface lo &
      \(Self.home)$ hapctl hub backup /home/you/copy
      $ ! hapctl hub backup /home/you/copy
      $ hapctl home rename "My Home" "Other Home"
      $ ! hapctl hub restore /home/you/copy
      $ hapctl hub stop
      $ ! hapctl hub restore /home/you/nothing
      $ hapctl hub restore /home/you/copy
      """)
    #expect(result.problems.isEmpty, "\(result.transcript.joined(separator: "\n"))")
    #expect(result.home.first == "home: My Home")
    let text = result.transcript.joined(separator: "\n")
    #expect(text.contains("/home/you/copy exists already"))
    #expect(
      text.contains("is already running (process ") && text.contains("Restored \(Self.folder) from /home/you/copy."))
  }

  @Test("Without a hub, commands work as one, also several at once") func embedded() throws {
    let result = try run(
      """
      \(Self.home)$ hapsim run lock --setup-code 512-20-101 --interface lo &
      $ hapctl home room add Hall
      $ hapctl home room list
      """)
    #expect(result.problems.isEmpty, "\(result.transcript.joined(separator: "\n"))")
    #expect(result.home.contains("rooms: [Hall]"))
  }

  @Test("A hub that is embedded for a command about homes runs no timer") func embeddedTimer() throws {
    let text = try transcript(
      """
      $ hapsim run lock --setup-code 512-20-101 --interface lo &
      $ hapctl hub run --interface lo &
      \(Self.home)$ hapctl home add --code 512-20-101 --room Hall
      $ hapctl home set "Front Door Lock/Lock Target State" unsecured
      $ hapctl home trigger add evening --at 2026-06-01T19:00 --run "Front Door Lock/Lock Target State is secured"
      $ hapctl hub stop
      until 19:00
      wait 10 s
      $ hapctl home list
      $ hapctl hub run --interface lo &
      wait 5 s
      $ hapctl home get "Front Door Lock/Lock Current State"
      """)
    // The hub executes the timer late. It would not if the command had recorded it as executed.
    #expect(text.contains("Front Door Lock/Lock Current State: secured"), "\(text.suffix(600))")
  }

  @Test("Wrong usage is reported before the hub is used") func usage() throws {
    for (words, message) in [
      ("hub", "usage: hapctl hub COMMAND"), ("hub start", "unknown command start"),
      ("hub run --interface nothing", "nothing"), ("hub backup", "FILE is missing"),
      ("hub restore a b", "unexpected argument b"), ("hub status --interface lo", "unknown option --interface"),
    ] {
      let text = try run("$ ! hapctl \(words)\n").transcript.joined(separator: "\n")
      #expect(text.contains(message), "\(text)")
    }
  }
}
