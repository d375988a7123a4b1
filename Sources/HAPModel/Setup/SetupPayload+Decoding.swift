extension SetupPayload {
  private static let scheme: String = "X-HM://"

  /// Whether a text is meant as a setup payload: it begins with "X-HM:", in any case.
  public static func isMeant(by text: String) -> Bool { text.prefix(5).uppercased() == "X-HM:" }

  /// Reads a payload as `uri` writes it. HAP R2 §4.4 "Setup Payload".
  ///
  /// Reserved bits must be 0. Code bits of 0 mean that the payload has no code; then the setup ID "0000" means that it has none either.
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

/// Why a text is no setup payload.
public enum SetupPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin with "X-HM://", in capitals.
  case scheme
  /// It has this many characters after "X-HM://", and not 13.
  case length(Int)
  /// One of the first nine characters is not 0-9 or A-Z.
  case digit
  /// The number does not fit into 46 bits.
  case tooLarge
  /// A version other than 0.
  case version(UInt8)
  /// A bit that must be 0 is 1.
  case reservedBits
  /// The code is none that HAP allows.
  case code(SetupCodeError)
  /// The last four characters are no setup ID.
  case setupID(String)

  /// For people; goes after the payload in question.
  public var description: String {
    switch self {
    case .scheme: "a setup payload begins with X-HM:// in capitals"
    case .length(let count): "a setup payload has 13 characters after X-HM://, and this one has \(count)"
    case .digit: "the nine characters after X-HM:// are digits 0-9 and capital letters A-Z"
    case .tooLarge: "the number in the payload is too large; a character is wrong"
    case .version(let version): "the payload has version \(version), and only version 0 is known"
    case .reservedBits: "the payload sets reserved bits; a character is wrong"
    case .code(let error): "the setup code in the payload is not valid: \(error)"
    case .setupID(let text):
      "the last four characters are the setup ID, which has digits 0-9 and capital letters A-Z alone, not \"\(text)\""
    }
  }
}
