import Foundation
import Testing

/// Checked: these tests fail with a defect among the options of hapsim.
@Suite("haptest against the shipped profiles, in a simulated world") struct ProfileTests {
  /// A third of the profiles, different ones each day; all of them with `HAPSIM_PROFILES=all`. `make nightly` runs all
  /// cases on all of them.
  private static let chosen: [String] = {
    let environment = ProcessInfo.processInfo.environment
    if environment["HAPSIM_PROFILES"] == "all" { return shipped }
    let day = Int(Date().timeIntervalSince1970 / 86_400)
    return shipped.enumerated().filter { $0.offset % 3 == day % 3 }.map(\.element)
  }()

  /// The largest first, because it takes as long as ten others.
  private static let shipped: [String] = {
    let keys: Set<URLResourceKey> = [.fileSizeKey]
    let files =
      (try? FileManager.default.contentsOfDirectory(at: Laboratory.profiles, includingPropertiesForKeys: Array(keys)))
      ?? []
    func size(_ file: URL) -> Int { (try? file.resourceValues(forKeys: keys).fileSize) ?? 0 }
    return files.filter { $0.pathExtension == "hasaccessory" }.map { (-size($0), $0) }
      .sorted { ($0.0, $0.1.path) < ($1.0, $1.1.path) }.map { $0.1.deletingPathExtension().lastPathComponent }
  }()

  @Test("There are profiles") func profiles() { #expect(Self.shipped.count > 50) }

  /// The cases that depend on the profile's services, values and limits; other cases have equal results.
  @Test("No profile fails a case", arguments: chosen) func noneIsAccused(_ profile: String) throws {
    let result = try Laboratory.test(profile, select: "database,read,write,events,services,identify")
    #expect(result.isWell, "\(result.output)")
    #expect(result.verdicts.values.filter { $0 == "pass" }.count > 50)
  }
}
