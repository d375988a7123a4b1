/// A replacement of one range of a text. It maps places in the new text to places in the old text.
package struct TextChange: Sendable {
  private let old, new: [UInt8]
  /// The number of unchanged bytes at each end.
  private let head, tail: Int

  /// - Parameters:
  ///   - range: the replaced bytes.
  ///   - bytes: the new bytes.
  init(of old: [UInt8], _ range: Range<Int>, to bytes: some Collection<UInt8>) {
    self.old = old
    new = Array(old[..<range.lowerBound]) + bytes + old[range.upperBound...]
    (head, tail) = (range.lowerBound, old.count - range.upperBound)
  }

  var newText: [UInt8] { new }

  /// Returns the place in the old text, or the place of the replacement.
  /// - Returns: also whether the place is inside the replacement.
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
