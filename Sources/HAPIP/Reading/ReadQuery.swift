import HAPModel
import HAPWire

/// The parsed query of `GET /characteristics?…`: the part of the target after the question mark.
///
/// The IDs stay in the received bytes and are parsed one by one, so that reading allocates nothing. HAP R2 §6.7.4.2.
package struct ReadQuery {
  /// Optional members that every entry of the answer contains.
  package struct Extras: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let meta = Extras(rawValue: 1)
    package static let perms = Extras(rawValue: 2)
    package static let type = Extras(rawValue: 4)
    package static let ev = Extras(rawValue: 8)
  }

  /// The reason why a query is answered with 400.
  package enum Mistake: Error, Equatable {
    /// A key other than `id`, `meta`, `perms`, `type`, `ev`, or a part that is not `key=value`.
    case unknownKey
    /// An ID that is not two decimal 64-bit numbers with a point between them.
    case malformedID
    /// A flag whose value is neither 0 nor 1.
    case malformedFlag
    /// More IDs than one request may contain.
    case tooManyIDs
  }

  package private(set) var extras: Extras = []
  /// The number of IDs in the query.
  package private(set) var count = 0
  private let bytes: UnsafeRawBufferPointer
  private var firstID = 0

  /// Reads and checks the whole query.
  ///
  /// A key may occur more than once, as in HomeKitADK; the IDs of all `id` members count, in order.
  /// - Parameters:
  ///   - bytes: the query without the question mark; must stay valid while the value is used.
  ///   - limit: the maximum number of IDs.
  ///   - flags: the accepted values of flags.
  ///   - refusesUnknownKeys: whether an unknown key is a mistake.
  package init(
    _ bytes: UnsafeRawBufferPointer, limit: Int, flags: IPQuirks.QueryFlags = .strict, refusesUnknownKeys: Bool = true
  ) throws(Mistake) {
    self.bytes = bytes
    var reader = Reader(bytes: bytes)
    var seenID = false
    while !reader.atEnd {
      if reader.take("id=") {
        if !seenID { firstID = reader.position }
        seenID = true
        if !reader.atEnd {
          repeat {
            guard reader.id() != nil else { throw .malformedID }
            count += 1
            guard count <= limit else { throw .tooManyIDs }
          } while reader.take(",")
        }
      } else if reader.take("meta=") {
        try set(.meta, reader.flag(flags))
      } else if reader.take("perms=") {
        try set(.perms, reader.flag(flags))
      } else if reader.take("type=") {
        try set(.type, reader.flag(flags))
      } else if reader.take("ev=") {
        try set(.ev, reader.flag(flags))
      } else {
        guard !refusesUnknownKeys else { throw .unknownKey }
        reader.skipMember()
      }
      if reader.atEnd { break }
      // A fragment is not part of a query; HomeKitADK also stops there.
      if reader.take("#") { break }
      guard reader.take("&") else { throw .malformedID }
    }
  }

  private mutating func set(_ extra: Extras, _ flag: Bool?) throws(Mistake) {
    guard let flag else { throw .malformedFlag }
    if flag { extras.insert(extra) } else { extras.remove(extra) }
  }

  /// Calls `body` with each ID in the order of the request.
  package func forEachID(_ body: (AttributeID) -> Void) {
    guard count > 0 else { return }
    var reader = Reader(bytes: bytes, position: firstID)
    var left = count
    while left > 0 {
      guard let id = reader.id() else { break }
      body(id)
      left -= 1
      if reader.take(",") { continue }
      // If the query has several `id` members, finds the next one. `init` has checked the members in between.
      while left > 0, !reader.atEnd {
        reader.skipMember()
        guard reader.take("&") else { break }
        if reader.take("id=") { break }
      }
    }
  }

  /// Whether an ID occurs twice.
  package var hasDuplicates: Bool {
    var seen: Set<AttributeID> = []
    var isTwice = false
    forEachID { if !seen.insert($0).inserted { isTwice = true } }
    return isTwice
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var atEnd: Bool { position >= bytes.count }
    mutating func skip() { position += 1 }

    mutating func take(_ word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard bytes.count - position >= count else { return false }
      for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] { return false }
      position += count
      return true
    }

    /// Skips to the next `&` or `#`.
    mutating func skipMember() {
      while !atEnd, bytes[position] != 0x26, bytes[position] != 0x23 { position += 1 }
    }

    mutating func flag(_ values: IPQuirks.QueryFlags) -> Bool? {
      if values == .strict { return flag() }
      let start = position
      skipMember()
      let word = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
      switch values {
      case .words: return word.equals("1") || word.equals("true")
      case .ones: return word.equals("1")
      case .ignored, .strict: return false
      }
    }

    mutating func flag() -> Bool? {
      guard !atEnd, bytes[position] == 0x30 || bytes[position] == 0x31 else { return nil }
      let isOn = bytes[position] == 0x31
      position += 1
      // "11" is not a flag.
      if !atEnd, (0x30...0x39).contains(bytes[position]) { return nil }
      return isOn
    }

    mutating func number() -> UInt64? {
      let start = position
      var value: UInt64 = 0
      while !atEnd, (0x30...0x39).contains(bytes[position]) {
        let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
        let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[position] &- 0x30))
        if overflowed || carried { return nil }
        value = sum
        position += 1
      }
      return position > start ? value : nil
    }

    mutating func id() -> AttributeID? {
      guard let aid = number(), take("."), let iid = number() else { return nil }
      return AttributeID(aid: aid, iid: iid)
    }
  }
}
