import Testing

/// Attributes and pairings are independent of protocols: HAP over IP, Bluetooth LE and Matter are front ends of them.
struct AttributeTests {
  /// Terms of protocols, and the modules and types that write and read them.
  private static let words = ["http", "json", "frame", "connectioncore", "accessorycore", "bytebuffer"]

  /// Checked: this test fails with the file of the JSON of an attribute database in the folder.
  @Test("Attributes and pairings name no protocol and none of its types", arguments: ["HAPAttributes", "HAPPairing"])
  func words(_ target: String) throws {
    let files = try SourceFile.all(in: ["Sources/\(target)"])
    #expect(files.count >= 10)
    for file in files {
      for (number, line) in file.lines.enumerated() {
        let found = Self.words.filter { line.lowercased().contains($0) }
        #expect(found.isEmpty, "\(file.path):\(number + 1) names \(found)")
      }
    }
  }

  /// Terms of deliberate deviations.
  private static let deviations = [
    "defect", "misbehav", "on purpose", "deviant", "manner", "recount", "setupfault", "alteration",
  ]

  /// Checked: this test fails with `FrameAlteration` in `Sources/HAPIP`.
  @Test("The protocol code contains no deviations", arguments: ["HAPIP", "HAPAttributes", "HAPPairing"])
  func deviations(_ target: String) throws {
    for file in try SourceFile.all(in: ["Sources/\(target)"]) {
      for (number, line) in file.lines.enumerated() {
        let found = Self.deviations.filter { line.lowercased().contains($0) }
        #expect(found.isEmpty, "\(file.path):\(number + 1) names \(found)")
      }
    }
  }

  /// The statuses that HAP over IP decides itself, by file. Each concerns a complete request, whose form is specific to
  /// IP.
  private static let decided = [
    // `POST /identify` is refused if the accessory is paired.
    "Sources/HAPIP/Accessory/AccessoryCore+Requests.swift": ["insufficientPrivileges"],
    // A request without a session, in the default answer.
    "Sources/HAPIP/Accessory/IPQuirks.swift": ["insufficientAuthorization"],
    // An id occurs twice in a query.
    "Sources/HAPIP/Reading/AccessoryCore+Reading.swift": ["invalidValue"],
    // An id occurs twice in a body; a `pid` was not prepared.
    "Sources/HAPIP/Writing/AccessoryCore+Writing.swift": ["invalidValue"],
  ]

  /// Checked: this test fails with a check of the permission to read in `AccessoryCore.writeRead`, which answered
  /// `.writeOnly`.
  @Test("HAP over IP decides neither a status of an attribute nor an error of a pairing procedure")
  func noRules() throws {
    let statuses = try Self.cases(of: "HAPStatus", in: "Sources/HAPModel")
    let errors = try Self.cases(of: "PairingError", in: "Sources/HAPWire")
    try #require(statuses.contains("writeOnly") && errors.contains("maxTries"))
    var found: [String: Set<String>] = [:]
    for file in try SourceFile.all(in: ["Sources/HAPIP"]) {
      for line in file.lines where !line.contains("//") {
        for word in line.split(whereSeparator: { !($0.isLetter || $0 == ".") }) {
          guard let name = word.split(separator: ".").last.map(String.init), word.contains(".") else { continue }
          if statuses.contains(name) || errors.contains(name) { found[file.path, default: []].insert(name) }
        }
      }
    }
    #expect(found == Self.decided.mapValues { Set($0) })
  }

  private static func cases(of type: String, in folder: String) throws -> Set<String> {
    let file = try SourceFile.all(in: [folder]).first { file in
      file.lines.contains { $0.contains("enum \(type)") }
    }.orFail("\(type) is not in \(folder)")
    let lines = file.lines.drop { !$0.contains("enum \(type)") }.dropFirst().prefix { !$0.hasPrefix("}") }
    let names = lines.compactMap { line in
      let words = line.split(separator: " ")
      return words.first == "case" ? String(words[1].prefix { $0.isLetter }) : nil
    }
    // Success is not an error, and the name "unknown" has other meanings.
    return Set(names).subtracting(["success", "unknown"])
  }
}
