extension SetupPayload {
  private static let scheme: String = "X-HM://"

  /// Returns whether a text is probably a setup payload: it begins with "X-HM:", in any case.
  public static func isMeant(by text: String) -> Bool { text.prefix(5).uppercased() == "X-HM:" }

  /// Parses a payload in the form of `uri`. HAP R2 §4.4 "Setup Payload".
  ///
  /// Reserved bits must be 0. If the code bits are 0, the payload has no code; the setup ID "0000" then means that it
  /// has no setup ID either.
  public init(uri: String) throws(SetupPayloadError) {
    guard uri.hasPrefix(Self.scheme) else { throw .scheme }
    let text: Substring = uri.dropFirst(Self.scheme.count)
    guard text.count == 13 else { throw .length(text.count) }
    var bits: UInt64 = 0
    for byte: UInt8 in text.utf8.prefix(9) {
      guard let digit: UInt8 = Self.base36(byte) else { throw .digit }
      bits = bits * 36 + UInt64(digit)
    }
    let id: String = String(text.suffix(4))
    guard let setupID: SetupID = SetupID(id) else { throw .setupID(id) }
    guard bits >> 46 == 0 else { throw .tooLarge }
    guard bits >> 43 == 0 else { throw .version(UInt8(bits >> 43)) }
    let reserved: UInt64 = 0b1111 << 39 | 1 << 30
    guard bits & reserved == 0 else { throw .reservedBits }
    let number: UInt32 = UInt32(bits & 0x7FF_FFFF)
    var code: SetupCode?
    if number != 0 { do { code = try SetupCode(number: number) } catch { throw .code(error) } }
    self.init(
      category: UInt8(bits >> 31 & 0xFF), code: code, setupID: code == nil && id == "0000" ? nil : setupID,
      supportsIP: bits >> 28 & 1 == 1, supportsBLE: bits >> 29 & 1 == 1, isPaired: bits >> 27 & 1 == 1)
  }

  private static func base36(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// The reason why a text is not a setup payload.
public enum SetupPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin with "X-HM://" in upper case.
  case scheme
  /// It has this number of characters after "X-HM://" instead of 13.
  case length(Int)
  /// One of the first nine characters is not 0-9 or A-Z.
  case digit
  /// The number does not fit into 46 bits.
  case tooLarge
  /// The version is not 0.
  case version(UInt8)
  /// A bit that must be 0 is 1.
  case reservedBits
  /// HAP does not allow the code.
  case code(SetupCodeError)
  /// The last four characters are not a setup ID.
  case setupID(String)

  /// An explanation for people; it follows the payload in a message.
  public var description: String {
    switch self {
    case .scheme: "a setup payload begins with X-HM:// in capitals"
    case .length(let count): "a setup payload has 13 characters after X-HM://; this one has \(count)"
    case .digit: "the nine characters after X-HM:// must be digits 0-9 or capital letters A-Z"
    case .tooLarge: "the number in the payload is too large; a character is wrong"
    case .version(let version): "the payload has version \(version); only version 0 is known"
    case .reservedBits: "the payload sets reserved bits; a character is wrong"
    case .code(let error): "the setup code in the payload is not valid: \(error)"
    case .setupID(let text):
      "the setup ID (the last four characters) must be digits 0-9 or capital letters A-Z, not \"\(text)\""
    }
  }
}
