/// Splits a byte stream into lines that end in LF or CR LF, up to a maximum length.
package struct LineSplitter {
  package enum Line: Equatable, Sendable {
    /// Without its terminator; may be empty.
    case line([UInt8])
    /// A line longer than `limit` bytes, which was skipped.
    case tooLong(limit: Int)
  }

  /// In bytes, without the line terminator.
  package let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false

  package init(limit: Int) { self.limit = limit }

  /// - Returns: the lines whose terminators are in `bytes`.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      add(rest[..<end])
      lines.append(takeLine())
      rest = rest[(end + 1)...]
    }
    add(rest)
    return lines
  }

  /// - Returns: the rest after the last terminator; nil if there is none.
  package mutating func finish() -> Line? {
    partial.isEmpty && !isSkipping ? nil : takeLine()
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if isSkipping { return }
    // Keeps one byte more than the limit, because it may be the CR of the terminator.
    if bytes.count > limit + 1 - partial.count {
      isSkipping = true
      partial = []
    } else {
      partial.append(contentsOf: bytes)
    }
  }

  private mutating func takeLine() -> Line {
    defer {
      partial.removeAll(keepingCapacity: true)
      isSkipping = false
    }
    if partial.last == 0x0D { partial.removeLast() }
    return isSkipping || partial.count > limit ? .tooLong(limit: limit) : .line(partial)
  }
}
