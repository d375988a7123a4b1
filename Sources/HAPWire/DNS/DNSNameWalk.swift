/// The one reader of names in messages: every decoder of the project goes through it.
package enum DNSNameWalk {
  /// Visits the labels of a name, through its pointers. RFC 1035 §4.1.4.
  /// - Parameters:
  ///   - start: where the name begins.
  ///   - end: where reading has to stop: the end of the message, or of a record's data. What follows a pointer may stand anywhere before it.
  ///   - visit: gets the place of a label's length byte, and the length.
  /// - Returns: the place after the name.
  @inline(__always)
  package static func walk(
    _ bytes: UnsafeRawBufferPointer, from start: Int, before end: Int, _ visit: (Int, Int) -> Void
  ) throws(DNSMessage.DecodingError) -> Int {
    var place = start
    // Where this part of the name began, and where it has to end.
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
        // The header has no names.
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
