import HAPCommandLine
import HAPModel
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite struct TypesCommand {
  @Test(
    "A service is shown with its required and optional characteristics, in any spelling of its name",
    arguments: [
      "garagedooropener", "Garage Door Opener", "garage-door-opener", "41",
      "00000041-0000-1000-8000-0026BB765291",
    ])
  func service(_ word: String) {
    let said = hapsim(["types", word])
    #expect(said.exit == .well)
    #expect(said.out.hasPrefix("GarageDoorOpener  service 41, Garage Door Opener\n"))
    #expect(said.out.contains("\nrequired\n  CurrentDoorState     E   uint8   pr ev     0…4\n"))
    #expect(said.out.contains("\noptional\n  LockCurrentState     1D  uint8   pr ev     0…3\n"))
  }

  @Test("A characteristic is shown with format, permissions, range, words, default and services") func characteristic()
  {
    #expect(
      hapsim(["types", "target door state"])
        == Transcript(
          out: """
            TargetDoorState  characteristic 32, Target Door State
              uuid         00000032-0000-1000-8000-0026BB765291
              format       uint8
              perms        pr pw ev
              range        0…1
              words        0 open, 1 closed
              default      1 (closed)
              required by  GarageDoorOpener

            """))
  }

  @Test("A part of a name lists all matches") func search() {
    let said = hapsim(["types", "lock"]).out
    for name in ["LockMechanism", "LockManagement", "LockTargetState", "door-lock"] {
      #expect(said.contains("  \(name) "))
    }
    #expect(!said.contains("LightBulb"))
  }

  @Test("Without a name, all types are listed except withdrawn ones") func all() {
    let said = hapsim(["types"]).out
    for row in Catalogue.characteristics { #expect(said.contains("\n  \(row.identifier) ") != row.isWithdrawn) }
    for row in Catalogue.categories { #expect(said.contains("\n  \(row.slug) ")) }
    #expect(hapsim(["types", "TimeUpdate"]).out.contains("withdrawn by Apple"))
  }

  @Test("Each row of the catalogue can be shown, even in narrow terminals") func every() {
    let narrow = Terminal(isTerminal: true, columns: 40, hasColour: false)
    for row in Catalogue.characteristics {
      #expect(hapsim(["types", row.identifier], output: narrow).out.hasPrefix("\(row.identifier)  characteristic"))
    }
    for row in Catalogue.services {
      #expect(hapsim(["types", row.identifier], output: narrow).out.contains("\(row.identifier)"))
    }
  }

  @Test("An unknown name is an error with a suggestion") func unknown() {
    let said = hapsim(["types", "TargetDorState"])
    #expect(said.exit == .problem)
    #expect(said.out == "")
    #expect(said.error == "hapsim types: no type is named TargetDorState; did you mean TargetDoorState?\n")
    #expect(hapsim(["types", ""]).exit == .problem)
    #expect(hapsim(["types", "two", "words"]).exit == .usage)
  }

  @Test("JSON has the same facts, one object per line") func json() throws {
    let said = hapsim(["types", "TargetDoorState", "--json"])
    #expect(said.out.filter { $0 == "\n" }.count == 1)
    let rows = try #require(try object(said.out)["characteristics"] as? [[String: Any]])
    #expect(rows.count == 1)
    #expect(rows[0]["perms"] as? [String] == ["pr", "pw", "ev"])
    #expect(rows[0]["words"] as? [String: Int] == ["open": 0, "closed": 1])
    #expect(rows[0]["default"] as? Int == 1)
    let all = try object(hapsim(["types", "--json"]).out)
    #expect((all["services"] as? [Any])?.count == 72)
    #expect((all["characteristics"] as? [Any])?.count == 245)
    #expect((all["categories"] as? [Any])?.count == 37)
    let none = hapsim(["types", "nosuchthing", "--json"])
    #expect(none.out == "{\"services\":[],\"characteristics\":[],\"categories\":[]}\n")
    #expect(none.exit == .problem)
  }

  @Test("Names are highlighted only if there is colour") func colour() {
    let terminal = Terminal(isTerminal: true, columns: 80, hasColour: true)
    #expect(hapsim(["types", "8"], output: terminal).out.hasPrefix("\u{1B}[1mBrightness\u{1B}[0m"))
    #expect(!hapsim(["types", "8"]).out.contains("\u{1B}"))
  }
}
