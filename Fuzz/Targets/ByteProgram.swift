/// Bytes read as choices: numbers and pieces, one after the other. Past the end everything is 0 and empty.
struct ByteProgram {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// 0..<`limit`.
  mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

  mutating func isSet() -> Bool { byte() & 1 == 1 }

  /// A piece with its length in front: one byte, or from 0xF0 on the rest of two.
  mutating func piece() -> [UInt8] {
    var count = Int(byte())
    if count >= 0xF0 { count = (count & 0x0F) << 8 | Int(byte()) }
    return take(count)
  }

  mutating func take(_ count: Int) -> [UInt8] {
    let piece = [UInt8](rest.prefix(count))
    rest = rest.dropFirst(count)
    return piece
  }

  mutating func remainder() -> [UInt8] { take(rest.count) }

  mutating func integer() -> UInt64 { take(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
