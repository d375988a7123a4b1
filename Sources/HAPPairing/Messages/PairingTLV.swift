import HAPWire

// Common parts of pairing messages. HAP R2 §5.14, §5.15.
extension TLV {
  /// Returns the item's value if its length is in `counts`.
  func bytes(_ type: UInt8, count counts: ClosedRange<Int>) -> [UInt8]? {
    guard let value = self[type], counts.contains(value.count) else { return nil }
    return value
  }

  /// Returns the item's value if its length is `count`.
  func bytes(_ type: UInt8, count: Int) -> [UInt8]? { bytes(type, count: count...count) }

  /// Whether an item of the pairing procedures occurs twice. Such a message is invalid (HomeKitADK). Unknown items are ignored, even if
  /// they occur more than once.
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
  /// Parses flags, least significant byte first. Returns nil for more than 4 bytes. Unknown bits are kept.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 4 else { return nil }
    self.init(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension TLV {
  /// Appends flags in 1, 2 or 4 bytes, as few as possible.
  mutating func append(_ flags: PairingFlags) { append(TLVType.flags, integer: UInt64(flags.rawValue)) }
}

/// The required lengths of items in pairing messages, in bytes.
package enum PairingLength {
  package static let identifier = 0...36
  static let longTermKey = 32
  static let signature = 64
  static let proof = 64
  static let ephemeralKey = 32
  /// A public key of SRP. A shorter one is padded with zeros in front.
  static let srpKey = 0...384
  static let tag = 16
}
