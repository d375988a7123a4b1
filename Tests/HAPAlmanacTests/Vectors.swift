import Foundation

@testable import HAPAlmanac

private func vectorFile(_ name: String) -> [String: Any] {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Vectors/almanac/\(name).json")
  return try! JSONSerialization.jsonObject(with: Data(contentsOf: file)) as! [String: Any]
}

/// A zone of `Tests/Vectors/almanac/zones.json`: the file of the zone, and its types by Python's zoneinfo.
struct ZoneVector: CustomStringConvertible, Sendable {
  let name: String
  let file: [UInt8]
  /// The type at the start of 1970, and from each transition until the end of 2100.
  let changes: [(seconds: Int, type: LocalTimeType)]
  var description: String { name }

  var rules: ZoneRules { get throws { try ZoneRules(tzif: file) } }

  static let all: [ZoneVector] = (vectorFile("zones")["zones"] as! [[String: Any]]).map { entry in
    let types = (entry["types"] as! [[Any]]).map {
      LocalTimeType(offset: $0[0] as! Int, abbreviation: $0[1] as! String)
    }
    return ZoneVector(
      name: entry["name"] as! String, file: [UInt8](Data(base64Encoded: entry["tzif"] as! String)!),
      changes: (entry["transitions"] as! [[Int]]).map { ($0[0], types[$0[1]]) })
  }

  /// The end of 2100, in seconds from 1970.
  static let end = 4_133_980_800
}

/// Returns the rules of a zone of the vectors.
func zone(_ name: String) -> ZoneRules {
  try! ZoneVector.all.first { $0.name == name }!.rules
}

/// The events of a place in `Tests/Vectors/almanac/sun.json`, by libastro.
struct SunVector: CustomStringConvertible, Sendable {
  let place: Coordinate
  /// Solar days from 1970, with the seconds from mean noon to sunrise and to sunset.
  let days: [(day: Int, events: [Int?])]
  var description: String { "\(place.latitude), \(place.longitude)" }

  static let all: [SunVector] = {
    let file = vectorFile("sun")
    let days = file["days"] as! [String: [Int]]
    return (file["events"] as! [[Any]]).map { row in
      let events = (row[3] as! [[Any]]).map { $0.map { $0 as? Int } }
      return SunVector(place: place(row[0], row[1]), days: zip(days[row[2] as! String]!, events).map { ($0, $1) })
    }
  }()

  fileprivate static func place(_ latitude: Any, _ longitude: Any) -> Coordinate {
    Coordinate(latitude: (latitude as! NSNumber).doubleValue, longitude: (longitude as! NSNumber).doubleValue)!
  }
}

/// The events of a civil day at a place, in civil time.
struct CityVector: CustomStringConvertible, Sendable {
  let zone: String
  let place: Coordinate
  let date: CivilDate
  let sunrise, sunset: CivilTime?
  var description: String { "\(zone) \(date)" }

  static let all: [CityVector] = (vectorFile("sun")["cities"] as! [[Any]]).map { row in
    CityVector(
      zone: row[0] as! String, place: SunVector.place(row[1], row[2]), date: try! CivilDate(row[3] as! String),
      sunrise: (row[4] as? String).map { try! CivilTime($0) }, sunset: (row[5] as? String).map { try! CivilTime($0) })
  }
}
