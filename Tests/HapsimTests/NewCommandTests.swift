import Foundation
import HAPCommandLine
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private let lamp = """
  {
    "format": "hasaccessory/1",
    "name": "Porch Lamp",
    "category": "lightbulb",
    "services": [
      {
        "type": "LightBulb",
        "primary": true,
        "characteristics": [
          { "type": "Brightness", "value": 100 }
        ]
      }
    ]
  }

  """

@Suite struct NewCommand {
  private let scratch = ScratchFolder()
  private var path: String { scratch.path + "/lamp.hasaccessory" }

  init() throws { try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true) }

  private func new(_ words: String...) -> Transcript { hapsim(["new"] + words) }

  private func refused(_ words: String..., as message: String) -> Bool {
    hapsim(["new"] + words)
      == Transcript(
        error: "hapsim new: \(message)\nTry 'hapsim new --help'.\n", exit: .usage)
  }

  @Test("A valid profile is written, and a summary is printed") func writes() throws {
    #expect(
      new("--service", "LightBulb:Brightness", "--name", "Porch Lamp", "-o", path)
        == Transcript(out: "\(path): \"Porch Lamp\", lightbulb\n"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == lamp)
    #expect(hapsim(["validate", path]) == Transcript(out: "\(path): no problems\n"))
  }

  @Test("With -, the profile goes to standard output, without other output") func standardOutput() {
    let folder = FileManager.default
    let before = try? folder.contentsOfDirectory(atPath: ".")
    #expect(new("--service=LightBulb:Brightness", "-o", "-", "--name=Porch Lamp") == Transcript(out: lamp))
    #expect(before == (try? folder.contentsOfDirectory(atPath: ".")))
  }

  @Test("An existing file is overwritten only with --force") func force() throws {
    try Data("mine".utf8).write(to: URL(filePath: path))
    #expect(
      new("--service", "Switch", "-o", path)
        == Transcript(
          error: "hapsim new: \(path) already exists; --force replaces it\n", exit: .cannotRun))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(new("--service", "Switch", "-o", path, "--force") == Transcript(out: "\(path): Switch, switch\n"))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\"Switch\""))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["lamp.hasaccessory"])
  }

  @Test("Several services and an explicit category are possible") func several() {
    let good = new("--service", "Outlet", "--service", "LightBulb", "--category", "Sensor", "-o", "-")
    #expect(good.exit == .well && good.error == "")
    #expect(good.out.contains("\"category\": \"sensor\"") && good.out.contains("{ \"type\": \"LightBulb\" }"))
  }

  @Test("Unlikely input causes a warning on standard error, and the profile is written") func warnings() throws {
    let said = new("--service", "LightBulb:Active", "-o", path)
    #expect(said.exit == .well)
    #expect(
      said.error.hasPrefix(
        "\(path):10:19: warning: services[0].characteristics[0].type: Active is no characteristic of"))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("Wrong words are named, and nothing is written") func wrong() throws {
    #expect(refused("-o", path, as: "--service NAME is missing; 'hapsim types' lists the services"))
    #expect(refused("--service", "Switch", as: "-o FILE is missing; -o - is standard output"))
    #expect(
      refused(
        "--service", "LightBlub", "-o", path,
        as: "--service LightBlub: there is no service \"LightBlub\"; did you mean LightBulb?"))
    #expect(
      refused(
        "--service", "LightBulb:Brigtness", "-o", path,
        as: "--service LightBulb:Brigtness: there is no characteristic \"Brigtness\"; did you mean Brightness?"))
    #expect(
      refused(
        "--service", "Switch", "--category", "swich", "-o", path,
        as: "--category swich: unknown category; did you mean switch?"))
    #expect(refused("--service", "Switch", "--name", "", "-o", path, as: "--name \"\": a name is needed"))
    #expect(refused("Switch", "-o", path, as: "unexpected argument Switch"))
    #expect(refused("--service", "Switch", "-o", "", as: "--output \"\": it can't be empty"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  @Test("An invalid profile is not written, and its problems are reported") func unservable() throws {
    let said = hapsim(["new", "-o", path] + (0...100).flatMap { _ in ["--service", "Switch"] })
    #expect(said.exit == .problem && said.out == "")
    #expect(said.error.contains("error: services: ") && said.error.contains("[service-count]"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  @Test("A file that can't be created is reported") func unwritable() {
    let nowhere = scratch.path + "/none/lamp.hasaccessory"
    for force in [[], ["--force"]] {
      #expect(
        hapsim(["new", "--service", "Switch", "-o", nowhere] + force)
          == Transcript(
            error: "hapsim new: \(nowhere) can't be created: No such file or directory\n", exit: .cannotRun))
    }
  }

  @Test("The pages show the command's actual output") func pages() throws {
    let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/guides/editing-profiles.md")
    let page = try String(contentsOf: docs, encoding: .utf8)
    let made = new("--service", "LightBulb:Brightness,Hue", "--name", "Porch Lamp", "-o", path)
    #expect(made.exit == .well)
    #expect(page.contains("```json\n" + (try String(contentsOfFile: path, encoding: .utf8)) + "```"))
    for words in [
      ["add-service", "Outlet", "--name", "Socket"],
      ["add-characteristic", "LightBulb", "Saturation", "--value", "60"],
      ["set", "LightBulb/Brightness.minValue", "10"], ["set", "serialNumber", "0002"], ["remove", "Socket"],
    ] {
      #expect(page.contains("hapsim edit lamp.hasaccessory " + words.joined(separator: " ") + "\n"))
      #expect(hapsim(["edit", path] + words).exit == .well)
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    for line in lines.filter({ $0.contains("\"value\"") }) { #expect(page.contains("\n+" + line + "\n")) }
    for words in [["set", "LightBulb/Brightness", "5"], ["set", "LightBlub/On", "true"]] {
      let said = hapsim(["edit", path] + words).error.replacing(path, with: "lamp.hasaccessory")
      #expect(page.contains("$ hapsim edit lamp.hasaccessory \(words.joined(separator: " "))\n" + said))
    }
  }
}
