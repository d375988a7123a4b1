extension CivilDate: CustomStringConvertible {
  private static let form = "YYYY-MM-DD"

  /// Parses a date of the form "2026-10-25". A year has four digits.
  public init(_ text: String) throws(CivilError) {
    var reader = CivilTextReader(text, form: Self.form)
    try self.init(reading: &reader)
    try reader.end()
  }

  fileprivate init(reading reader: inout CivilTextReader) throws(CivilError) {
    let year = try reader.number(digits: 4)
    try reader.skip("-")
    let month = try reader.number(digits: 2)
    try reader.skip("-")
    try self.init(year: year, month: month, day: try reader.number(digits: 2))
  }

  /// The form "2026-10-25".
  public var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension CivilTime: CustomStringConvertible {
  private static let form = "YYYY-MM-DDTHH:MM[:SS[.fraction]]"

  /// Parses a time of the form "2026-10-25T02:30", with or without seconds, which may have a fraction of one to nine
  /// digits.
  public init(_ text: String) throws(CivilError) {
    var reader = CivilTextReader(text, form: Self.form)
    let date = try CivilDate(reading: &reader)
    try reader.skip("T")
    let hour = try reader.number(digits: 2)
    try reader.skip(":")
    let minute = try reader.number(digits: 2)
    var second = 0
    var nanosecond = 0
    if !reader.isAtEnd {
      try reader.skip(":")
      second = try reader.number(digits: 2)
    }
    if !reader.isAtEnd {
      try reader.skip(".")
      nanosecond = try reader.fraction(digits: 9)
    }
    try reader.end()
    try self.init(date, hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// The form "2026-10-25T02:30:00"; with a fraction of a second if it is not zero.
  public var description: String {
    let time = "\(date)T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    guard nanosecond > 0 else { return time }
    var digits = padded(nanosecond, 9)[...]
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(time).\(digits)"
  }
}

/// A decimal number with leading zeros.
private func padded(_ number: Int, _ count: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
}

/// Reads the parts of a civil date or time.
private struct CivilTextReader {
  private let text: String
  private let form: String
  private var rest: Substring.UTF8View

  init(_ text: String, form: String) {
    self.text = text
    self.form = form
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  private var malformed: CivilError { .malformed(text, form: form) }

  mutating func number(digits count: Int) throws(CivilError) -> Int {
    var number = 0
    for _ in 0..<count { number = number * 10 + (try digit()) }
    return number
  }

  /// Reads digits until the end, as a fraction in units of the last of `count` digits.
  mutating func fraction(digits count: Int) throws(CivilError) -> Int {
    var number = try digit()
    var read = 1
    while read < count {
      number = number * 10 + (isAtEnd ? 0 : try digit())
      read += 1
    }
    return number
  }

  private mutating func digit() throws(CivilError) -> Int {
    guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { throw malformed }
    return Int(byte) - 0x30
  }

  mutating func skip(_ separator: Unicode.Scalar) throws(CivilError) {
    guard rest.popFirst() == UInt8(ascii: separator) else { throw malformed }
  }

  func end() throws(CivilError) {
    guard isAtEnd else { throw malformed }
  }
}
