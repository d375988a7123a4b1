import Foundation
import HAPCommandLine
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private let garage = """
  {
    "format": "hasaccessory/1", "name": "Garage",
    "services": [
      { "type": "GarageDoorOpener", "linked": ["light"], "behaviour": { "travelTime": "12s" } },
      { "type": "LightBulb",   "id": "light",
        "characteristics": [ { "type": "Brightness", "value": 50 } ] }
    ]
  }

  """

@Suite struct EditCommand {
  private let scratch = ScratchFolder()
  private var path: String { scratch.path + "/garage.hasaccessory" }

  init() throws {
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    try Data(garage.utf8).write(to: URL(filePath: path))
  }

  private var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  private func edit(_ words: String...) -> Transcript { hapsim(["edit", path] + words) }

  /// Whether the file is unchanged, and the only file.
  private func isUntouched() throws -> Bool {
    try text == garage && FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["garage.hasaccessory"]
  }

  @Test("Each action changes its place in the file, reports the change, and keeps the rest") func actions() throws {
    #expect(
      edit("add-service", "Switch", "--name", "Button", "--label", "b")
        == Transcript(out: "\(path): added services[2], Switch\n"))
    let with = garage.replacing(
      "] }\n  ]", with: "] },\n    { \"type\": \"Switch\", \"name\": \"Button\", \"id\": \"b\" }\n  ]")
    #expect(try text == with)
    #expect(
      edit("add-characteristic", "light", "Hue", "--value", "7")
        == Transcript(out: "\(path): added services[1].characteristics[1], Hue\n"))
    #expect(try text == with.replacing("50 }", with: "50 }, { \"type\": \"Hue\", \"value\": 7 }"))
    #expect(edit("remove", "light/hue") == Transcript(out: "\(path): removed services[1].characteristics[1], Hue\n"))
    #expect(edit("remove", "Button") == Transcript(out: "\(path): removed services[2], Switch\n"))
    #expect(try isUntouched())
    #expect(
      edit("set", "light/Brightness", "60")
        == Transcript(out: "\(path): set services[1].characteristics[0].value to 60\n"))
    #expect(try text == garage.replacing("50", with: "60"))
  }

  @Test("A negative number is a value") func negative() throws {
    #expect(edit("set", "light/Brightness.x-offset", "-5").exit == .well)
    #expect(try text == garage.replacing("50 }", with: "50, \"x-offset\": -5 }"))
  }

  @Test("A custom characteristic needs format and permissions") func vendor() throws {
    let type = "7E536242-341C-4862-BE90-272CE15BD633"
    #expect(
      edit("add-characteristic", "light", type, "--format", "float", "--perms", "pr,ev", "--value", "1.5").exit == .well
    )
    #expect(
      try text.contains("\"type\": \"\(type)\", \"format\": \"float\", \"perms\": [\"pr\", \"ev\"], \"value\": 1.5 }"))
  }

  @Test("The accessory is selected by number or name") func accessory() throws {
    try FileManager.default.copyItem(atPath: profile("bridge-two-lights"), toPath: scratch.path + "/bridge")
    let bridge = scratch.path + "/bridge"
    #expect(
      hapsim(["edit", bridge, "set", "LightBulb/On", "true", "--accessory", "2"]).out
        == "\(bridge): set bridgedAccessories[0].services[0].characteristics[0].value to true\n")
    #expect(
      hapsim(["edit", bridge, "set", "name", "Lamp", "--accessory", "Floor Lamp"]).out
        == "\(bridge): set bridgedAccessories[1].name to Lamp\n")
    #expect(
      hapsim(["edit", bridge, "remove", "LightBulb"]).error.hasPrefix(
        "\(bridge):31:9: error: bridgedAccessories[1].services[0]: 2 services match \"LightBulb\","))
    #expect(
      hapsim(["edit", bridge, "set", "name", "x", "--accessory", ""]).error.hasPrefix(
        "hapsim edit: --accessory \"\": it can't be empty"))
  }

  @Test("If the result is not servable, the place in the file is reported, and nothing is written")
  func unservable() throws {
    let nothing = "hapsim edit: nothing was written\n"
    #expect(
      edit("set", "light/Brightness", "101")
        == Transcript(
          error: "\(path):6:61: error: services[1].characteristics[0].value: 101 is above maxValue 100 [value-range]\n"
            + nothing,
          exit: .problem))
    // The place is that of the link, although the linked service is removed.
    #expect(
      edit("remove", "light")
        == Transcript(
          error:
            "\(path):4:46: error: services[0].linked[0]: no service of this accessory has the id \"light\" [link-unknown]\n"
            + nothing, exit: .problem))
    #expect(
      edit("set", "light.nmae", "x").error
        .hasSuffix(
          "services[1].nmae: there is no member \"nmae\" here: did you mean \"name\"? [member-unknown]\n" + nothing))
    #expect(
      edit("set", "GarageDoorOpener.behaviour.travelTime", "5").error.contains(
        "4:85: error: services[0].behaviour.travelTime: "))
    #expect(edit("set", "setupCode", "1").error.hasPrefix("\(path):2:47: error: setupCode: "))
    #expect(edit("remove", "name").exit == .problem)
    #expect(edit("set", "format", "hasaccessory/2").exit == .problem)
    #expect(try isUntouched())
  }

  @Test("A reported place is the one in the file, even if an earlier part is removed") func shifted() throws {
    let two =
      "{ \"format\": \"hasaccessory/1\", \"name\": \"a\", \"services\": [\n{ \"type\": \"Switch\", \"id\": \"s\" },\n{ \"type\": \"Outlet\", \"linked\": [\"s\"] } ] }"
    try Data(two.utf8).write(to: URL(filePath: path))
    #expect(edit("remove", "Switch").error.hasPrefix("\(path):3:32: error: services[1].linked[0]: "))
  }

  @Test("Unknown names are reported with their place, and nothing is written") func notFound() throws {
    #expect(
      edit("set", "LightBlub/On", "true")
        == Transcript(
          error:
            "\(path):3:15: error: services: there is no service \"LightBlub\" here: did you mean \"LightBulb\"? [edit]\n",
          exit: .problem))
    #expect(
      edit("add-characteristic", "light", "Brigtness")
        == Transcript(
          error:
            "\(path):5:5: error: services[1]: there is no characteristic \"Brigtness\"; did you mean Brightness? [edit]\n",
          exit: .problem))
    #expect(edit("add-service", "Switch", "--accessory", "2").error.contains("there is no accessory 2 here"))
    #expect(try isUntouched())
  }

  @Test("New warnings are reported, and old ones are not") func warnings() throws {
    let said = edit("add-characteristic", "light", "Active")
    #expect(said.exit == .well)
    #expect(said.error.hasPrefix("\(path):6:77: warning: services[1].characteristics[1].type: Active is no"))
    #expect(said.error.filter { $0 == "\n" }.count == 1)
    #expect(edit("set", "light/Brightness", "1").error == "")
  }

  @Test("If the value is unchanged, that is reported, and the file isn't written") func same() throws {
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    #expect(
      edit("set", "light/Brightness", "50")
        == Transcript(out: "\(path): services[1].characteristics[0].value already has that value\n"))
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(date == Date(timeIntervalSince1970: 1))
    #expect(try isUntouched())
  }

  @Test(
    "Wrong usage is reported, and nothing is written",
    arguments: [
      (["frobnicate"], "there is no action frobnicate: expected add-service, add-characteristic, set, remove"),
      (["remov", "x"], "there is no action remov; did you mean remove?"),
      (["add-service"], "add-service: SERVICE is missing"),
      (["add-characteristic", "light"], "add-characteristic: CHARACTERISTIC is missing"),
      (["set", "name"], "set: VALUE is missing"), (["remove"], "remove: TARGET is missing"),
      (["set", "name", "a", "b"], "set: unexpected argument b"),
      (["remove", "light", "--name", "x"], "remove takes no --name"),
      (["add-service", "Switch", "--value", "1"], "add-service takes no --value"),
      (["add-characteristic", "light", "Hue", "--label", "1"], "add-characteristic takes no --label"),
      (["set", "name", "x", "--perms", "pr"], "set takes no --perms"),
      (["add-service", "LightBlub"], "there is no service \"LightBlub\"; did you mean LightBulb?"),
      (["add-service", "LightBulb:Hua"], "there is no characteristic \"Hua\"; did you mean Hue?"),
    ])
  func usage(_ words: [String], _ message: String) throws {
    #expect(
      hapsim(["edit", path] + words)
        == Transcript(error: "hapsim edit: \(message)\nTry 'hapsim edit --help'.\n", exit: .usage))
    #expect(try isUntouched())
  }

  @Test("Without an action nothing is written") func nothing() {
    #expect(hapsim(["edit"]).error.hasPrefix("hapsim edit: FILE ACTION… is missing"))
    #expect(edit().exit == .usage)
  }

  @Test("A malformed profile is reported with its place, and an unreadable file can't be edited")
  func noProfile() throws {
    try Data("{ // a\n}".utf8).write(to: URL(filePath: path))
    let said = edit("set", "name", "x")
    #expect(said.exit == .problem && said.error.hasPrefix("\(path):1:3: error: JSON has no comments"))
    #expect(try text == "{ // a\n}")
    let nowhere = scratch.path + "/none"
    #expect(
      hapsim(["edit", nowhere, "set", "name", "x"])
        == Transcript(error: "hapsim edit: \(nowhere) can't be read: No such file or directory\n", exit: .cannotRun))
  }

  @Test("A file with errors is not written until an edit fixes all of them") func mending() throws {
    try Data(garage.replacing("50", with: "500").utf8).write(to: URL(filePath: path))
    #expect(edit("set", "name", "Other").exit == .problem)
    #expect(try text == garage.replacing("50", with: "500"))
    #expect(edit("set", "light/Brightness", "50").exit == .well)
    #expect(try isUntouched())
  }

  @Test("A link to the file stays a link") func link() throws {
    let link = scratch.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(hapsim(["edit", link, "set", "name", "Other"]).exit == .well)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try text == garage.replacing("Garage\"", with: "Other\""))
  }

  private func profile(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Profiles/\(name).hasaccessory").path
  }
}
