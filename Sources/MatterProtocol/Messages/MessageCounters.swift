import HAPCrypto

/// The counters of the messages that one end sends. Matter 1.4 §4.6.1.
struct OutgoingCounter: Sendable {
  private var following: UInt32?

  /// The first counter is 1...2²⁸.
  init(_ random: RandomSource) { self.init(first: random.integer() >> 4 + 1) }

  init(first: UInt32) { following = first }

  /// nil: every counter has been used.
  mutating func next() -> UInt32? {
    guard let counter = following else { return nil }
    following = counter == .max ? nil : counter + 1
    return counter
  }
}

/// The counters that were received from a peer: the maximum, and which of the 32 below it. Matter 1.4 §4.6.5.
struct ReceptionWindow: Sendable {
  private static let width: UInt32 = 32

  private let isSealed: Bool
  /// nil: no message was received.
  private var maximum: UInt32?
  /// Bit n is set if `maximum - 1 - n` was received.
  private var seen: UInt32 = 0

  /// - Parameter isSealed: whether the messages are authenticated. Counters of others may go back, because the peer may
  ///   have restarted.
  init(isSealed: Bool) { self.isSealed = isSealed }

  /// Whether a message was received before, or is too old to know.
  func isDuplicate(_ counter: UInt32) -> Bool {
    guard let maximum, !isAhead(counter, of: maximum) else { return false }
    let distance = maximum &- counter
    guard distance > 0 else { return true }
    return distance > Self.width ? isSealed : seen >> (distance - 1) & 1 == 1
  }

  /// Notes a message that is no duplicate.
  mutating func insert(_ counter: UInt32) {
    guard let maximum else { return self.maximum = counter }
    if isAhead(counter, of: maximum) {
      let distance = counter &- maximum
      seen = distance > Self.width ? 0 : seen << distance | 1 << (distance - 1)
      self.maximum = counter
    } else if maximum &- counter <= Self.width {
      seen |= 1 << (maximum &- counter - 1)
    } else {
      (self.maximum, seen) = (counter, 0)
    }
  }

  /// Counters of unsecured messages wrap around.
  private func isAhead(_ counter: UInt32, of maximum: UInt32) -> Bool {
    isSealed ? counter > maximum : Int32(bitPattern: counter &- maximum) > 0
  }
}

extension RandomSource {
  /// A number of all values of its type.
  func integer<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type = Number.self) -> Number {
    bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
  }
}
