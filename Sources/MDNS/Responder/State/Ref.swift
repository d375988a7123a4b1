/// A name of the responder: the kind of its owner, and the index in the table of that kind.
struct Ref: Hashable, Sendable {
  enum Kind: UInt32 { case service, host, type, subtype, serviceList }

  private(set) var raw: UInt32

  init(_ kind: Kind, _ index: Int) { raw = kind.rawValue << 28 | UInt32(truncatingIfNeeded: index) }
  init(raw: UInt32) { self.raw = raw }

  var kind: Kind { Kind(rawValue: raw >> 28) ?? .serviceList }
  var index: Int { Int(raw & 0xFFF_FFFF) }

  /// The name of the list of types. RFC 6763 §9.
  static let serviceList = Ref(.serviceList, 0)
}

/// Records of a service and its host, or of a host alone. The upper 16 bits are the PTR records of subtypes.
struct Records: OptionSet, Sendable {
  let rawValue: UInt32
  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The PTR record of the type.
  static let pointer = Records(rawValue: 1)
  /// The PTR record of the list of types.
  static let listed = Records(rawValue: 2)
  static let srv = Records(rawValue: 4)
  static let text = Records(rawValue: 8)
  /// The NSEC record of the service's name.
  static let serviceDenial = Records(rawValue: 16)
  static let v4 = Records(rawValue: 32)
  static let v6 = Records(rawValue: 64)
  /// The NSEC record of the host's name.
  static let hostDenial = Records(rawValue: 128)

  static let addresses: Records = [.v4, .v6]
  static let ofHost: Records = [.v4, .v6, .hostDenial]
  static let allSubtypes = Records(rawValue: 0xFFFF_0000)
  /// Shared records: other hosts may have records of the same name and type. RFC 6762 §2.
  static let shared: Records = [.pointer, .listed, .allSubtypes]

  static func subtype(_ index: Int) -> Records { Records(rawValue: 0x1_0000 << UInt32(index)) }
  /// Returns the PTR records of the first `count` subtypes.
  static func subtypes(_ count: Int) -> Records { Records(rawValue: (UInt32(1) << UInt32(count) - 1) << 16) }

  /// The position of the last subtype among the records; negative: there is none.
  var lastSubtype: Int { 15 - rawValue.leadingZeroBitCount }

  /// The records one by one.
  var each: UnfoldSequence<Records, UInt32> {
    sequence(state: rawValue) { rest -> Records? in
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return Records(rawValue: rest & ~(rest - 1))
    }
  }
}
