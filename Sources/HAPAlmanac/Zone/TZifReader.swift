extension ZoneRules {
  /// Reads the file of a time zone, of version 1 to 4 or later (RFC 9636).
  ///
  /// Version 1 has only times of 32 bits and no rule for later years, so the last local time type of the table stays in
  /// effect. Files with leap seconds are refused.
  /// - Parameter bytes: the content of the file, at most 256 KiB.
  public init(tzif bytes: [UInt8]) throws(TZifError) {
    guard bytes.count <= 1 << 18 else { throw .tooLong(bytes.count) }
    var reader = TZifReader(bytes)
    let header = try reader.header()
    guard header.hasLongTimes else {
      self = try reader.block(header, timeSize: 4)
      return
    }
    // The first block is for readers of version 1.
    _ = try reader.take(header.byteCount(timeSize: 4))
    let rules = try reader.block(try reader.header(), timeSize: 8)
    self.init(rules, footer: try reader.footer())
  }
}

/// Reads the parts of a file in their order.
private struct TZifReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  struct Header {
    let hasLongTimes: Bool
    /// The offset of the counts.
    let position: Int
    let utIndicators, standardIndicators, leapSeconds, times, types, designations: Int

    func byteCount(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + designations + leapSeconds * (timeSize + 4) + standardIndicators
        + utIndicators
    }
  }

  mutating func take(_ count: Int) throws(TZifError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated(at: position) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads a big-endian number with a sign.
  private mutating func number(size: Int) throws(TZifError) -> Int {
    let unsigned = try take(size).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let unused = UInt64(64 - size * 8)
    return Int(Int64(bitPattern: unsigned << unused) >> Int64(unused))
  }

  mutating func header() throws(TZifError) -> Header {
    let start = position
    guard bytes[start...].starts(with: Array("TZif".utf8)) else { throw .notTZif(at: start) }
    _ = try take(4)
    let version = try take(1).reduce(0, |)
    // Each version after the second one can be read as the second one (RFC 9636 §4).
    guard version == 0 || (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(version) else {
      throw .unknownVersion(version)
    }
    _ = try take(15)
    let counts = position
    var numbers: [Int] = []
    for _ in 0..<6 { numbers.append(try number(size: 4) & 0xFFFF_FFFF) }
    return Header(
      hasLongTimes: version != 0, position: counts, utIndicators: numbers[0], standardIndicators: numbers[1],
      leapSeconds: numbers[2], times: numbers[3], types: numbers[4], designations: numbers[5])
  }

  mutating func block(_ header: Header, timeSize: Int) throws(TZifError) -> ZoneRules {
    guard header.types > 0 else { throw .broken(.typeCount, at: header.position + 16) }
    guard header.designations > 0 else { throw .broken(.designationCount, at: header.position + 20) }
    guard [0, header.types].contains(header.utIndicators) else { throw .broken(.indicatorCount, at: header.position) }
    guard [0, header.types].contains(header.standardIndicators) else {
      throw .broken(.indicatorCount, at: header.position + 4)
    }
    guard header.leapSeconds == 0 else { throw .leapSeconds }
    guard header.byteCount(timeSize: timeSize) <= bytes.count - position else { throw .truncated(at: position) }
    let times = try times(header, size: timeSize)
    let types = try transitionTypes(header)
    let records = position
    _ = try take(header.types * 6)
    let designations = try take(header.designations)
    let end = position
    position = records
    var localTypes: [LocalTimeType] = []
    for _ in 0..<header.types { localTypes.append(try localType(designations)) }
    position = end
    _ = try take(header.standardIndicators + header.utIndicators)
    return ZoneRules(times: times, types: types, localTypes: localTypes, footer: nil)
  }

  private mutating func times(_ header: Header, size: Int) throws(TZifError) -> [Int] {
    var times: [Int] = []
    for _ in 0..<header.times {
      let start = position
      let time = try number(size: size)
      if let last = times.last, time <= last { throw .broken(.transitionOrder, at: start) }
      times.append(time)
    }
    return times
  }

  private mutating func transitionTypes(_ header: Header) throws(TZifError) -> [UInt8] {
    let start = position
    let types = Array(try take(header.times))
    if let index = types.firstIndex(where: { $0 >= header.types }) { throw .broken(.transitionType, at: start + index) }
    return types
  }

  private mutating func localType(_ designations: ArraySlice<UInt8>) throws(TZifError) -> LocalTimeType {
    let start = position
    let offset = try number(size: 4)
    guard LocalTimeType.offsets.contains(offset) else { throw .broken(.offset, at: start) }
    guard try number(size: 1) & ~1 == 0 else { throw .broken(.daylightFlag, at: start + 4) }
    let index = try number(size: 1) & 0xFF
    let rest = designations.dropFirst(index)
    guard let end = rest.firstIndex(of: 0), rest[..<end].allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw .broken(.designation, at: start + 5)
    }
    return LocalTimeType(offset: offset, abbreviation: String(decoding: rest[..<end], as: UTF8.self))
  }

  /// Reads the rule for later years; nil if it is empty. Bytes after it belong to later versions of the format.
  mutating func footer() throws(TZifError) -> PosixRule? {
    let newline = UInt8(ascii: "\n")
    let rest = bytes[position...]
    guard rest.first == newline, let end = rest.dropFirst().firstIndex(of: newline) else {
      throw .broken(.footerFrame, at: position)
    }
    let text = rest[rest.startIndex + 1..<end]
    guard !text.isEmpty else { return nil }
    do { return try PosixRule(text) } catch { throw .footer(error) }
  }
}
