/// Joins the chunks of a body in place, moving each byte at most once. RFC 9112 §7.1.
struct HTTPChunkJoiner {
  enum Result: Equatable {
    case incomplete
    /// The joined body, and the offset of the next message.
    case joined(body: Range<Int>, consumed: Int)
    case malformed(HTTPError)
  }

  private enum State { case sizeLine, data(left: Int), dataEnd, trailer }

  private static let maxSizeLine = 256

  private var state = State.sizeLine
  let bodyStart: Int
  private var bodyEnd: Int
  /// The first byte that is not parsed yet.
  private(set) var cursor: Int
  /// The first byte that is not searched for a line end yet.
  private var searched: Int
  private var trailerStart = 0

  init(bodyStart: Int) {
    self.bodyStart = bodyStart
    bodyEnd = bodyStart
    cursor = bodyStart
    searched = bodyStart
  }

  mutating func join(_ bytes: UnsafeMutableRawBufferPointer, limits: HTTPLimits) -> Result {
    while true {
      // Limits size lines and line ends: a peer must not fill the memory with those either.
      if cursor - bodyEnd > limits.body + limits.head { return .malformed(.bodyTooLarge) }
      switch state {
      case .sizeLine:
        guard let line = takeLine(bytes, limit: Self.maxSizeLine) else {
          return searched - cursor > Self.maxSizeLine ? .malformed(.badChunk) : .incomplete
        }
        guard line.count <= Self.maxSizeLine, let size = Self.size(UnsafeRawBufferPointer(rebasing: bytes[line]))
        else { return .malformed(.badChunk) }
        guard size <= limits.body - (bodyEnd - bodyStart) else { return .malformed(.bodyTooLarge) }
        trailerStart = cursor
        state = size == 0 ? .trailer : .data(left: size)
      case .data(let left):
        let taken = min(left, bytes.count - cursor)
        if taken > 0, let base = bytes.baseAddress {
          if cursor != bodyEnd { (base + bodyEnd).copyMemory(from: base + cursor, byteCount: taken) }
          bodyEnd += taken
          cursor += taken
          searched = cursor
        }
        guard taken == left else {
          state = .data(left: left - taken)
          return .incomplete
        }
        state = .dataEnd
      case .dataEnd:
        guard let line = takeLine(bytes, limit: 2) else {
          return searched - cursor > 1 || (searched > cursor && bytes[cursor] != 0x0D)
            ? .malformed(.badChunk) : .incomplete
        }
        guard line.isEmpty else { return .malformed(.badChunk) }
        state = .sizeLine
      case .trailer:
        guard let line = takeLine(bytes, limit: limits.head) else {
          return searched - trailerStart > limits.head ? .malformed(.headTooLarge) : .incomplete
        }
        if cursor - trailerStart > limits.head { return .malformed(.headTooLarge) }
        if line.isEmpty { return .joined(body: bodyStart..<bodyEnd, consumed: cursor) }
      }
    }
  }

  /// Returns the line at the cursor without its CRLF or LF, and moves the cursor past it. Nil: there is no line end
  /// in the bytes, or none within `limit` bytes plus one.
  private mutating func takeLine(_ bytes: UnsafeMutableRawBufferPointer, limit: Int) -> Range<Int>? {
    while searched < bytes.count, searched - cursor <= limit {
      searched += 1
      guard bytes[searched - 1] == 0x0A else { continue }
      var end = searched - 1
      if end > cursor, bytes[end - 1] == 0x0D { end -= 1 }
      let line = cursor..<end
      cursor = searched
      return line
    }
    return nil
  }

  /// Parses hexadecimal digits, optionally followed by `;` and an extension.
  private static func size(_ line: UnsafeRawBufferPointer) -> Int? {
    let digits = UnsafeRawBufferPointer(rebasing: line.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    var size = 0
    for byte in digits {
      switch byte {
      case 0x30...0x39: size = size << 4 | Int(byte - 0x30)
      case 0x41...0x46: size = size << 4 | Int(byte - 0x41 + 10)
      case 0x61...0x66: size = size << 4 | Int(byte - 0x61 + 10)
      default: return nil
      }
    }
    return size
  }
}
