import Foundation
import HAPAlmanac
import HAPHub
import HapctlHub
import Testing

@Suite("Time zones of the machine") struct SystemZonesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")

  private func inFolder(_ files: [String: Data], _ body: (SystemZones) throws -> Void) throws {
    for (name, data) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(SystemZones(folder: folder.path))
  }

  @Test("The system's zones are found") func system() throws {
    let zone = try SystemZones(folder: nil).read(#require(ZoneName("Europe/Berlin")))
    #expect(zone.type(at: Instant(seconds: 1_780_000_000)).offset == 7200)
    #expect(
      try SystemZones(folder: "").read(#require(ZoneName("Asia/Tokyo"))).type(at: Instant(seconds: 0)).offset == 32_400)
  }

  @Test("Without data, the error names the package; UTC needs none") func noData() throws {
    let (berlin, zones) = (try #require(ZoneName("Europe/Berlin")), SystemZones(folder: folder.path))
    let error = #expect(throws: ZoneError.self) { try zones.read(berlin) }
    #expect(error == .noData(berlin) && error.map { "\($0)".contains("tzdata") } == true)
    #expect(zones.rules(of: berlin) == nil && zones.rules(of: .utc) != nil)
  }

  @Test("An unknown zone and a malformed file are distinguished") func wrong() throws {
    let utc = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/UTC"))
    try inFolder(["UTC": utc, "Europe/Berlin": Data("TZif".utf8)]) { zones in
      let berlin = try #require(ZoneName("Europe/Berlin"))
      let atlantis = try #require(ZoneName("Europe/Atlantis"))
      #expect(throws: ZoneError.unknown(atlantis)) { try zones.read(atlantis) }
      let error = #expect(throws: ZoneError.self) { try zones.read(berlin) }
      guard case .malformed(berlin, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      // A folder is not a file.
      #expect(throws: ZoneError.self) { try zones.read(#require(ZoneName("Europe"))) }
    }
  }
}
