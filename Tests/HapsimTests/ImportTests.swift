import Foundation
import HAPCommandLine
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite struct ImportCommand {
  private let scratch = ScratchFolder()
  private static let lamp =
    #"{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[{"iid":2,"type":"23","format":"string","perms":["pr"],"value":"Lamp"}]},{"iid":9,"type":"43","characteristics":[{"iid":10,"type":"25","format":"bool","perms":["pr","pw"],"value":0}]}]}"#

  private func file(_ text: String) throws -> String {
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    let path = scratch.path + "/recorded.json"
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private var output: String { scratch.path + "/x.hasaccessory" }

  @Test("A valid recording becomes a profile, also on standard output") func clean() throws {
    let path = try file("[\(Self.lamp)]")
    let said = hapsim(["import", path, "-o", output])
    #expect(said.exit == .well && said.error == "")
    #expect(said.out.hasPrefix("Wrote \(output)"))
    let text = try String(contentsOfFile: output, encoding: .utf8)
    #expect(hapsim(["import", path, "-o", "-"]) == Transcript(out: text))
    #expect(text.contains(#""exact": true"#) && text.contains(#""category": "lightbulb""#))
    #expect(hapsim(["validate", output]).exit == .well)
    #expect(hapsim(["import", path, "-o", "-", "--category", "fan"]).out.contains(#""category": "fan""#))
  }

  @Test("An existing file is overwritten only with --force") func overwriting() throws {
    let path = try file("[\(Self.lamp)]")
    try Data("mine".utf8).write(to: URL(filePath: output))
    #expect(
      hapsim(["import", path, "-o", output])
        == Transcript(error: "hapsim import: \(output) already exists; --force replaces it\n", exit: .cannotRun))
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "mine")
    #expect(hapsim(["import", path, "-o", output, "--force"]).exit == .well)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["recorded.json", "x.hasaccessory"])
  }

  @Test("Deviations are reported; the profile is written only with --fix") func fixing() throws {
    let path = try file(#"[\#(Self.lamp),{"aid":1},{"services":[]}]"#)
    let said = hapsim(["import", path, "-o", output])
    #expect(said.exit == .problem && said.out == "")
    #expect(
      said.error == """
        \(path): [1]: aid 1 already exists; this accessory is left out
        \(path): [2]: aid is missing; this is left out
        hapsim import: nothing was written; --fix writes the profile with these changes

        """)
    #expect(!FileManager.default.fileExists(atPath: output))
    let fixed = hapsim(["import", path, "-o", output, "--fix"])
    #expect(fixed.exit == .well && fixed.error.hasPrefix("\(path): [1]: aid 1"))
    #expect(hapsim(["validate", output]).exit == .well)
  }

  @Test("One device of a file with several can be selected") func several() throws {
    let path = try file(
      #"{"pairings":{"AA:BB:CC:DD:EE:01":{"accessories":[\#(Self.lamp)]},"AA:BB:CC:DD:EE:02":{"accessories":[\#(Self.lamp)]}}}"#
    )
    let none = hapsim(["import", path, "-o", output])
    #expect(none.exit == .usage && none.error.contains("AA:BB:CC:DD:EE:01, AA:BB:CC:DD:EE:02"))
    #expect(hapsim(["import", path, "-o", output, "--device", "aa:bb:cc:dd:ee:02"]).exit == .well)
    let wrong = hapsim(["import", path, "-o", output, "--device", "lamp"])
    #expect(wrong.exit == .usage && wrong.error.contains("no such device"))
  }

  @Test("Malformed input is reported with its place") func wrong() throws {
    let path = try file("{\n  \"accessories\": 7 }")
    #expect(
      hapsim(["import", path, "-o", output])
        == Transcript(error: "\(path):2:18: accessories: a list is expected, not an integer\n", exit: .problem))
    let absent = hapsim(["import", scratch.path + "/none", "-o", output])
    #expect(absent.exit == .cannotRun && absent.error.contains("none can't be read"))
    #expect(hapsim(["import", path]).error.hasPrefix("hapsim import: -o FILE is missing"))
    let category = hapsim(["import", path, "-o", output, "--category", "lightbulp"])
    #expect(category.exit == .usage && category.error.contains("did you mean lightbulb?"))
    let folder = hapsim(["import", try file("[\(Self.lamp)]"), "-o", scratch.path + "/none/x"])
    #expect(folder.exit == .cannotRun && folder.error.contains("No such file or directory"))
  }
}
