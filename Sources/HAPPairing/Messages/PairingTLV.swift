import HAPWire

/// What pairing messages have in common. HAP R2 §5.14, §5.15.
extension TLV {
  /// The item's value where its length is in `counts`.
  func bytes(_ type: UInt8, count counts: ClosedRange<Int>) -> [UInt8]? {
    guard let value = self[type], counts.contains(value.count) else { return nil }
    return value
  }

  /// The item's value where its length is `count`.
  func bytes(_ type: UInt8, count: Int) -> [UInt8]? { bytes(type, count: count...count) }

  /// Whether an item that means something to the pairing procedures is there twice: then the message means nothing
  /// (HomeKitADK). What is unknown is passed over, however often it comes.
  package var isAmbiguous: Bool {
    var seen: UInt32 = 0
    for item in items where item.type <= TLVType.flags {
      let bit = UInt32(1) << UInt32(item.type)
      if seen & bit != 0 { return true }
      seen |= bit
    }
    return false
  }
}

extension PairingFlags {
  /// Least significant byte first; nil for more than 4 bytes. Unknown bits are kept.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 4 else { return nil }
    self.init(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension TLV {
  /// Flags in as few of 1, 2 or 4 bytes as hold them.
  mutating func append(_ flags: PairingFlags) { append(TLVType.flags, integer: UInt64(flags.rawValue)) }
}

/// Lengths that pairing messages must keep, in bytes.
package enum PairingLength {
  package static let identifier = 0...36
  static let longTermKey = 32
  static let signature = 64
  static let proof = 64
  static let ephemeralKey = 32
  /// A public key of SRP: shorter means zeros in front.
  static let srpKey = 0...384
  static let tag = 16
}
