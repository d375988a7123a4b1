extension Duration {
  /// A duration for people: "340 ms", "1.2 s", "3 min 5 s".
  var briefly: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
    guard !milliseconds.overflow, seconds >= 0 else { return "\(decimalSeconds) s" }
    let thousandths = milliseconds.partialValue &+ attoseconds / 1_000_000_000_000_000
    switch thousandths {
    case ..<1: return "<1 ms"
    case ..<1000: return "\(thousandths) ms"
    case ..<60_000: return "\(thousandths / 1000).\(thousandths % 1000 / 100) s"
    default: return "\(seconds / 60) min \(seconds % 60) s"
    }
  }

  /// The exact seconds: "0.00125".
  var decimalSeconds: String {
    let (seconds, attoseconds) = components
    var fraction = String(attoseconds.magnitude)
    if attoseconds == 0 { return String(seconds) }
    fraction = String(repeating: "0", count: 18 - fraction.count) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds < 0 || attoseconds < 0 ? "-" : "")\(seconds.magnitude).\(fraction)"
  }

  /// The seconds truncated to thousandths: "12.345".
  var thousandths: String {
    let (seconds, attoseconds) = components
    let text = String(attoseconds.magnitude / 1_000_000_000_000_000)
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude).\(String(repeating: "0", count: 3 - text.count))\(text)"
  }

  /// Parses the format of `decimalSeconds`: no exponent, at most 18 digits after the point; `nil` for anything else.
  init?(decimalSeconds text: String) {
    var digits = Array(text.utf8)
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }), whole >= 0 else {
      return nil
    }
    var attoseconds: Int64 = 0
    if parts.count == 2 {
      guard (1...18).contains(parts[1].count) else { return nil }
      for index in 0..<18 {
        let digit = index < parts[1].count ? parts[1][parts[1].startIndex + index] : UInt8(ascii: "0")
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        attoseconds = attoseconds * 10 + Int64(digit - UInt8(ascii: "0"))
      }
    }
    self.init(
      secondsComponent: isNegative ? -whole : whole, attosecondsComponent: isNegative ? -attoseconds : attoseconds)
  }
}
