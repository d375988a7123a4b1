@testable import HAPAlmanac

/// The parts of a TZif file, to write valid and malformed ones.
struct TZifFile {
  var version = UInt8(ascii: "2")
  var times: [Int] = [1_000, 2_000]
  var transitionTypes: [UInt8] = [1, 0]
  /// Offset, flag for daylight-saving time, index of the abbreviation.
  var types: [(offset: Int32, flag: UInt8, index: UInt8)] = [(3_600, 0, 0), (7_200, 1, 4)]
  var designations: [UInt8] = Array("CET\0CEST\0".utf8)
  var leapSeconds: [Int] = []
  var standardIndicators: [UInt8] = []
  var utIndicators: [UInt8] = []
  var footer = "\nCET-1\n"
  /// Counts that replace the actual ones, by their place in the header.
  var counts: [Int: UInt32] = [:]

  /// The header and a block, with times of 4 or 8 bytes.
  func block(timeSize: Int) -> [UInt8] {
    let actual = [
      utIndicators.count, standardIndicators.count, leapSeconds.count, times.count, types.count, designations.count,
    ]
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for (place, count) in actual.enumerated() { bytes += number(Int(counts[place] ?? UInt32(count)), size: 4) }
    for time in times { bytes += number(time, size: timeSize) }
    bytes += transitionTypes
    for type in types { bytes += number(Int(type.offset), size: 4) + [type.flag, type.index] }
    bytes += designations
    for time in leapSeconds { bytes += number(time, size: timeSize) + number(1, size: 4) }
    return bytes + standardIndicators + utIndicators
  }

  /// The file: one block for version 1, otherwise two blocks and the footer.
  var bytes: [UInt8] {
    if version == 0 { return block(timeSize: 4) }
    // The first block of compact files has one type and no transition.
    let first = TZifFile(version: version, times: [], transitionTypes: [], types: [(0, 0, 0)], designations: [0])
    return first.block(timeSize: 4) + block(timeSize: 8) + Array(footer.utf8)
  }

  /// The offset of the second header in a file whose first block has 51 bytes.
  static let second = 51

  private func number(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> ((size - 1 - $0) * 8)) }
  }
}
