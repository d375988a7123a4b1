import Foundation
import HAPCommandLine
import HAPDevices
import HAPModel
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite("hapsim behaviours") struct BehavioursCommandTests {
  @Test(
    "A service is shown with its parameters, kinds, defaults and actions, in any spelling of its name",
    arguments: ["GarageDoorOpener", "garage door opener", "garage-door-opener", "41"])
  func service(_ word: String) {
    let said = hapsim(["behaviours", word])
    #expect(said.exit == .well && said.error == "")
    #expect(said.out.hasPrefix("GarageDoorOpener\n  The door travels to its target, and reacts to obstructions.\n"))
    #expect(said.out.contains("\n  travelTime     duration; default 10s. Time from closed to open, or back.\n"))
    #expect(said.out.contains("\n  onObstruction  reverse or stop; default reverse. Reaction of a"))
    #expect(said.out.contains("\n  actions        jam\n"))
  }

  @Test("Without a service all are listed, sorted by name") func all() {
    let said = hapsim(["behaviours"])
    let kinds = BehaviourRegistry.standard.kinds
    let names = said.out.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
    #expect(names.count == kinds.count && names.last == "any other service")
    #expect(names.dropLast() == kinds.compactMap { $0.service?.identifier }.sorted()[...])
    #expect(said.out.contains("\n  follow[].current"))
    #expect(!said.out.contains("\n\n\n"))
  }

  @Test("The output fits the terminal, and names are highlighted if there is colour", arguments: [40, 63, 100])
  func widths(columns: Int) {
    let terminal = Terminal(isTerminal: true, columns: columns, hasColour: true)
    let said = hapsim(["behaviours"], output: terminal).out
    #expect(said.hasPrefix("\u{1B}[1mAirPurifier\u{1B}[0m\n"))
    for line in said.split(separator: "\n") where !line.contains("\u{1B}") {
      #expect(line.count <= columns || line.split(separator: " ").count <= 2, "\(line)")
    }
  }

  @Test(
    "For a service without a behaviour, the possible parameters are shown",
    arguments: [
      "ServiceLabel", "8D930001-860E-4115-99CE-0CB5D9674D77",
    ]) func own(word: String)
  {
    let said = hapsim(["behaviours", word])
    #expect(said.exit == .well)
    let words = said.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.hasPrefix("\(word) has no built-in behaviour, but can have this one: any other service "))
    #expect(said.out.contains("\n  follow[].current   characteristic; required. "))
  }

  @Test("An unknown service is an error with the nearest name") func unknown() {
    #expect(
      hapsim(["behaviours", "Lihgt Bulb"])
        == Transcript(
          error: "hapsim behaviours: no service is named \"Lihgt Bulb\"; did you mean LightBulb?\n", exit: .problem))
    #expect(
      hapsim(["behaviours", "AccessoryInformation"])
        == Transcript(
          error: "hapsim behaviours: AccessoryInformation has no behaviour, and can't have one\n", exit: .problem))
    #expect(hapsim(["behaviours", "quite another thing"]).error.hasSuffix("named \"quite another thing\"\n"))
    #expect(hapsim(["behaviours", "two", "words"]).exit == .usage)
  }

  @Test("JSON has the same facts, one object per line") func json() throws {
    let said = hapsim(["behaviours", "--json"]).out
    #expect(said.filter { $0 == "\n" }.count == 1)
    let rows = try #require(try object(said)["behaviours"] as? [[String: Any]])
    #expect(rows.count == BehaviourRegistry.standard.kinds.count)
    let light = try #require(rows.first { $0["service"] as? String == "LightBulb" })
    #expect(light["type"] as? String == "43" && light["actions"] as? [String] == ["press"])
    let parameters = try #require(light["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["name"] as? String } == ["showsFade", "report"])
    #expect(parameters[0]["default"] as? Bool == false)
    #expect(parameters[1]["kind"] as? String == "duration" && parameters[1]["default"] as? String == "250ms")
    #expect(parameters[1]["summary"] as? String == "How often Brightness is reported during a fade.")
    let speaker = try #require(rows.first { $0["service"] as? String == "Speaker" })
    #expect((speaker["parameters"] as? [[String: Any]])?.first?["default"] as? Int == 5)
    let any = try #require(rows.last)
    #expect(any["service"] is NSNull)
    let members = try #require(any["parameters"] as? [[String: Any]])
    #expect((members[0]["default"] as? [Any])?.isEmpty == true)
    #expect(members[1]["name"] as? String == "follow[].current" && members[1]["default"] == nil)
  }
}
