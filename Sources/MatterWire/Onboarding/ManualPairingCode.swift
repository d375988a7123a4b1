/// The code that a person types: 11 digits, or 21 with the vendor and the product. Matter 1.4 §5.1.4.
package struct ManualPairingCode: Hashable, Sendable {
  package struct IDs: Hashable, Sendable {
    package var vendor: UInt16
    package var product: UInt16

    package init(vendor: UInt16, product: UInt16) { (self.vendor, self.product) = (vendor, product) }
  }

  /// The upper four bits of the discriminator.
  package let shortDiscriminator: UInt8
  package var passcode: Passcode
  /// Only if the commissioning needs more than power.
  package var ids: IDs?

  /// - Parameter shortDiscriminator: 0...15, or it traps.
  package init(shortDiscriminator: UInt8, passcode: Passcode, ids: IDs? = nil) {
    precondition(shortDiscriminator < 16, "a short discriminator has 4 bits")
    (self.shortDiscriminator, self.passcode, self.ids) = (shortDiscriminator, passcode, ids)
  }

  /// The digits, without separators.
  package var text: String {
    let first = UInt32(shortDiscriminator >> 2) | (ids == nil ? 0 : 4)
    let second = UInt32(shortDiscriminator & 3) << 14 | passcode.number & 0x3FFF
    var fields = [(first, 1), (second, 5), (passcode.number >> 14, 4)]
    if let ids { fields += [(UInt32(ids.vendor), 5), (UInt32(ids.product), 5)] }
    let digits = fields.flatMap { Self.digits($0.0, count: $0.1) }
    return (digits + [Verhoeff.checkDigit(of: digits)]).map(String.init).joined()
  }

  /// Reads the digits. Blanks and hyphens between them are skipped.
  package init(text: String) throws(OnboardingError) {
    var digits: [UInt8] = []
    for (place, character) in text.utf8.enumerated()
    where character != UInt8(ascii: "-") && character != UInt8(ascii: " ") {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { throw .character(at: place) }
      digits.append(character - UInt8(ascii: "0"))
    }
    guard digits.count == 11 || digits.count == 21 else { throw .length(digits.count) }
    guard digits[0] < 8 else { throw .firstDigit }
    guard (digits[0] & 4 != 0) == (digits.count == 21) else { throw .form }
    guard Verhoeff.checkDigit(of: digits.dropLast()) == digits[digits.count - 1] else { throw .checkDigit }
    func field(_ range: Range<Int>) -> UInt32 { digits[range].reduce(0) { $0 * 10 + UInt32($1) } }
    let (second, third) = (field(1..<6), field(6..<10))
    // Five digits can exceed 16 bits, and four digits 13 bits.
    guard second <= UInt32(UInt16.max), third < 1 << 13 else { throw .range }
    guard let passcode = Passcode(third << 14 | second & 0x3FFF) else {
      throw .passcode(third << 14 | second & 0x3FFF)
    }
    self.passcode = passcode
    shortDiscriminator = (digits[0] & 3) << 2 | UInt8(second >> 14)
    if digits.count == 21 {
      let (vendor, product) = (field(10..<15), field(15..<20))
      guard vendor <= UInt32(UInt16.max), product <= UInt32(UInt16.max) else { throw .range }
      ids = IDs(vendor: UInt16(vendor), product: UInt16(product))
    } else {
      ids = nil
    }
  }

  private static func digits(_ number: UInt32, count: Int) -> [UInt8] {
    var (rest, digits) = (number, [UInt8](repeating: 0, count: count))
    for place in digits.indices.reversed() {
      digits[place] = UInt8(rest % 10)
      rest /= 10
    }
    return digits
  }
}

/// Verhoeff's check digit, which finds each wrong digit and each swap of neighbours.
enum Verhoeff {
  /// The group of the symmetries of a pentagon: 0...4 rotate, 5...9 reflect.
  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    switch (left < 5, right < 5) {
    case (true, true): (left + right) % 5
    case (true, false): 5 + (left + right) % 5
    case (false, true): 5 + (left + 5 - right) % 5
    case (false, false): (left + 5 - right) % 5
    }
  }

  private static let permutation: [UInt8] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

  static func checkDigit(of digits: some BidirectionalCollection<UInt8>) -> UInt8 {
    var sum: UInt8 = 0
    for (place, digit) in digits.reversed().enumerated() {
      var permuted = digit
      for _ in 0..<(place + 1) % 8 { permuted = permutation[Int(permuted)] }
      sum = product(sum, permuted)
    }
    // The inverse: rotations invert to 5 - n, reflections to themselves.
    return sum < 5 ? (5 - sum) % 5 : sum
  }
}
