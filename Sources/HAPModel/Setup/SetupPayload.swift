/// The content of an accessory's QR code, "X-HM://0071WK4SM7OSX". HAP R2 §4.4 "Setup Payload".
public struct SetupPayload: Hashable, Sendable {
  /// The accessory's category.
  public var category: UInt8
  /// The setup code; nil: its bits are 0.
  public var code: SetupCode?
  /// The setup ID; nil: "0000".
  public var setupID: SetupID?
  /// Whether the accessory supports HAP over IP.
  public var supportsIP: Bool
  /// Whether the accessory supports HAP over Bluetooth LE.
  public var supportsBLE: Bool
  /// Whether the accessory is already paired with a controller.
  public var isPaired: Bool

  /// Creates a payload; an IP accessory by default.
  public init(
    category: UInt8, code: SetupCode?, setupID: SetupID?, supportsIP: Bool = true, supportsBLE: Bool = false,
    isPaired: Bool = false
  ) {
    self.category = category
    self.code = code
    self.setupID = setupID
    self.supportsIP = supportsIP
    self.supportsBLE = supportsBLE
    self.isPaired = isPaired
  }

  /// The payload: `X-HM://`, nine base-36 digits of a 46-bit number, then the setup ID.
  ///
  /// Bits: version 45–43 = 0, reserved 42–39 = 0, category 38–31, BLE 29, IP 28, paired 27, code 26–0.
  public var uri: String {
    var bits: UInt64 = UInt64(category) << 31
    if supportsBLE { bits |= 1 << 29 }
    if supportsIP { bits |= 1 << 28 }
    if isPaired { bits |= 1 << 27 }
    if let code: SetupCode = code { bits |= UInt64(code.number) }
    let digits: String = String(bits, radix: 36, uppercase: true)
    return "X-HM://" + String(repeating: "0", count: 9 - digits.utf8.count) + digits + (setupID?.text ?? "0000")
  }
}
