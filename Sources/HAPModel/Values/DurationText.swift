extension Duration {
  /// Parses "12s", "500ms", "1.5min", "2h": a decimal number ≥ 0 and its unit, at most 1000 hours.
  package init?(_ text: String) {
    self.init(text, units: Self.units, atMost: .seconds(3_600_000))
  }

  /// Also parses "30d" and "10y": days, and years of 365.25 days.
  package init?(long text: String) {
    let units = Self.units + [("d", .seconds(86_400)), ("y", .seconds(8766 * 3600))]
    self.init(text, units: units, atMost: .seconds(Int64(Int32.max)))
  }

  private static let units: [(name: String, length: Duration)] = [
    ("ms", .milliseconds(1)), ("s", .seconds(1)), ("min", .seconds(60)), ("h", .seconds(3600)),
  ]

  private init?(_ text: String, units: [(name: String, length: Duration)], atMost limit: Duration) {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard let unit = units.first(where: { $0.name == text[digits.endIndex...] })?.length else { return nil }
    let parts = text[..<digits.endIndex].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...9).contains($0.utf8.count) }),
      let whole = Int64(parts[0])
    else { return nil }
    var duration = unit * whole
    if parts.count == 2, let fraction = Int64(parts[1]) {
      duration += unit * fraction / parts[1].reduce(into: Int64(1)) { scale, _ in scale *= 10 }
    }
    guard duration <= limit else { return nil }
    self = duration
  }
}

extension Duration {
  /// "2s" or "250ms": the form that `init(_:)` parses, in whole milliseconds.
  package var shortText: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }
}

extension Duration {
  /// "4h", "2min", "10s", "250ms": the form that `init(_:)` parses, in the largest unit without a fraction.
  package var roundText: String {
    let (seconds, attoseconds) = components
    if self == .zero || attoseconds != 0 || seconds % 60 != 0 { return shortText }
    return seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)min"
  }
}

extension Duration {
  /// The maximum by which simulated time is advanced at once: ten years.
  package static let longestAdvance = Duration.seconds(10 * 8766 * 3600)

  /// The text that `init(long:)` parses to the same duration, for all durations that it accepts up to the longest
  /// advance.
  package var exactText: String {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return roundText }
    if attoseconds % 1_000_000_000_000_000 == 0, seconds < 1_000_000 { return shortText }
    if attoseconds % 1_000_000_000 == 0 { return Self.decimal(seconds, attoseconds / 1_000_000_000, "s") }
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return Self.decimal(milliseconds, attoseconds % 1_000_000_000_000_000 / 1_000_000, "ms")
  }

  /// Returns a decimal number with its unit, without zeros at the end.
  /// - Parameter billionths: below 10⁹.
  private static func decimal(_ whole: Int64, _ billionths: Int64, _ unit: String) -> String {
    let digits = String(billionths)
    var fraction = String(repeating: "0", count: 9 - digits.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(whole).\(fraction)\(unit)"
  }

  /// "0:00:12.500", preceded by days if there are any.
  package var clockText: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    func padded(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let seconds = milliseconds / 1000
    let days = seconds / 86_400
    return (days > 0 ? "\(days)d " : "")
      + "\(seconds / 3600 % 24):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(milliseconds % 1000, 3))"
  }
}
