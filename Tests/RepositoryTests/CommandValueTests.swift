import Foundation
import Testing

/// Commands, faults, defects, and steps of scenarios and suites are passed between targets as values. Their JSON occurs
/// only at the input and the output.
struct CommandValueTests {
  /// Code that reads a command or a fault from JSON or from a line.
  private static let reads = try! NSRegularExpression(
    pattern:
      #"SimulatorCommand\((json:|node\))|, membersOf: |SimulatorCommand\.Action\(name, node\)|FaultLibrary\.builtIn\.choice\(|definition\.choice\("#
  )

  /// The files that read commands and faults, each with the source of its text.
  private static let readers = [
    // A line of standard input or of the socket.
    "CommandTaker.swift",
    // `POST /v1/commands`.
    "ControlAPI+Time.swift",
    // The body of an action.
    "ControlAPI+Characteristics.swift",
    // The body with a fault's parameters.
    "ControlAPI+Faults.swift",
    // The arguments of `hapsim ctl`.
    "ControlWords.swift",
    // A scenario's file.
    "ScenarioReader.swift",
    // A user's test: a command as a text.
    "ServedAccessory.swift",
    // A profile, a fleet, and `--fault`.
    "AccessoryProfile+Faults.swift", "FleetReader.swift", "LoadedFleet.swift", "RunOptions+Parsing.swift",
    // The reader itself.
    "SimulatorCommand.swift", "SimulatorCommand+JSON.swift",
  ]

  /// Checked: this test fails with `SimulatorCommand(json:)` in `ScenarioRun.perform`.
  @Test("Commands and faults are parsed only in the listed files") func readersAreListed() throws {
    var found: Set<String> = []
    for file in try SourceFile.all(in: ["Sources"]) {
      for line in file.lines where !line.contains("//") {
        let range = NSRange(line.startIndex..., in: line)
        if Self.reads.firstMatch(in: line, range: range) != nil { found.insert(Self.name(file)) }
      }
    }
    #expect(found == Set(Self.readers), "\(found.symmetricDifference(Self.readers).sorted())")
  }

  /// The targets that pass on commands, faults, defects and steps.
  private static let targets = [
    "HAPDeviations", "HAPVocabulary", "HAPScenario", "HAPCommands", "HAPPreparation", "HAPFrontEnds",
    "HAPHost", "HAPSuite",
  ]

  /// The files with JSON in declarations for other targets, each with its meaning.
  private static let declaring = [
    // Readers and printers.
    "FaultLibrary.swift", "FaultAction.swift", "ConnectionScope.swift", "Defect+Reading.swift",
    "SimulatorCommand.swift",
    "SimulatorCommand+JSON.swift", "Words+JSON.swift",
    // Contents of messages that a defect changes: a device may send any JSON. Claims come from a file of the user.
    "Changes.swift", "DefectScript.swift", "Defect.swift",
    // Parameters of behaviours, which a fleet generates.
    "AccessoryCopy.swift", "PreparedAccessory.swift",
    // The members `matter` of a profile, which only the front end over Matter reads.
    "RunSetup.swift", "FrontEnd.swift",
    // The reader of suites, and the places of its errors.
    "SuiteReader.swift", "StepError.swift",
    // Values of variables, patterns for JSON, and JSON that a case sends: data of the case.
    "Scope.swift", "Step.swift", "StepAction.swift", "ValueActions.swift", "Expectation.swift", "MulticastAction.swift",
    "SendAction.swift",
  ]

  /// Checked: this test fails with the parameter of `SimulatedAccessory.follow` as a `JSONNode`.
  @Test("Declarations for other targets contain no JSON, except for readers, printers and contents of messages")
  func declarationsAreListed() throws {
    var found: Set<String> = []
    for file in try SourceFile.all(in: Self.targets.map { "Sources/\($0)" }) {
      for text in Self.declarations(file) where text.contains("JSONNode") || text.contains("JSONValue") {
        found.insert(Self.name(file))
      }
    }
    #expect(found == Set(Self.declaring), "\(found.symmetricDifference(Self.declaring).sorted())")
  }

  @Test("A declaration over several lines is found completely, and so are members of protocols and enums")
  func declarationsAreFound() {
    let file = SourceFile(
      path: "x.swift",
      text: """
        package protocol World {
          func a(_ node: A)
        }
        struct Hidden { let node: B }
        package func b(
          _ node: C
        ) {
          let inner: D
        }
        package enum Step {
          case one(E)
        }
        """)
    let text = Self.declarations(file).joined()
    #expect(["A", "C", "E"].allSatisfy { text.contains(": \($0)") || text.contains("(\($0))") })
    #expect(!text.contains(": B") && !text.contains(": D"))
  }

  private static func name(_ file: SourceFile) -> String { String(file.path.split(separator: "/").last ?? "") }

  /// The texts of `package` and `public` declarations, and of the members of such protocols and the cases of such
  /// enums.
  private static func declarations(_ file: SourceFile) -> [String] {
    var found: [String] = []
    var isOpen = false
    /// The indentation of the members of a protocol or an enum.
    var members: String?
    for line in file.lines {
      let indentation = String(line.prefix { $0 == " " })
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("//") { continue }
      if isOpen {
        found[found.count - 1] += " " + text
        isOpen = !text.hasPrefix(")") && !text.hasSuffix("{")
        continue
      }
      if text == "}", let inside = members, indentation.count < inside.count { members = nil }
      let isVisible = text.hasPrefix("package ") || text.hasPrefix("public ")
      let isMember =
        members == indentation && ["func ", "var ", "case ", "associatedtype "].contains { text.hasPrefix($0) }
      guard isVisible || isMember else { continue }
      if text.contains(" protocol ") || text.contains("enum "), text.hasSuffix("{") {
        members = indentation + "  "
      } else {
        found.append(text)
        isOpen = text.hasSuffix("(")
      }
    }
    return found
  }
}
