import HAPCrypto
import HAPSuite

/// Creates the bytes that a suite describes.
package struct ByteMaker {
  private let random: RandomSource

  package init(random: RandomSource) { self.random = random }

  /// - Returns: at most `ByteRecipe.limit` bytes.
  package func bytes(_ recipe: ByteRecipe) -> [UInt8] {
    switch recipe {
    case .bytes(let bytes): return bytes
    case .joined(let parts):
      var whole: [UInt8] = []
      for part in parts { whole += bytes(part) }
      return whole
    case .zeros(let count): return [UInt8](repeating: 0, count: count)
    case .random(let count): return random.bytes(count)
    case .sha512(let hashed): return SHA512.hash(bytes(hashed))
    case .repeated(let piece, let times): return Self.repeated(bytes(piece), times)
    case .altered(let source, let alteration): return Self.altered(bytes(source), alteration)
    }
  }

  private static func repeated(_ piece: [UInt8], _ times: Int) -> [UInt8] {
    if piece.count < 2 { return piece.first.map { [UInt8](repeating: $0, count: times) } ?? [] }
    // `joined()` is slower: it took a tenth of haptest's time in debug builds.
    var whole: [UInt8] = []
    whole.reserveCapacity(piece.count * times)
    for _ in 0..<times { whole += piece }
    return whole
  }

  private static func altered(_ source: [UInt8], _ alteration: ByteAlteration) -> [UInt8] {
    var bytes = Array(source.dropFirst(alteration.skip))
    if let count = alteration.truncate { bytes = Array(bytes.prefix(count)) }
    if alteration.strips { bytes = Array(bytes.drop { $0 == 0 }) }
    if let offset = alteration.flip { flip(&bytes, at: offset) }
    bytes += [UInt8](repeating: 0, count: alteration.extend)
    if alteration.isLower { bytes = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    return bytes
  }

  /// Inverts the lowest bit of a byte. A negative offset counts from the end; an offset out of range changes nothing.
  package static func flip(_ bytes: inout [UInt8], at offset: Int) {
    let index = offset < 0 ? bytes.count + offset : offset
    if bytes.indices.contains(index) { bytes[index] ^= 1 }
  }
}
