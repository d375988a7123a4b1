extension Duration {
  /// Reads "12s", "500ms", "1.5min", "2h": a decimal number ≥ 0 and its unit, at most 1000 hours.
  package init?(_ text: String) {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    let unit: Duration
    switch text[digits.endIndex...] {
    case "ms": unit = .milliseconds(1)
    case "s": unit = .seconds(1)
    case "min": unit = .seconds(60)
    case "h": unit = .seconds(3600)
    default: return nil
    }
    let parts = text[..<digits.endIndex].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...9).contains($0.utf8.count) }),
      let whole = Int64(parts[0])
    else { return nil }
    var duration = unit * whole
    if parts.count == 2, let fraction = Int64(parts[1]) {
      duration += unit * fraction / parts[1].reduce(into: Int64(1)) { scale, _ in scale *= 10 }
    }
    guard duration <= .seconds(3_600_000) else { return nil }
    self = duration
  }
}

extension Duration {
  /// "2s" or "250ms": what `init(_:)` reads, in whole milliseconds.
  package var shortText: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }
}

extension Duration {
  /// "4h", "2min", "10s", "250ms": what `init(_:)` reads, in the largest unit that leaves no fraction.
  package var roundText: String {
    let (seconds, attoseconds) = components
    if self == .zero || attoseconds != 0 || seconds % 60 != 0 { return shortText }
    return seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)min"
  }
}
