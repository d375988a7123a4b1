/// The names to try when one is taken. The same on every system, and the same as Avahi's, so that an accessory is called alike whichever
/// responder it goes through.
package enum AlternativeName {
  /// Of a service: "Lamp", "Lamp #2", "Lamp #3", …, always within the 63 bytes of a label.
  package static func ofService(_ name: String) -> String { next(after: name, separator: " #") }

  /// Of a host: "lamp", "lamp-2", "lamp-3", …, always within the 63 bytes of a label.
  package static func ofHost(_ name: String) -> String { next(after: name, separator: "-") }

  private static func next(after name: String, separator: String) -> String {
    guard let (base, number) = numbered(name, separator), number < Int32.max else {
      return shortened(name, toFit: separator + "2")
    }
    return shortened(base, toFit: separator + "\(number + 1)")
  }

  /// "Lamp #2" in its parts. A number that nobody would have been given, such as 02 or 0, belongs to the name.
  private static func numbered(_ name: String, _ separator: String) -> (base: String, number: Int32)? {
    let digits = name.utf8.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    let head = name.utf8.dropLast(digits)
    guard digits > 0, let base = String(Substring(head)) as String?, base.hasSuffix(separator),
      name.utf8[head.endIndex] != UInt8(ascii: "0"), let number = Int32(String(name.utf8.suffix(digits))!)
    else { return nil }
    return (String(base.dropLast(separator.count)), number)
  }

  private static func shortened(_ base: String, toFit ending: String) -> String {
    var scalars = base.unicodeScalars
    var bytes = base.utf8.count
    while bytes + ending.utf8.count > 63 { bytes -= String(scalars.removeLast()).utf8.count }
    return String(scalars) + ending
  }
}
