/// One stretch of a text that gave way to another, so that a place in the new text can be told as one in the old.
package struct TextChange: Sendable {
  private let old, new: [UInt8]
  /// How many bytes are as they were, at both ends.
  private let head, tail: Int

  /// - Parameters:
  ///   - range: the bytes that give way.
  ///   - bytes: what comes in their place.
  init(of old: [UInt8], _ range: Range<Int>, to bytes: some Collection<UInt8>) {
    self.old = old
    new = Array(old[..<range.lowerBound]) + bytes + old[range.upperBound...]
    (head, tail) = (range.lowerBound, old.count - range.upperBound)
  }

  var newText: [UInt8] { new }

  /// Where a place of the new text was, or where it was put.
  /// - Returns: also whether it is of what was put there.
  package func origin(of place: JSONPlace) -> (place: JSONPlace, isNew: Bool) {
    var offset = offset(of: place)
    let isNew = (head..<(new.count - tail)).contains(offset)
    if offset >= new.count - tail {
      offset += old.count - new.count
    } else {
      offset = min(offset, head)
    }
    return (old.withUnsafeBytes { JSONPlace(offset: offset, in: $0) }, isNew)
  }

  private func offset(of place: JSONPlace) -> Int {
    var (line, column) = (1, 1)
    for (offset, byte) in new.enumerated() {
      if byte & 0xC0 != 0x80, (line, column) >= (place.line, place.column) { return offset }
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return new.count
  }
}
