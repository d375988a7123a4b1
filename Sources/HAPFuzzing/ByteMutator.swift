/// Changes bytes without knowledge of their format, except for typical words and numbers.
struct ByteMutator: Sendable {
  /// The maximum size of a message in bytes.
  static let limit = 16 << 10

  private let words: [[UInt8]]

  /// - Parameter words: the words of the area, in addition to those that occur everywhere.
  init(words: [String] = []) { self.words = (words + Self.everywhere).map { Array($0.utf8) } }

  private static let everywhere = ["\0", "%s%n", "\r\n", "\r\n\r\n", "\u{FFFD}", "../", "\"", "{", "["]

  static let numbers = [
    "0", "-1", "1", "127", "128", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648",
    "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "1e999", "-0", "0.1", "00",
  ]

  /// Applies some changes one after the other.
  /// - Parameter other: a message of the same kind to splice with.
  func mutated(_ bytes: [UInt8], with other: [UInt8], _ chance: inout FuzzChance) -> [UInt8] {
    var bytes = bytes
    for _ in 0...chance.below(3) { change(&bytes, with: other, &chance) }
    return bytes.count > Self.limit ? Array(bytes[..<Self.limit]) : bytes
  }

  private func change(_ bytes: inout [UInt8], with other: [UInt8], _ chance: inout FuzzChance) {
    guard !bytes.isEmpty else {
      bytes = chance.bytes(1 + chance.size(below: 64))
      return
    }
    let at = chance.below(bytes.count)
    switch chance.below(15) {
    case 0, 1: bytes[at] ^= 1 << UInt8(chance.below(8))
    case 2: bytes[at] = chance.pick([0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF, 0x0A, 0x0D, 0x20, 0x22, 0x30])
    case 3: bytes[at] = chance.byte()
    case 4: bytes.removeLast(bytes.count - at)
    case 5: bytes.append(contentsOf: chance.bytes(1 + chance.size(below: 300)))
    case 6: bytes.insert(contentsOf: [UInt8](repeating: chance.byte(), count: 1 + chance.size(below: 3000)), at: at)
    case 7: bytes.insert(contentsOf: range(of: bytes, &chance), at: at)
    case 8:
      let end = min(bytes.count, at + 1 + chance.size(below: 64))
      bytes.removeSubrange(at..<end)
    case 9: swap(&bytes, &chance)
    case 10: bytes.insert(contentsOf: chance.pick(words), at: at)
    case 11: number(&bytes, &chance)
    case 12:
      let width = chance.pick([1, 2, 4, 8])
      let edge = chance.pick(
        [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, UInt64.max] as [UInt64])
      for index in 0..<min(width, bytes.count - at) {
        bytes[at + index] = UInt8(truncatingIfNeeded: edge >> (8 * UInt64(index)))
      }
    case 13:
      let rest = other.isEmpty ? [] : Array(other[chance.below(other.count)...])
      bytes = Array(bytes[..<at]) + rest
    default:
      let open = chance.pick(["[", "{\"a\":", "(", "%25"])
      let count = 1 + chance.size(below: 2000)
      bytes.insert(contentsOf: Array(repeating: Array(open.utf8), count: count).joined(), at: at)
    }
  }

  private func range(of bytes: [UInt8], _ chance: inout FuzzChance) -> [UInt8] {
    let start = chance.below(bytes.count)
    let piece = bytes[start..<min(bytes.count, start + 1 + chance.size(below: 128))]
    let times = chance.oneIn(4) ? 1 + chance.below(40) : 1
    return Array(repeatElement(piece, count: times).joined().prefix(Self.limit))
  }

  private func swap(_ bytes: inout [UInt8], _ chance: inout FuzzChance) {
    let (a, b) = (chance.below(bytes.count), chance.below(bytes.count))
    let count = min(1 + chance.size(below: 16), abs(a - b), bytes.count - max(a, b))
    for index in 0..<count { bytes.swapAt(a + index, b + index) }
  }

  /// Replaces a decimal number by another one. Without a number, inserts one of the words.
  private func number(_ bytes: inout [UInt8], _ chance: inout FuzzChance) {
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    let starts = bytes.indices.filter { isDigit(bytes[$0]) && ($0 == 0 || !isDigit(bytes[$0 - 1])) }
    let new = Array(chance.pick(Self.numbers).utf8)
    guard !starts.isEmpty else { return bytes.insert(contentsOf: new, at: chance.below(bytes.count)) }
    let start = chance.pick(starts)
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.endIndex
    bytes.replaceSubrange(start..<end, with: new)
  }
}
