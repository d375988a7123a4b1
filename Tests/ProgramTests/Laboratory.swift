import Foundation
import HAPCommandLine
import WorldPrograms

/// Runs haptest in a simulated world, against the hapsim that it starts there.
enum Laboratory {
  static let profiles = URL(filePath: #filePath).appending(path: "../../../Profiles").standardized

  struct Result {
    var test: SimulatedTest.Result
    /// The verdict of each case, by its id.
    var verdicts: [String: String]
    /// The end of haptest's output.
    var output: String
    var isWell: Bool { test.code == .well && test.foreignJobCount == 0 }
  }

  /// - Parameters:
  ///   - profile: the name of a shipped profile.
  ///   - options: the options of hapsim.
  static func test(_ profile: String, _ options: [String] = [], select: String) throws -> Result {
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = folder.appending(path: "report.json")
    let path = profiles.appending(path: "\(profile).hasaccessory").path
    // At 20× real time, so that cases don't wait for doors.
    let serve =
      [
        "hapsim", "run", path, "--commands", "--interface", "lo", "--ephemeral", "--control", "off", "--time-scale",
        "20",
      ]
      + options
    let words = [
      "--exec", serve.map { "'\($0)'" }.joined(separator: " "), "--interface", "lo", "--seed", "1", "--select", select,
      "--report-json", report.path,
    ]
    let lines = Lines()
    let result = SimulatedTest(words).run(Console(out: { lines.add($0) }, error: { lines.add($0) }))
    return Result(test: result, verdicts: try verdicts(of: report), output: String(lines.text.suffix(3000)))
  }

  /// A temporary folder, which the caller removes.
  static func newFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// The verdict of each case, by its id.
  static func verdicts(of report: URL) throws -> [String: String] {
    guard let data = try? Data(contentsOf: report) else { return [:] }
    struct Report: Decodable {
      struct Case: Decodable {
        var id: String
        var result: String
      }
      var cases: [Case]
    }
    let cases = try JSONDecoder().decode(Report.self, from: data).cases
    return Dictionary(uniqueKeysWithValues: cases.map { ($0.id, $0.result) })
  }
}

final class Lines: @unchecked Sendable {  // confined to the world's thread
  private(set) var text = ""
  func add(_ line: String) { text += line }
}
