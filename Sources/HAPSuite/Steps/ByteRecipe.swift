import HAPWire

/// A recipe for bytes. An evaluation holds at most `limit` bytes.
package indirect enum ByteRecipe: Equatable, Sendable {
  case bytes([UInt8])
  case joined([ByteRecipe])
  case zeros(Int)
  /// A number of bytes from the run's random source.
  case random(Int)
  case sha512(ByteRecipe)
  case repeated(ByteRecipe, times: Int)
  case altered(ByteRecipe, ByteAlteration)

  /// The limit in bytes: 16 MiB. A recipe for more is an error in the suite.
  package static let limit = 16 << 20

  /// The maximum number of bytes that the recipe can produce.
  var size: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .joined(let parts): parts.reduce(0) { $0 + $1.size }
    case .zeros(let count), .random(let count): count
    case .sha512: 64
    case .repeated(let piece, let times): piece.size * times
    case .altered(let recipe, let alteration): alteration.size(of: recipe.size)
    }
  }
}

/// Alterations of bytes, applied in the order of the members.
package struct ByteAlteration: Equatable, Sendable {
  /// The number of bytes to drop at the start.
  package var skip = 0
  /// The number of bytes of the rest that are kept.
  package var truncate: Int?
  /// Whether leading zeros are removed.
  package var strips = false
  /// The offset of the byte whose lowest bit is inverted. A negative offset counts from the end.
  package var flip: Int?
  /// The number of zeros to append.
  package var extend = 0
  /// Whether ASCII letters are converted to lower case.
  package var isLower = false

  fileprivate func size(of count: Int) -> Int { min(max(count - skip, 0), truncate ?? Int.max) + extend }
}

extension ByteRecipe {
  /// - Parameter node: hexadecimal text, a list whose bytes are joined, or an object of `Vocabulary.bytesMembers`; resolved.
  /// - Throws: if it describes no bytes, or more than `limit`.
  init(_ node: JSONNode) throws(StepError) {
    self = try Self.unbounded(node)
    guard size <= Self.limit else { throw Self.tooMany(node) }
  }

  private static func tooMany(_ node: JSONNode) -> StepError {
    StepError(node, "this produces more than \(limit) bytes, which is the limit of a suite")
  }

  private static func unbounded(_ node: JSONNode) throws(StepError) -> ByteRecipe {
    if let text = node.stringValue {
      guard let bytes = Hexadecimal.bytes(text) else {
        throw StepError(node, "\"\(text.prefix(40))\" is not hexadecimal")
      }
      return .bytes(bytes)
    }
    if let elements = node.elements {
      var parts: [ByteRecipe] = []
      var total = 0
      for element in elements {
        let part = try ByteRecipe(element)
        total += part.size
        guard total <= limit else { throw tooMany(node) }
        parts.append(part)
      }
      return .joined(parts)
    }
    guard node.members != nil else { throw StepError(node, "bytes are expected, not \(node.kindName)") }
    let source = try source(node)
    // The limit includes the bytes that an alteration removes.
    guard source.size <= limit else { throw tooMany(node) }
    let alteration = try alteration(node)
    return alteration == ByteAlteration() ? source : .altered(source, alteration)
  }

  private static func source(_ node: JSONNode) throws(StepError) -> ByteRecipe {
    if let hex = node["hex"] { return try ByteRecipe(hex) }
    if let text = node["text"] { return .bytes(Array(Scope.text(text).utf8)) }
    if let text = node["base64"] {
      guard let bytes = text.stringValue.flatMap({ Base64.decode($0) }) else {
        throw StepError(text, "this is not base64")
      }
      return .bytes(bytes)
    }
    if let hashed = node["sha512"] { return .sha512(try ByteRecipe(hashed)) }
    if let count = try node.count("zeros") { return .zeros(count) }
    if let count = try node.count("random") { return .random(count) }
    if let number = node["int"] {
      guard let value = number.integerValue.flatMap(UInt64.init(exactly:)) else {
        throw StepError(number, "an integer from 0 to 2^64 - 1 is expected, not \(Scope.text(number).prefix(40))")
      }
      return .bytes(littleEndian(value, width: try node.count("width")))
    }
    if let repeated = node["repeat"] {
      return .repeated(try ByteRecipe(repeated), times: try node.count("times") ?? 1)
    }
    if let of = node["of"] { return try ByteRecipe(of) }
    throw StepError(
      node, "no bytes are given: write one of hex, text, base64, sha512, zeros, random, int, repeat and of")
  }

  private static func alteration(_ node: JSONNode) throws(StepError) -> ByteAlteration {
    var alteration = ByteAlteration()
    alteration.skip = try node.count("skip") ?? 0
    alteration.truncate = try node.count("truncate")
    alteration.strips = try node.flag("strip") ?? false
    alteration.flip = try node.integer("flip")
    alteration.extend = try node.count("extend") ?? 0
    alteration.isLower = try node.flag("lower") ?? false
    return alteration
  }

  /// Returns a number as TLV8 encodes it.
  /// - Parameter width: in bytes; `nil`: the smallest of 1, 2, 4 and 8 that holds the number.
  static func littleEndian(_ value: UInt64, width: Int? = nil) -> [UInt8] {
    let least = value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
    return (0..<(width ?? least)).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) : 0 }
  }
}
