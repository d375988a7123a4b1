/// The passcode of a device: 1...99999998, except for those that are easily guessed. Matter 1.4 §5.1.7.1.
package struct Passcode: Hashable, Sendable {
  package let number: UInt32

  /// - Returns: nil if no device may use it.
  package init?(_ number: UInt32) {
    let isRepdigit = number % 11_111_111 == 0
    guard (1...99_999_998).contains(number), !isRepdigit, number != 12_345_678, number != 87_654_321 else { return nil }
    self.number = number
  }
}

/// A payload or a code that can't be read.
package enum OnboardingError: Error, Equatable {
  /// A text that does not begin with "MT:".
  case prefix
  /// A character that base 38 or the manual code does not have, and its place in the text, from 0.
  case character(at: Int)
  /// A length that no payload or code has.
  case length(Int)
  /// Bits that are no base 38 number of the group at this place.
  case group(at: Int)
  /// A version other than 0.
  case version(UInt8)
  /// Bits that must be 0.
  case padding
  /// A flow that Matter reserves: 3.
  case flow
  /// A passcode that no device may have.
  case passcode(UInt32)
  /// The check digit does not fit: a digit is wrong.
  case checkDigit
  /// A first digit of 8 or 9.
  case firstDigit
  /// A first digit that demands the other length.
  case form
  /// A group of digits that is greater than its bits allow.
  case range
}

extension OnboardingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .prefix: "the text of a Matter QR code begins with \"MT:\""
    case .character(let place): "character \(place + 1) is not allowed"
    case .length(let length):
      "the code has \(length) characters: a manual code has 11 or 21 digits, a QR code 22 characters or some more"
    case .group(let place): "the characters from \(place + 1) are no base 38 number"
    case .version(let version): "the code has version \(version), which is not known: version 0 is"
    case .padding: "bits of the code that must be 0 are not"
    case .flow: "the code has the reserved commissioning flow 3"
    case .passcode(let number): "no device may have the passcode \(number)"
    case .checkDigit: "the check digit is wrong: compare all digits"
    case .firstDigit: "no manual code begins with 8 or 9"
    case .form: "the first digit is that of a code with the other length: 0 to 3 begin 11 digits, 4 to 7 begin 21"
    case .range: "a group of digits is too great: compare all digits"
    }
  }
}
