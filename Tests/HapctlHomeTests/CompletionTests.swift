import HAPHome
import Testing

@testable import HapctlHome

@Suite("hapctl home complete: the words that can follow")
struct CompletionTests {
  @Test(
    "Candidates for the last word",
    arguments: [
      (["ro"], ["room"]), (["sc"], ["scene"]), (["room", ""], ["list", "add", "remove", "rename"]),
      (["room", "re"], ["remove", "rename"]),
      (["room", "remove", "k"], ["Kitchen"]), (["room", "remove", "Hall", "Li"], ["Living Room"]),
      (["room", "add", "K"], []), (["add", "--room=Ki"], ["Kitchen"]),
      (["room", "remove", "--home=My Home", "K"], ["Kitchen"]), (["room", "remove", "--home=M"], ["My Home"]),
      (["zone", "add", "Up", "Ha"], ["Hall"]), (["run", "Good M"], ["Good Morning"]), (["move", "Str"], ["Strip"]),
      (["set", "Ster"], ["Stereo Light/"]), (["set", "Stereo Light/B"], ["Stereo Light/Brightness"]),
      (["set", "Stereo Light/On", ""], ["on", "off"]),
      (["set", "Front Door Lock/Lock Target State", "s"], ["secured"]),
      (["set", "Stereo Light/On", "on", "Kitchen/H"], ["Kitchen/Hue"]),
      (["get", "Kitchen/On", "Strip/L"], ["Strip/Left/On", "Strip/Left/Outlet In Use", "Strip/Left/Name"]),
      (["show", "Front"], ["Front Door Lock"]), (["rename", "Strip/"], ["Strip/Left", "Strip/Right"]),
      (["person", "An"], ["Anna"]),
      (["person", "Anna", ""], ["arrive", "leave", "at"]), (["user", "add", "X", "--role", "g"], ["guest"]),
      (["trigger", "add", "T", "--run", "Good N"], ["Good Night"]),
      (["trigger", "add", "T", "--w"], ["--when", "--weekdays"]),
      (["list", "--home", "M"], ["My Home"]), (["list", "--j"], ["--json"]), (["nonsense", ""], []),
      (["room", "nonsense", ""], []),
      (["get", "Nope/"], []), (["apply", ""], []),
    ] as [([String], [String])])
  func candidates(words: [String], expected: [String]) throws {
    let bench = try HomeBench.filled()
    #expect(bench.run(["complete", "--"] + words).out == expected.map { $0 + "\n" }.joined())
  }

  @Test("Without a home, the commands are completed; without words, all of them")
  func noHome() throws {
    #expect(HomeCompletion(nil, homeText: nil).candidates(["rem"]) == ["remove"])
    #expect(HomeCompletion(HomeModel(), homeText: nil).candidates(["room", "remove", ""]) == [])
    let all = HomeCompletion(nil, homeText: nil).candidates([])
    #expect(all.contains("show") && all.count == Set(HomeVerb.all.map { $0.words[0] }).count)
  }

  @Test("Without a folder of a hub, the commands are completed, and no hub is asked or made")
  func noFolder() throws {
    var bench = try HomeBench.filled()
    bench.hasHomes = false
    #expect(bench("complete", "--", "room", "remove", "K") == Transcript())
    #expect(bench("complete", "--", "room", "re") == Transcript(out: "remove\nrename\n"))
    #expect(bench("complete", "--json", "--", "rem").out == "{\"words\":[\"remove\"]}\n")
  }

  @Test("Names of another home are completed after --home")
  func otherHome() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("new", "Cottage", "--zone", "UTC").exit == .well
        && bench("room", "add", "Porch", "--home", "Cottage").exit == .well)
    #expect(bench.run(["complete", "--", "room", "remove", "--home", "Cottage", "P"]).out == "Porch\n")
    #expect(
      try bench("complete", "--json", "--", "room", "remove", "K").json["words"]?.elements?.map(\.stringValue) == [
        "Kitchen"
      ])
  }
}
