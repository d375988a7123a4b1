import Foundation
import HAPCommandLine
import HAPPreparation
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private let ours = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Profiles")

/// A file with this text in a temporary folder.
private func file(_ text: String, in scratch: ScratchFolder) throws -> String {
  try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
  let path = scratch.path + "/x.hasaccessory"
  try Data(text.utf8).write(to: URL(filePath: path))
  return path
}

@Suite struct ValidateCommand {
  @Test("Our own profiles have no problems") func ownProfiles() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: ours.path).filter { $0.hasSuffix(".hasaccessory") }
    #expect(files.count >= 5)
    let paths = files.sorted().map { ours.appending(path: $0).path }
    #expect(hapsim(["validate"] + paths) == Transcript(out: paths.map { $0 + ": no problems\n" }.joined()))
  }

  @Test("All problems of all profiles are reported with their places, and the exit status is 1")
  func problems() throws {
    let scratch = ScratchFolder()
    let path = try file(
      """
      { "format": "hasaccessory/1", "name": "Door", "services": [
        { "type": "GarageDoorOpner" },
        { "type": "GarageDoorOpener", "behaviour": { "travelTme": "12s" },
          "characteristics": [ { "type": "TargetDoorState", "value": 7 } ] } ] }
      """, in: scratch)
    let good = ours.appending(path: "lock.hasaccessory").path
    let said = hapsim(["validate", path, good])
    #expect(said.exit == .problem)
    #expect(said.error == "")
    let lines = said.out.split(separator: "\n").map(String.init)
    #expect(
      lines.contains {
        $0.hasPrefix("\(path):2:") && $0.contains("error: services[0].type") && $0.contains("GarageDoorOpener")
      })
    #expect(lines.contains { $0.hasPrefix("\(path):3:") && $0.contains("travelTime") && $0.hasSuffix("[behaviour]") })
    #expect(lines.contains { $0.hasPrefix("\(path):4:") && $0.contains("services[1].characteristics[0].value") })
    #expect(lines.contains("\(good): no problems"))
    #expect(lines.last?.contains("errors") == true)
  }

  @Test("A file of a behaviour is relative to the profile's folder, and its malformed line is reported")
  func series() throws {
    let scratch = ScratchFolder()
    let path = try file(
      #"{ "format": "hasaccessory/1", "name": "Oven", "category": "sensor", "services": [ "#
        + #"{ "type": "TemperatureSensor", "behaviour": { "replay": "oven.csv" } } ] }"#, in: scratch)
    let place = "\(path):1:139: error: services[0].behaviour.replay: oven.csv: "
    #expect(
      hapsim(["validate", path]).out.hasPrefix(
        place + "it cannot be read in the folder of the profile: No such file or directory [behaviour]\n"))
    try Data("0,20\n10,hot\n".utf8).write(to: URL(filePath: scratch.path + "/oven.csv"))
    #expect(
      hapsim(["validate", path]).out.hasPrefix(place + "line 2: a number is expected after the comma [behaviour]\n"))
    try Data("0,20\n10,220\n".utf8).write(to: URL(filePath: scratch.path + "/oven.csv"))
    #expect(hapsim(["validate", path]) == Transcript(out: path + ": no problems\n"))
  }

  @Test("The pairs of a custom service refer to its characteristics") func follows() throws {
    let page = ours.deletingLastPathComponent().appending(path: "docs/reference/behaviours.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## Any other service\n").last)
    let example = try #require(section.split(separator: "```json\n").dropFirst().first?.split(separator: "```").first)
    let scratch = ScratchFolder()
    func problems(_ service: String) throws -> String {
      let profile = #"{ "format": "hasaccessory/1", "name": "Pot", "category": "other", "services": [\#n\#(service)] }"#
      return hapsim(["validate", try file(profile, in: scratch)]).out
    }
    #expect(try problems(String(example)).hasSuffix(": no problems\n"))
    let wrong = try problems(String(example).replacing(#""current": "Heat""#, with: #""current": "Haet""#))
    #expect(
      wrong.contains(
        #"services[0].behaviour.follow[0].current: the service has no characteristic "Haet": did you mean "Heat"? [behaviour]"#
      ) && wrong.contains(":9:30: error"))
  }

  @Test("A malformed profile, and an unreadable file, is a problem of its file") func unreadable() throws {
    let scratch = ScratchFolder()
    let path = try file("{ // a comment\n}", in: scratch)
    let said = hapsim(["validate", path, scratch.path + "/none", scratch.path])
    #expect(said.exit == .cannotRun)
    #expect(hapsim(["validate", path]).exit == .problem)
    let lines = said.out.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("\(path):1:3: error: "))
    #expect(
      lines[1].hasPrefix("\(scratch.path)/none:1:1: error: ") && lines[1].hasSuffix("No such file or directory [file]"))
    #expect(lines[2].hasPrefix("\(scratch.path):1:1: error: ") && lines[2].hasSuffix("Is a directory [file]"))
    #expect(lines[3] == "3 errors, 0 warnings")
  }

  @Test("Faults in a profile are validated, each at its place") func faults() throws {
    let scratch = ScratchFolder()
    let text =
      #"{ "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "faults": FAULTS, "services": [ { "type": "LightBulb" } ] }"#
    let good = try file(text.replacing("FAULTS", with: #"["latency:by=2s", { "fault": "chunked" }]"#), in: scratch)
    #expect(hapsim(["validate", good]).exit == .well)
    let bad = try file(text.replacing("FAULTS", with: #"["latncy", { "fault": "latency", "by": 3 }, 5]"#), in: scratch)
    let said = hapsim(["validate", bad])
    #expect(said.exit == .problem)
    #expect(said.out.contains(#"error: faults[0]: there is no fault "latncy": did you mean "latency"? [fault]"#))
    #expect(said.out.contains("error: faults[1].by: by is a duration such as 500ms or 2s, not an integer [fault]"))
    #expect(said.out.contains("error: faults[2]: an object is expected, not an integer [fault]"))
  }

  @Test("Warnings alone don't change the exit status") func warnings() throws {
    let scratch = ScratchFolder()
    let path = try file(
      #"{ "format": "hasaccessory/1", "name": "Lamp", "category": "bridge", "bridgedAccessories": [ { "name": "A", "id": "a", "serialNumber": "SAME", "services": [ { "type": "LightBulb" } ] }, { "name": "B", "id": "b", "serialNumber": "SAME", "services": [ { "type": "LightBulb" } ] } ] }"#,
      in: scratch)
    let said = hapsim(["validate", path])
    #expect(said.exit == .well)
    #expect(said.out.contains("[serial-twice]"))
    #expect(said.out.hasSuffix("0 errors, 1 warning\n"))
  }

  @Test("A file that exceeds a profile's size limit is refused without being loaded") func huge() throws {
    let scratch = ScratchFolder()
    let path = try file("", in: scratch)
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: UInt64(profileSizeLimit) + 1)
    #expect(hapsim(["validate", path]).out.contains("has more than 16 MiB [file]"))
  }

  @Test("JSON has all problems by file, one object per line") func json() throws {
    let scratch = ScratchFolder()
    let path = try file(
      #"{ "format": "hasaccessory/1", "name": "Lamp", "services": [ { "type": "LightBlub" } ] }"#, in: scratch)
    let said = hapsim(["validate", "--json", path])
    #expect(said.exit == .problem)
    #expect(said.out.filter { $0 == "\n" }.count == 1)
    let profiles = try #require(try object(said.out)["profiles"] as? [[String: Any]])
    #expect(profiles.map { $0["file"] as? String } == [path])
    #expect(profiles.map { $0["servable"] as? Bool } == [false])
    let problems = try #require(profiles[0]["problems"] as? [[String: Any]])
    let problem = try #require(problems.first { $0["rule"] as? String == "type-unknown" })
    #expect(problem["severity"] as? String == "error")
    #expect(problem["path"] as? String == "services[0].type")
    #expect(problem["line"] as? Int == 1)
    #expect(problem["column"] as? Int == 71)
    #expect(try object(said.out)["errors"] as? Int == problems.filter { $0["severity"] as? String == "error" }.count)
  }

  // MARK: Matter

  @Test("With --matter, no shipped profile deviates from the catalogue of Matter") func matterOfProfiles() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: ours.path).filter { $0.hasSuffix(".hasaccessory") }
    let said = hapsim(["validate", "--matter"] + files.sorted().map { ours.appending(path: $0).path })
    #expect(said.exit == .well && !said.out.contains("warning"))
    #expect(said.out.components(separatedBy: ".hasaccessory in Matter:\n").count == files.count + 1)
  }

  @Test("The table has the places of services, and JSON has them as paths") func matterTable() throws {
    let lock = ours.appending(path: "switch.hasaccessory").path
    let lines = hapsim(["validate", "--matter", lock]).out.split(separator: "\n").map(String.init)
    #expect(Array(lines.prefix(2)) == ["\(lock): no problems", "\(lock) in Matter:"])
    #expect(
      lines[2].hasPrefix("  endpoint 1: 010F MountedOnOffControl (1.") && lines[2].hasSuffix("Switch, services[0])"))
    #expect(lines.contains { $0.contains("0000 OnOff") && $0.hasSuffix("true if On is true") })
    #expect(lines.contains { $0.hasSuffix("AccessoryInformation: its texts are in the clusters 0028 and 0039") })
    let json = try object(hapsim(["validate", "--matter", "--json", lock]).out)
    let profile = try #require((json["profiles"] as? [[String: Any]])?.first)
    let matter = try #require(profile["matter"] as? [String: Any])
    let service = try #require((matter["services"] as? [[String: Any]])?.first)
    #expect(service["path"] as? String == "services[0]" && service["endpoint"] as? Int == 1)
    #expect(((matter["endpoints"] as? [[String: Any]])?.first?["clusters"] as? [Any])?.count == 4)
    #expect(try object(hapsim(["validate", "--json", lock]).out)["matter"] == nil)
  }

  @Test("A wrong choice about Matter is an error with its path and place, also without --matter")
  func matterChoices() throws {
    let scratch = ScratchFolder()
    let path = try file(
      """
      { "format": "hasaccessory/1", "name": "Lamp", "services": [
        { "type": "LightBulb", "matter": { "deviceType": "DimmableLight" } },
        { "type": "Switch", "name": "B",
          "characteristics": [ { "type": "On", "matter": { "cluster": "FC01", "attribute": "1" } } ] } ] }
      """, in: scratch)
    for words in [["validate", path], ["validate", "--matter", path]] {
      let said = hapsim(words)
      #expect(said.exit == .problem && said.out.hasSuffix("2 errors, 0 warnings\n"))
      #expect(
        said.out.contains(
          "\(path):2:52: error: services[0].matter.deviceType: the device type 0101 DimmableLight demands the cluster 0008"
        ))
      #expect(
        said.out.contains(
          ":4:52: error: services[1].characteristics[0].matter: a cluster of Matter shows the characteristic already [matter]"
        ))
      #expect(!said.out.contains("in Matter:"))
    }
    // A profile with other errors is not mapped, but its choices are read.
    let broken = try file(
      #"{ "format": "hasaccessory/1", "name": "", "services": [ { "type": "LightBulb", "matter": { "deviceType": "Ligth" } } ] }"#,
      in: scratch)
    #expect(
      hapsim(["validate", broken]).out.contains(#"services[0].matter.deviceType: there is no device type "Ligth""#))
  }

  @Test("Copies of an accessory have one error for one choice") func matterCopies() throws {
    let scratch = ScratchFolder()
    let path = try file(
      #"{ "format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "bridgedAccessories": [ { "name": "A", "copies": 5, "services": [ { "type": "Outlet", "matter": { "deviceType": "DoorLock" } } ] } ] }"#,
      in: scratch)
    let out = hapsim(["validate", path]).out
    #expect(
      out.contains("bridgedAccessories[0].services[0].matter.deviceType: ") && out.hasSuffix("1 error, 0 warnings\n"))
  }

  @Test("Choices about Matter are checked for the vendor of the run") func matterVendor() throws {
    let scratch = ScratchFolder()
    let path = try file(
      """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [ { "type": "LightBulb",
        "characteristics": [
          { "type": "8D930002-860E-4115-99CE-0CB5D9674D77", "format": "uint8", "perms": ["pr"], "value": 5,
            "matter": { "cluster": "FC01", "attribute": "1" } },
          { "type": "8D930003-860E-4115-99CE-0CB5D9674D77", "format": "uint8", "perms": ["pr"], "value": 6,
            "matter": { "cluster": "FFF2FC01", "attribute": "1" } } ] } ] }
      """, in: scratch)
    #expect(LoadedProfile(operand: path).isServable && LoadedProfile(operand: path, matterVendor: 0xFFF3).isServable)
    let loaded = LoadedProfile(operand: path, matterVendor: 0xFFF2)
    #expect(!loaded.isServable)
    let message = "another characteristic of the service has the same place in the cluster FFF2FC01"
    let line = "\(path):6:17: error: services[0].characteristics[1].matter: \(message) [matter]"
    #expect([loaded].problemLines.filter { $0.contains("error") } == [line])
  }

  @Test("The errors of a profile that can't be mapped are thrown") func matterOfErrors() throws {
    let text = #"{ "format": "hasaccessory/1", "name": "", "services": [ { "type": "LightBulb" } ] }"#
    let profile = try #require(LoadedProfile(file: "x", json: Array(text.utf8)).profile)
    #expect(throws: (any Error).self) { _ = try MatterSide(profile) }
  }

  @Test("Copies of an accessory have one warning for what all of them lack") func matterConformanceOfCopies() throws {
    let scratch = ScratchFolder()
    let path = try file(
      """
      { "format": "hasaccessory/1", "exact": true, "name": "Bridge", "category": "bridge", "services": [
        { "type": "3E", "characteristics": [
          { "type": "23", "format": "string", "perms": ["pr"], "value": "Bridge" } ] } ],
        "bridgedAccessories": [ { "name": "Lamp", "copies": 7, "services": [
          { "type": "3E", "characteristics": [
            { "type": "23", "format": "string", "perms": ["pr"], "value": "Lamp" } ] },
          { "type": "43", "characteristics": [
            { "type": "25", "format": "bool", "perms": ["pr", "pw", "ev"], "value": false } ] } ] } ] }
      """, in: scratch)
    let out = hapsim(["validate", "--matter", path]).out
    let start = "bridgedAccessories[0].services[1]: the cluster 0003 Identify demands the command 0000 Identify: "
    #expect(out.contains(start + "a controller may refuse endpoints 2, 3, 4, 5, 6 and 2 more [matter-conformance]"))
    #expect(out.components(separatedBy: start).count == 2)
  }

  @Test("What Matter demands and an accessory lacks is a warning at the service") func matterConformance() throws {
    let scratch = ScratchFolder()
    // Without Identify, the cluster of that name has no command.
    let path = try file(
      """
      { "format": "hasaccessory/1", "exact": true, "name": "Lamp", "category": "lightbulb", "services": [
        { "type": "3E", "characteristics": [
          { "type": "23", "format": "string", "perms": ["pr"], "value": "Lamp" } ] },
        { "type": "43", "characteristics": [
          { "type": "25", "format": "bool", "perms": ["pr", "pw", "ev"], "value": false } ] } ] }
      """, in: scratch)
    let said = hapsim(["validate", "--matter", path])
    #expect(said.exit == .well && said.out.contains("in Matter:"))
    #expect(
      said.out.contains(
        "\(path):4:3: warning: services[1]: the cluster 0003 Identify demands the command 0000 Identify: a controller may refuse endpoint 1 [matter-conformance]"
      ))
    #expect(!hapsim(["validate", path]).out.contains("matter-conformance"))
  }

  @Test("Colour marks the severity, if there is colour") func colour() throws {
    let scratch = ScratchFolder()
    let path = try file("[]", in: scratch)
    let terminal = Terminal(isTerminal: true, columns: 80, hasColour: true)
    #expect(hapsim(["validate", path], output: terminal).out.contains("\u{1B}[31merror\u{1B}[0m"))
    #expect(!hapsim(["validate", path]).out.contains("\u{1B}"))
  }
}
