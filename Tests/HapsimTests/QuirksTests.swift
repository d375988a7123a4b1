import Foundation
import HAPCommandLine
import HAPModel
import HAPProfile
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite("hapsim quirks, and --quirks") struct QuirksCommandTests {
  @Test("Printed quirks are read back as the same quirks", arguments: Quirks.presets.keys) func roundTrip(name: String)
    throws
  {
    let scratch = ScratchFolder()
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    let file = scratch.path + "/mine.json"
    try hapsim(["quirks", name]).out.write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try QuirksChoice(file).quirks() == Quirks.presets[name])
    #expect(hapsim(["quirks", file]) == hapsim(["quirks", name]))
  }

  @Test("Without a name, the default is printed") func standard() throws {
    let shown = try object(hapsim(["quirks"]).out)
    #expect(shown.count == QuirksField.all.count)
    #expect(shown["maximumSessions"] as? Int == 17)
    #expect(shown["unverified"] as? String == "470 -70411")
  }

  @Test("An unknown preset is refused with the nearest name, a malformed file with its place") func mistakes() throws {
    let unknown = hapsim(["quirks", "hap-nodjs"])
    #expect(unknown.exit == .usage)
    #expect(unknown.error.contains("did you mean \"hap-nodejs\"?"))
    #expect(hapsim(["quirks", "./none.json"]).exit == .cannotRun)
    let scratch = ScratchFolder()
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    let file = scratch.path + "/mine.json"
    try #"{ "tellsBusy": 1 }"#.write(toFile: file, atomically: true, encoding: .utf8)
    #expect(
      hapsim(["quirks", file]).error
        == "\(file):1:16: error: tellsBusy: tellsBusy takes true or false [quirks-value]\n")
    let run = hapsim(["run", "x.hasaccessory", "--ephemeral", "--quirks", "homspan"])
    #expect(run.exit == .usage && run.error.contains("did you mean \"homespan\"?"))
  }

  @Test("--max-sessions is 8 to 10000", arguments: ["7", "10001", "-1", "x"]) func sessions(text: String) {
    #expect(hapsim(["run", "x.hasaccessory", "--ephemeral", "--max-sessions", text]).exit == .usage)
  }
}
