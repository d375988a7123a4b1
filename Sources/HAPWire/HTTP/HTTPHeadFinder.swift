/// Finds the empty line that ends a head. It examines each byte once, however the bytes are divided.
///
/// Lines end in CRLF or in a bare LF. Empty lines before the first line are skipped. RFC 9112 §2.2.
struct HTTPHeadFinder {
  enum Result: Equatable {
    case incomplete
    /// From the first byte of the first line to the end of the empty line.
    case found(Range<Int>)
    case malformed(HTTPError)
  }

  private var headStart = 0
  private var lineStart = 0
  private var scanned = 0

  /// - Parameter bytes: must begin at the same byte as in the previous call, and must not be shorter.
  mutating func find(in bytes: UnsafeRawBufferPointer, limit: Int) -> Result {
    let bound = min(bytes.count, limit)
    while scanned < bound {
      if scanned == headStart {
        let first = bytes[scanned]
        if first != 0x0A, first != 0x0D, !isTokenByte(first) { return .malformed(.badStartLine) }
      }
      var place = scanned
      while place < bound, bytes[place] != 0x0A { place += 1 }
      guard place < bound else {
        scanned = bound
        break
      }
      scanned = place + 1
      let length = scanned - 1 - lineStart
      if length == 0 || (length == 1 && bytes[lineStart] == 0x0D) {
        if lineStart == headStart {
          headStart = scanned
        } else {
          return .found(headStart..<scanned)
        }
      }
      lineStart = scanned
    }
    return bytes.count >= limit ? .malformed(.headTooLarge) : .incomplete
  }
}
