/// The next name to try if another host has a name. RFC 6762 §9, RFC 6763 appendix D.
package enum AlternativeName {
  /// Returns "Lamp (2)" for "Lamp", "Lamp (3)" for "Lamp (2)", …, always within the 63 bytes of a label.
  package static func ofService(_ name: String) -> String { next(after: name, opening: " (", closing: ")") }

  /// Returns "lamp-2" for "lamp", "lamp-3" for "lamp-2", …, always within the 63 bytes of a label.
  package static func ofHost(_ name: String) -> String { next(after: name, opening: "-", closing: "") }

  /// Returns the next free name. The step over used numbers is doubled, then halved: for the thousandth "Lamp", about
  /// twenty calls of `isTaken` are necessary.
  package static func ofService(_ name: String, isTaken: (String) -> Bool) -> String {
    next(after: name, opening: " (", closing: ")", isTaken)
  }

  /// Returns the next free name of a host.
  package static func ofHost(_ name: String, isTaken: (String) -> Bool) -> String {
    next(after: name, opening: "-", closing: "", isTaken)
  }

  /// Returns the name with another number: "Lamp (48213)" for "Lamp (2)".
  static func ofService(_ name: String, number: Int32) -> String {
    let base = numbered(name, " (", ")")?.base ?? name
    return shortened(base, toFit: " (\(number))")
  }

  /// Returns the name with another number: "lamp-48213" for "lamp-2".
  static func ofHost(_ name: String, number: Int32) -> String {
    let base = numbered(name, "-", "")?.base ?? name
    return shortened(base, toFit: "-\(number)")
  }

  private static func next(
    after name: String, opening: String, closing: String, _ isTaken: (String) -> Bool = { _ in false }
  ) -> String {
    let old = numbered(name, opening, closing).flatMap { $0.number < Int32.max ? $0 : nil }
    func alternative(_ number: Int64) -> String {
      shortened(old?.base ?? name, toFit: "\(opening)\(number)\(closing)")
    }
    var taken = Int64(old?.number ?? 1)
    var free = taken + 1
    while isTaken(alternative(free)) { (taken, free) = (free, free + 2 * (free - taken)) }
    while free - taken > 1 {
      let middle = (taken + free) / 2
      if isTaken(alternative(middle)) { taken = middle } else { free = middle }
    }
    return alternative(free)
  }

  /// Splits "Lamp (2)" into its parts. A number in a form that this type never writes, such as 02 or 1, belongs to the
  /// base name.
  private static func numbered(_ name: String, _ opening: String, _ closing: String) -> (base: String, number: Int32)? {
    guard name.utf8.count > opening.utf8.count, name.hasSuffix(closing) else { return nil }
    let inner = name.utf8.dropLast(closing.utf8.count)
    let digits = inner.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    let head = inner.dropLast(digits)
    guard digits > 0, inner[head.endIndex] != UInt8(ascii: "0"), let base = String(head), base.hasSuffix(opening),
      let number = Int32(String(inner.suffix(digits)) ?? ""), number > 1
    else { return nil }
    return (String(base.dropLast(opening.count)), number)
  }

  /// Shortens a name at the boundary of a character, so that the result is valid UTF-8.
  private static func shortened(_ base: String, toFit ending: String) -> String {
    var scalars = base.unicodeScalars
    var bytes = base.utf8.count
    while bytes + ending.utf8.count > 63 { bytes -= String(scalars.removeLast()).utf8.count }
    return String(scalars) + ending
  }
}
