/// Base 38: three bytes are five characters, two bytes four, one byte two; the least significant character is first.
/// Matter 1.4 §5.1.3.1.
enum Base38 {
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.".utf8)
  /// The number of characters for 0...3 bytes.
  private static let widths = [0, 2, 4, 5]

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var number = group.reversed().reduce(0) { $0 << 8 | Int($1) }
      for _ in 0..<widths[group.count] {
        text.append(digits[number % 38])
        number /= 38
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Parameter offset: the place of `text` in the whole text, for errors.
  static func decode(_ text: [UInt8], offset: Int) throws(OnboardingError) -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 5) {
      let group = text[start..<min(start + 5, text.count)]
      guard let count = widths.firstIndex(of: group.count) else { throw .length(offset + text.count) }
      if let wrong = group.indices.first(where: { !digits.contains(text[$0]) }) { throw .character(at: offset + wrong) }
      var number = 0
      for place in group.indices.reversed() {
        number = number * 38 + (digits.firstIndex(of: text[place]) ?? 0)
      }
      guard number < 1 << (8 * count) else { throw .group(at: offset + start) }
      for _ in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: number))
        number >>= 8
      }
    }
    return bytes
  }
}
