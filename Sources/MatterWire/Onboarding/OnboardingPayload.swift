/// What a commissioner must know of a device: the contents of its QR code. Matter 1.4 §5.1.
package struct OnboardingPayload: Hashable, Sendable {
  /// The action of a person before the commissioning. Matter 1.4 §5.1.1.3.
  package enum Flow: UInt8, Hashable, Sendable {
    /// Nothing: a device with power can be commissioned.
    case standard = 0
    /// Presses a button, for example.
    case userIntent = 1
    /// Follows the instructions of the vendor.
    case custom = 2
  }

  /// Where the device can be discovered. Matter 1.4 §5.1.1.4.
  package struct Discovery: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let softAP = Discovery(rawValue: 0x01)
    package static let bluetooth = Discovery(rawValue: 0x02)
    package static let onNetwork = Discovery(rawValue: 0x04)
  }

  package var vendor: UInt16
  package var product: UInt16
  package var flow: Flow
  package var discovery: Discovery
  /// 0...4095.
  package let discriminator: UInt16
  package var passcode: Passcode
  /// TLV with more data, of the vendor or of Matter; mostly empty.
  package var more: [UInt8] = []

  private static let prefix = "MT:"
  private static let byteCount = 11

  /// - Parameter discriminator: 0...4095, or it traps.
  package init(
    vendor: UInt16, product: UInt16, flow: Flow = .standard, discovery: Discovery = .onNetwork,
    discriminator: UInt16, passcode: Passcode
  ) {
    precondition(discriminator < 4096, "a discriminator has 12 bits")
    (self.vendor, self.product, self.flow, self.discovery) = (vendor, product, flow, discovery)
    (self.discriminator, self.passcode) = (discriminator, passcode)
  }

  /// The fields in the order of the bits, from the lowest, with their widths.
  private static let widths = [3, 16, 16, 2, 8, 12, 27, 4]

  /// The text of the QR code: "MT:…".
  package var qrText: String {
    let fields: [UInt32] = [
      0, UInt32(vendor), UInt32(product), UInt32(flow.rawValue), UInt32(discovery.rawValue), UInt32(discriminator),
      passcode.number, 0,
    ]
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    var place = 0
    for (field, width) in zip(fields, Self.widths) {
      for bit in 0..<width {
        if field >> UInt32(bit) & 1 == 1 { bytes[place / 8] |= 1 << UInt8(place % 8) }
        place += 1
      }
    }
    return Self.prefix + Base38.encode(bytes + more)
  }

  /// Reads the text of a QR code.
  package init(qrText: String) throws(OnboardingError) {
    let text = Array(qrText.utf8)
    guard text.starts(with: Self.prefix.utf8) else { throw .prefix }
    let bytes = try Base38.decode(Array(text[Self.prefix.utf8.count...]), offset: Self.prefix.utf8.count)
    guard bytes.count >= Self.byteCount else { throw .length(text.count) }
    var place = 0
    let fields = Self.widths.map { width in
      defer { place += width }
      return (0..<width).reduce(UInt32(0)) { field, bit in
        field | UInt32(bytes[(place + bit) / 8] >> UInt8((place + bit) % 8) & 1) << UInt32(bit)
      }
    }
    guard fields[0] == 0 else { throw .version(UInt8(fields[0])) }
    guard fields[7] == 0 else { throw .padding }
    guard let flow = Flow(rawValue: UInt8(fields[3])) else { throw .flow }
    guard let passcode = Passcode(fields[6]) else { throw .passcode(fields[6]) }
    (vendor, product, self.flow) = (UInt16(fields[1]), UInt16(fields[2]), flow)
    (discovery, discriminator) = (Discovery(rawValue: UInt8(fields[4])), UInt16(fields[5]))
    self.passcode = passcode
    more = Array(bytes[Self.byteCount...])
  }

  /// The code that a person types. It has the upper four bits of the discriminator alone.
  package var manualCode: ManualPairingCode {
    ManualPairingCode(
      shortDiscriminator: UInt8(discriminator >> 8), passcode: passcode,
      ids: flow == .standard ? nil : .init(vendor: vendor, product: product))
  }
}
