/// Bytes read as choices: numbers and pieces, one after the other. After the end all numbers are 0 and all pieces are empty.
package struct ByteProgram {
  private var rest: Slice<UnsafeRawBufferPointer>

  package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns a number in 0..<`limit`.
  package mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

  package mutating func isSet() -> Bool { byte() & 1 == 1 }

  /// Returns a piece with a length prefix: one byte, or two if the first is at least 0xF0.
  package mutating func piece() -> [UInt8] {
    var count = Int(byte())
    if count >= 0xF0 { count = (count & 0x0F) << 8 | Int(byte()) }
    return take(count)
  }

  package mutating func take(_ count: Int) -> [UInt8] {
    let piece = [UInt8](rest.prefix(count))
    rest = rest.dropFirst(count)
    return piece
  }

  package mutating func remainder() -> [UInt8] { take(rest.count) }

  package mutating func integer() -> UInt64 { take(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
