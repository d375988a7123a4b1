import HAPCrypto
import HAPWire

/// Makes the bytes that a suite writes down.
package struct ByteMaker {
  private let random: RandomSource

  package init(random: RandomSource) { self.random = random }

  /// - Parameter node: hexadecimal text, a list to be joined, or an object of the vocabulary's members; resolved.
  /// - Throws: when it says no bytes, or more than 16 MiB.
  package func bytes(_ node: JSONNode) throws(StepError) -> [UInt8] {
    let bytes = try unbounded(node)
    guard bytes.count <= Self.most else { throw StepError(node, "that is too much") }
    return bytes
  }

  private func unbounded(_ node: JSONNode) throws(StepError) -> [UInt8] {
    if let text = node.stringValue {
      guard let bytes = Hexadecimal.bytes(text) else {
        throw StepError(node, "\"\(text.prefix(40))\" is not hexadecimal")
      }
      return bytes
    }
    if let elements = node.elements {
      var result: [UInt8] = []
      for element in elements {
        result += try bytes(element)
        guard result.count <= Self.most else { throw StepError(node, "that is too much") }
      }
      return result
    }
    guard node.members != nil else { throw StepError(node, "bytes are expected, not \(node.kindName)") }
    return try altered(try source(node), node)
  }

  static let most = 16 << 20

  /// A number of bytes, or of other things: variables can make it any.
  package static func count(_ node: JSONNode) throws(StepError) -> Int {
    guard let number = node.integerValue, (0...Int128(most)).contains(number) else {
      throw StepError(node, "a number from 0 to \(most) is expected, not \(Scope.text(node).prefix(40))")
    }
    return Int(number)
  }

  private func source(_ node: JSONNode) throws(StepError) -> [UInt8] {
    func count(_ node: JSONNode) throws(StepError) -> Int { try Self.count(node) }
    if let hex = node["hex"] { return try bytes(hex) }
    if let text = node["text"] { return Array(Scope.text(text).utf8) }
    if let text = node["base64"] {
      guard let bytes = text.stringValue.flatMap({ Base64.decode($0) }) else {
        throw StepError(text, "this is no base64")
      }
      return bytes
    }
    if let hashed = node["sha512"] { return SHA512.hash(try bytes(hashed)) }
    if let zeros = node["zeros"] { return [UInt8](repeating: 0, count: try count(zeros)) }
    if let number = node["random"] { return random.bytes(try count(number)) }
    if let number = node["int"] {
      guard let value = number.integerValue.flatMap(UInt64.init(exactly:)) else {
        throw StepError(number, "an integer is expected")
      }
      let fitting = value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
      let width = try node["width"].map { node throws(StepError) in try count(node) } ?? fitting
      return (0..<width).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) : 0 }
    }
    if let repeated = node["repeat"] {
      let piece = try bytes(repeated)
      let times = try node["times"].map { node throws(StepError) in try count(node) } ?? 1
      guard piece.count * times <= Self.most else { throw StepError(node, "that is too much") }
      if piece.count < 2 { return piece.first.map { [UInt8](repeating: $0, count: times) } ?? [] }
      // Not `joined()`, which takes a tenth of haptest's time without optimization.
      var whole: [UInt8] = []
      whole.reserveCapacity(piece.count * times)
      for _ in 0..<times { whole += piece }
      return whole
    }
    if let of = node["of"] { return try bytes(of) }
    throw StepError(node, "this says no bytes")
  }

  private func altered(_ source: [UInt8], _ node: JSONNode) throws(StepError) -> [UInt8] {
    var bytes = source
    if let skip = node["skip"] { bytes = Array(bytes.dropFirst(try Self.count(skip))) }
    if let count = node["truncate"] { bytes = Array(bytes.prefix(try Self.count(count))) }
    if node["strip"]?.boolValue == true { bytes = Array(bytes.drop { $0 == 0 }) }
    if let at = node["flip"]?.integerValue { Self.flip(&bytes, at: Int(clamping: at)) }
    if let count = node["extend"] { bytes += [UInt8](repeating: 0, count: try Self.count(count)) }
    if node["lower"]?.boolValue == true { bytes = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    return bytes
  }

  /// Turns the lowest bit of a byte over; a negative offset counts from the end, one outside changes nothing.
  package static func flip(_ bytes: inout [UInt8], at offset: Int) {
    let index = offset < 0 ? bytes.count + offset : offset
    if bytes.indices.contains(index) { bytes[index] ^= 1 }
  }
}
