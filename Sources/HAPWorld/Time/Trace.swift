/// The record of the events in a world, for comparing two runs.
///
/// The hash covers every event that the agenda ran and every note. Lines are written only if there is a sink.
package final class Trace {
  /// Receives each note as a line without a line break: the time in nanoseconds, the kind, and the numbers.
  package var sink: ((String) -> Void)?
  /// The hash of everything up to now.
  package private(set) var hash: UInt64 = 0x243F_6A88_85A3_08D3
  /// The number of notes up to now.
  package private(set) var count = 0
  /// The world's time, which the agenda sets.
  var now: UInt64 = 0

  package init() {}

  /// Records an event: its kind, and numbers such as identifiers and counts.
  package func note(_ kind: StaticString, _ a: UInt64 = 0, _ b: UInt64 = 0, _ c: UInt64 = 0) {
    count += 1
    mix(now)
    kind.withUTF8Buffer { mix(Self.hash(of: UnsafeRawBufferPointer($0))) }
    mix(a)
    mix(b)
    mix(c)
    if let sink { sink("\(now) \(kind) \(a) \(b) \(c)") }
  }

  /// Adds one number to the hash.
  func mix(_ word: UInt64) {
    let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    hash = product.low ^ product.high &+ 0x5851_F42D_4C95_7F2D
  }

  /// Returns a hash of bytes that is the same in each process and on each machine.
  package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15 ^ 0xA076_1D64_78BD_642F
    var at = 0
    while bytes.count - at >= 8 {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let product = (hash ^ word).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
      hash = product.low ^ product.high
      at += 8
    }
    var last: UInt64 = 0
    while at < bytes.count {
      last = last << 8 | UInt64(bytes[at])
      at += 1
    }
    let product = (hash ^ last ^ 0x8EBC_6AF0_9C88_C6E3).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.low ^ product.high
  }
}
