/// Reads DER: tags of one byte, and lengths in their shortest form. ITU-T X.690 §8, §10.
package struct DERReader: Sendable {
  private let bytes: [UInt8]
  package private(set) var offset: Int
  private let end: Int

  package init(_ bytes: [UInt8]) { (self.bytes, offset, end) = (bytes, 0, bytes.count) }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    (self.bytes, offset, end) = (bytes, range.lowerBound, range.upperBound)
  }

  package var isAtEnd: Bool { offset == end }

  /// The tag of the next element; nil at the end.
  package var nextTag: DERTag? { isAtEnd ? nil : DERTag(rawValue: bytes[offset]) }

  /// Reads an element.
  /// - Returns: the place of its content.
  private mutating func range(_ tag: DERTag) throws(DERError) -> Range<Int> {
    let begin = offset
    guard let found = nextTag else { throw DERError(.truncated, at: begin) }
    guard found == tag else { throw DERError(.unexpectedTag(found, expected: tag), at: begin) }
    guard end - offset >= 2 else { throw DERError(.truncated, at: begin) }
    let first = Int(bytes[offset + 1])
    offset += 2
    var count = first
    if first >= 0x80 {
      let width = first - 0x80
      guard (1...4).contains(width) else { throw DERError(.wrongLength, at: begin) }
      guard end - offset >= width else { throw DERError(.truncated, at: begin) }
      count = bytes[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) }
      guard count >= 0x80, count >> (8 * (width - 1)) > 0 else { throw DERError(.wrongLength, at: begin) }
      offset += width
    }
    guard end - offset >= count else { throw DERError(.truncated, at: begin) }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Reads an element, and returns its content.
  package mutating func content(_ tag: DERTag) throws(DERError) -> [UInt8] { Array(bytes[try range(tag)]) }

  /// Reads an element, and returns a reader of its content.
  package mutating func reader(_ tag: DERTag) throws(DERError) -> DERReader { DERReader(bytes, try range(tag)) }

  /// Reads an element, and returns it with its tag and length.
  package mutating func whole(_ tag: DERTag) throws(DERError) -> [UInt8] {
    let begin = offset
    return Array(bytes[begin..<(try range(tag)).upperBound])
  }

  /// Checks that nothing is left.
  package func finish() throws(DERError) {
    guard isAtEnd else { throw DERError(.trailingBytes, at: offset) }
  }

  package mutating func identifier() throws(DERError) -> ObjectIdentifier {
    ObjectIdentifier(content: try content(.objectIdentifier))
  }

  /// Reads a known identifier.
  package mutating func expect(_ identifier: ObjectIdentifier) throws(DERError) {
    let begin = offset
    guard try self.identifier() == identifier else { throw DERError(.unexpectedValue, at: begin) }
  }

  /// Reads an element with a known content.
  package mutating func expect(_ tag: DERTag, _ content: [UInt8]) throws(DERError) {
    let begin = offset
    guard try self.content(tag) == content else { throw DERError(.unexpectedValue, at: begin) }
  }

  /// Reads a bit string of whole bytes.
  package mutating func bits() throws(DERError) -> [UInt8] {
    let begin = offset
    let content = try content(.bitString)
    guard content.first == 0 else { throw DERError(.unexpectedValue, at: begin) }
    return Array(content.dropFirst())
  }

  /// Reads an unsigned integer of at most `count` bytes, and fills it with leading zeros.
  package mutating func unsigned(_ count: Int) throws(DERError) -> [UInt8] {
    let begin = offset
    var digits = try content(.integer)[...]
    guard let first = digits.first, first < 0x80 else { throw DERError(.unexpectedValue, at: begin) }
    if first == 0, digits.count > 1 {
      digits.removeFirst()
      guard digits[digits.startIndex] >= 0x80 else { throw DERError(.unexpectedValue, at: begin) }
    }
    guard digits.count <= count else { throw DERError(.unexpectedValue, at: begin) }
    return [UInt8](repeating: 0, count: count - digits.count) + digits
  }

  /// Reads an ECDSA-Sig-Value, and returns r and s, 64 bytes.
  package static func signature(_ value: [UInt8]) throws(DERError) -> [UInt8] {
    var outer = DERReader(value)
    var reader = try outer.reader(.sequence)
    let signature = try reader.unsigned(32) + reader.unsigned(32)
    try reader.finish()
    try outer.finish()
    return signature
  }

  /// Reads the algorithm of all signatures.
  package mutating func expectSignatureAlgorithm() throws(DERError) {
    var reader = try reader(.sequence)
    try reader.expect(.ecdsaWithSHA256)
    try reader.finish()
  }

  /// Reads a SubjectPublicKeyInfo of P-256, and returns the point.
  package mutating func publicKey() throws(DERError) -> [UInt8] {
    var reader = try reader(.sequence)
    var algorithm = try reader.reader(.sequence)
    try algorithm.expect(.curveKey)
    try algorithm.expect(.p256)
    try algorithm.finish()
    let key = try reader.bits()
    try reader.finish()
    return key
  }

  /// Reads an extension of a certificate. RFC 5280 §4.1.2.9.
  package mutating func certificateExtension() throws(DERError) -> (
    identifier: ObjectIdentifier, isCritical: Bool, value: [UInt8]
  ) {
    var reader = try reader(.sequence)
    let identifier = try reader.identifier()
    let isCritical = reader.nextTag == .boolean
    if isCritical { try reader.expect(.boolean, [0xFF]) }
    let value = try reader.content(.octetString)
    try reader.finish()
    return (identifier, isCritical, value)
  }
}

/// Bytes that are not the expected DER.
package struct DERError: Error, Equatable {
  package enum Reason: Hashable, Sendable {
    case truncated
    /// A length that is not in the shortest form, or has no end.
    case wrongLength
    case unexpectedTag(DERTag, expected: DERTag)
    case unexpectedValue
    case trailingBytes
  }

  package var reason: Reason
  /// The offset of the element.
  package var offset: Int

  package init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

extension DERError: CustomStringConvertible {
  package var description: String {
    let text =
      switch reason {
      case .truncated: "the bytes end inside an element"
      case .wrongLength: "a length is not in the shortest form"
      case .unexpectedTag(let tag, let expected): "the tag is \(tag.rawValue) instead of \(expected.rawValue)"
      case .unexpectedValue: "the value is not the expected one"
      case .trailingBytes: "there are bytes after the last element"
      }
    return "DER, byte \(offset): \(text)"
  }
}
