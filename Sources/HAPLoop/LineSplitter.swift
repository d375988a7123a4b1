/// Cuts a stream of bytes into lines that end in LF or CR LF, none longer than a limit.
package struct LineSplitter {
  package enum Line: Equatable, Sendable {
    /// Without its end; perhaps empty.
    case line([UInt8])
    /// A line of more than this many bytes, which was skipped.
    case tooLong(limit: Int)
  }

  /// In bytes, the end of the line not counted.
  package let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false

  package init(limit: Int) { self.limit = limit }

  /// - Returns: the lines that end in `bytes`.
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

  /// - Returns: what stands after the last line's end, if anything does.
  package mutating func finish() -> Line? {
    partial.isEmpty && !isSkipping ? nil : takeLine()
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if isSkipping { return }
    // One more than the limit is kept, for it may be the CR of the line's end.
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
