import Foundation
import HAPAlmanac

/// The zones of `Tests/Vectors/almanac/zones.json`.
enum TestZones {
  /// The offsets by Python's zoneinfo: from each of the seconds of 1970.
  struct Zone: Sendable {
    let rules: ZoneRules
    let changes: [(seconds: Int, offset: Int)]
  }

  static let all: [String: Zone] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors/almanac/zones.json")
    let content = try! JSONSerialization.jsonObject(with: Data(contentsOf: file)) as! [String: Any]
    var zones: [String: Zone] = [:]
    for entry in content["zones"] as! [[String: Any]] {
      let types = (entry["types"] as! [[Any]]).map { $0[0] as! Int }
      let bytes = [UInt8](Data(base64Encoded: entry["tzif"] as! String)!)
      zones[entry["name"] as! String] = Zone(
        rules: try! ZoneRules(tzif: bytes), changes: (entry["transitions"] as! [[Int]]).map { ($0[0], types[$0[1]]) })
    }
    return zones
  }()

  /// Berlin is in the file with a long table.
  static func zone(_ name: String) -> Zone? { all[name] ?? all["\(name), long table"] }

  static func rules(_ name: ZoneName) -> ZoneRules? { name == .utc ? .utc : zone(name.text)?.rules }
}
