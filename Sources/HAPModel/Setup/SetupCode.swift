/// The eight digits that a person enters to pair, "031-45-154". HAP R2 §4.2.1 "Setup Code".
public struct SetupCode: Hashable, Sendable {
  /// 0...99999999: the digits as one decimal number.
  public let number: UInt32

  /// Codes that are too easy to guess: HAP R2 §4.2.1.2 "Invalid Setup Codes".
  private static let tooSimple: Set<UInt32> = [
    0, 11_111_111, 22_222_222, 33_333_333, 44_444_444, 55_555_555, 66_666_666, 77_777_777, 88_888_888, 99_999_999,
    12_345_678, 87_654_321,
  ]

  /// Parses "XXX-XX-XXX"; only digits and dashes are allowed.
  public init(_ text: String) throws(SetupCodeError) {
    guard text.utf8.count == 10 else { throw .malformed }
    var number: UInt32 = 0
    for (position, byte): (Int, UInt8) in text.utf8.enumerated() {
      if position == 3 || position == 6 {
        guard byte == UInt8(ascii: "-") else { throw .malformed }
      } else {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .malformed }
        number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
      }
    }
    try self.init(number: number)
  }

  /// Parses a code in the forms that people type: "XXX-XX-XXX", or the eight digits without dashes.
  public init(typed text: String) throws(SetupCodeError) {
    let isBare: Bool = text.utf8.count == 8 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isBare, let number: UInt32 = UInt32(text) else {
      try self.init(text)
      return
    }
    try self.init(number: number)
  }

  /// Creates a code from a number, for random codes: choose another number if it is too simple.
  public init(number: UInt32) throws(SetupCodeError) {
    guard number <= 99_999_999 else { throw .malformed }
    guard !Self.tooSimple.contains(number) else { throw .tooSimple }
    self.number = number
  }

  /// Creates a code from any eight digits, including those that are too easy to guess; for accessories that misbehave
  /// on purpose.
  /// - Parameter number: 0...99999999; more traps.
  package init(unchecked number: UInt32) {
    precondition(number <= 99_999_999, "a setup code has eight digits")
    self.number = number
  }

  /// "031-45-154" with dashes, the form for SRP.
  public var text: String {
    var digits: [Character] = Array(String(number))
    digits.insert(contentsOf: repeatElement("0", count: 8 - digits.count), at: 0)
    return String(digits[0..<3]) + "-" + String(digits[3..<5]) + "-" + String(digits[5..<8])
  }
}

/// The reason why a text is not a setup code.
public enum SetupCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The form is not XXX-XX-XXX.
  case malformed
  /// The code is one of the twelve that HAP forbids.
  case tooSimple

  /// An explanation for people; it follows the code in a message.
  public var description: String {
    switch self {
    case .malformed: "a setup code is eight digits written XXX-XX-XXX, such as 031-45-154"
    case .tooSimple:
      "HomeKit forbids setup codes that are too simple (000-00-000 to 999-99-999, 123-45-678, 876-54-321)"
    }
  }
}
