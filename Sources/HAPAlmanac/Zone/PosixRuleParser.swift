extension PosixRule {
  /// Parses a rule such as "CET-1CEST,M3.5.0,M10.5.0/3".
  init(_ text: some Collection<UInt8>) throws(PosixRuleError) {
    var parser = PosixRuleParser(Array(text))
    self = try parser.rule()
  }
}

/// Reads the text of a rule from left to right.
private struct PosixRuleParser {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private func fail(_ part: PosixRuleError.Part) -> PosixRuleError {
    PosixRuleError(expected: part, position: position)
  }

  /// Consumes a character if it is the next one.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func rule() throws(PosixRuleError) -> PosixRule {
    let name = try abbreviation()
    let offset = try offset()
    let standard = LocalTimeType(offset: offset, abbreviation: name)
    guard next != nil else { return PosixRule(standard: standard, daylight: nil) }
    let daylightName = try abbreviation()
    var daylightOffset = offset + 3600
    if let next, next != UInt8(ascii: ",") { daylightOffset = try self.offset() }
    guard LocalTimeType.offsets.contains(daylightOffset) else { throw fail(.offset) }
    let daylight = PosixRule.Daylight(
      type: LocalTimeType(offset: daylightOffset, abbreviation: daylightName), start: try moment(), end: try moment())
    guard next == nil else { throw fail(.end) }
    return PosixRule(standard: standard, daylight: daylight)
  }

  private mutating func abbreviation() throws(PosixRuleError) -> String {
    let isQuoted = skip("<")
    let start = position
    while let next, Self.isLetter(next) || isQuoted && Self.isDigitOrSign(next) { position += 1 }
    let name = text[start..<position]
    guard name.count >= 3 else { throw fail(.abbreviation) }
    guard !isQuoted || skip(">") else { throw fail(.abbreviation) }
    return String(decoding: name, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & ~0x20) }

  private static func isDigitOrSign(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }

  /// Returns seconds east of UTC. In the text, the west is positive.
  private mutating func offset() throws(PosixRuleError) -> Int {
    -(try clock(hourDigits: 2, mostHours: 24, .offset))
  }

  /// Returns the seconds of `[+-]hours[:minutes[:seconds]]`.
  private mutating func clock(hourDigits: Int, mostHours: Int, _ part: PosixRuleError.Part) throws(PosixRuleError)
    -> Int
  {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative || next == UInt8(ascii: "+") { position += 1 }
    var seconds = try number(digits: 1...hourDigits, in: 0...mostHours, part) * 3600
    if skip(":") {
      seconds += try number(digits: 2...2, in: 0...59, part) * 60
      if skip(":") { seconds += try number(digits: 2...2, in: 0...59, part) }
    }
    return isNegative ? -seconds : seconds
  }

  private mutating func number(digits: ClosedRange<Int>, in range: ClosedRange<Int>, _ part: PosixRuleError.Part)
    throws(PosixRuleError) -> Int
  {
    let start = position
    var number = 0
    while let next, (0x30...0x39).contains(next), position - start < digits.upperBound {
      number = number * 10 + Int(next) - 0x30
      position += 1
    }
    guard position - start >= digits.lowerBound else { throw fail(part) }
    guard range.contains(number) else {
      position = start
      throw fail(part)
    }
    return number
  }

  /// Reads a comma, a date, and a time after a slash. Without a time, it is 02:00.
  private mutating func moment() throws(PosixRuleError) -> PosixRule.Moment {
    guard skip(",") else { throw fail(.dates) }
    let day = try day()
    guard skip("/") else { return PosixRule.Moment(day: day, time: 2 * 3600) }
    return PosixRule.Moment(day: day, time: try clock(hourDigits: 3, mostHours: 167, .time))
  }

  private mutating func day() throws(PosixRuleError) -> PosixRule.Day {
    if skip("J") { return .julian(try number(digits: 1...3, in: 1...365, .date)) }
    guard skip("M") else { return .zeroBased(try number(digits: 1...3, in: 0...365, .date)) }
    let month = try number(digits: 1...2, in: 1...12, .date)
    guard skip(".") else { throw fail(.date) }
    let week = try number(digits: 1...1, in: 1...5, .date)
    guard skip(".") else { throw fail(.date) }
    return .weekday(month: month, week: week, weekday: try number(digits: 1...1, in: 0...6, .date))
  }
}
