/// Reads names in messages; every decoder of the project uses it.
package enum DNSNameWalk {
  /// Visits the labels of a name, through its pointers. RFC 1035 §4.1.4.
  /// - Parameters:
  ///   - start: the offset of the name.
  ///   - end: the end of reading: the end of the message, or of a record's data. The target of a pointer may be
  ///     anywhere before it.
  ///   - visit: receives the offset of a label's length byte, and the length.
  @inline(__always)
  package static func walk(
    _ bytes: UnsafeRawBufferPointer, from start: Int, before end: Int, _ visit: (Int, Int) -> Void
  ) throws(DNSMessage.DecodingError) -> Int {
    var place = start
    // The start of this part of the name, and its limit.
    var part = start
    var limit = end
    var jumps = 0
    var count = 0
    var after = start
    while true {
      guard place < limit else { throw .truncated(at: place) }
      let length = Int(bytes[place])
      switch length {
      case 0: return jumps == 0 ? place + 1 : after
      case 1...63:
        guard limit - place > length else { throw .truncated(at: place) }
        count += 1 + length
        guard count <= 254 else { throw .nameTooLong(at: start) }
        visit(place, length)
        place += 1 + length
      case 0xC0...0xFF:
        guard limit - place >= 2 else { throw .truncated(at: place) }
        let target = (length & 0x3F) << 8 | Int(bytes[place + 1])
        // The header contains no names.
        guard target >= 12, target < part, jumps < 127 else { throw .malformedPointer(at: place) }
        if jumps == 0 { after = place + 2 }
        jumps += 1
        limit = bytes.count
        part = target
        place = target
      default: throw .malformedLabel(at: place)
      }
    }
  }
}
