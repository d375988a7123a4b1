import HAPExpectation
import HAPModel

/// The facts about the accessory from which a stream of messages is made.
package struct FuzzFacts: Equatable, Sendable {
  /// A characteristic that may be written with any value.
  package struct Target: Equatable, Sendable {
    package var id: AttributeID
    /// Two or more accepted values.
    package var values: [Value]
    package var hasEvents: Bool
    package var isTimed: Bool
  }

  /// Characteristics whose writes cause no movement, sound or locking.
  package var targets: [Target] = []
  /// Some readable characteristics.
  package var readable: [AttributeID] = []
  /// Writable characteristics that are not targets. No message may write them.
  var forbidden: Set<AttributeID> = []
  package var state = FuzzState.found
  /// Whether Pair Setup can continue after M2.
  package var hasCode = false
  /// The limit on proofs that the accessory could count as wrong codes.
  package var proofLimit = 0
  /// The tester's own values, as Pair Setup sends them.
  package var identifier: [UInt8] = []
  package var publicKey: [UInt8] = []

  package init() {}

  package init(_ database: DatabaseView?, restorable: (AttributeID) -> Bool) {
    guard let database else { return }
    var ranked: [(rank: Int, target: Target)] = []
    for entry in database.characteristics {
      let characteristic = entry.characteristic
      if characteristic.perms.contains(.pairedRead), readable.count < 40 { readable.append(entry.id) }
      guard characteristic.perms.contains(.pairedWrite) else { continue }
      let values = LegalValues(characteristic).values
      guard let rank = QuietTypes.rank(characteristic.type), values.count > 1, restorable(entry.id) else {
        forbidden.insert(entry.id)
        continue
      }
      let target = Target(
        id: entry.id, values: values, hasEvents: characteristic.perms.contains(.events),
        isTimed: characteristic.perms.contains(.timedWrite))
      ranked.append((rank, target))
    }
    let sorted = ranked.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.target)
    targets = Array(sorted.prefix(8))
    // The other characteristics must not be written: there can be thousands of them, so their values could not be
    // restored.
    for target in sorted.dropFirst(8) { forbidden.insert(target.id) }
  }

  /// Returns whether a message can write only targets, even if the accessory parses it leniently.
  ///
  /// All numbers after a name similar to `aid` or `iid` count, in any combination, and also truncated to any width.
  func isHarmless(_ bytes: [UInt8]) -> Bool {
    guard !forbidden.isEmpty else { return true }
    let numbers = Self.numbers(in: bytes)
    guard !numbers.isUnclear else { return false }
    guard !numbers.iids.isEmpty else { return true }
    let aids = Set(numbers.aids.flatMap(Self.widths))
    let iids = Set(numbers.iids.flatMap(Self.widths))
    return !forbidden.contains { iids.contains($0.iid) && (aids.isEmpty || aids.contains($0.aid)) }
  }

  private static func widths(_ number: UInt64) -> [UInt64] {
    [number, number & 0xFFFF_FFFF, number & 0xFFFF, number & 0xFF]
  }

  private static func numbers(in bytes: [UInt8]) -> (aids: [UInt64], iids: [UInt64], isUnclear: Bool) {
    var aids: [UInt64] = []
    var iids: [UInt64] = []
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
    // The characters that may separate a name from its number.
    let between = Set("\": \t\r\n+-[{'=\\\0".utf8)
    var at = 0
    while at + 1 < lower.count {
      guard lower[at] == UInt8(ascii: "i"), lower[at + 1] == UInt8(ascii: "d"), at > 0 else {
        at += 1
        continue
      }
      let before = lower[at - 1]
      var index = at + 2
      at += 2
      guard before == UInt8(ascii: "a") || before == UInt8(ascii: "i") else { continue }
      while index < lower.count, between.contains(lower[index]) { index += 1 }
      guard index < lower.count, isDigit(lower[index]) else { continue }
      var number: UInt64 = 0
      while index < lower.count, isDigit(lower[index]) {
        number = number &* 10 &+ UInt64(lower[index] - 0x30)
        index += 1
      }
      // A lenient parser may read 1e1 and 90e-1 as 10 and 9.
      if index < lower.count, [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "x")].contains(lower[index]) {
        return ([], [], true)
      }
      if before == UInt8(ascii: "a") { aids.append(number) } else { iids.append(number) }
    }
    return (aids, iids, false)
  }
}
