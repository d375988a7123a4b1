import HAPCrypto
import MatterModel
import MatterProtocol
import MatterWire

/// The facts on the label of a node, and the secrets that belong to them. A factory reset keeps them.
struct MatterLabel {
  static let name = "matter.label"
  private static let iterations = 1000
  private static let saltByteCount = 32

  var passcode: Passcode
  var discriminator: UInt16
  var credentials: DeviceCredentials
  let access: PasscodeAccess
  /// Names the host in mDNS.
  let host: UInt64
  private let salt: [UInt8]

  /// Makes a label. It takes a millisecond.
  init(_ settings: MatterSettings, random: LabelRandomness) {
    // The draws do not depend on the settings, so that an option changes nothing else.
    let drawn = random.identifiers
    let passcode = Self.passcode(drawn)
    let discriminator = Self.discriminator(drawn)
    self.init(
      settings, passcode: settings.passcode.flatMap { Passcode($0) } ?? passcode,
      discriminator: settings.discriminator ?? discriminator, salt: drawn.bytes(Self.saltByteCount),
      host: Self.number(drawn), credentials: nil, keys: random.keys)
  }

  private init(
    _ settings: MatterSettings, passcode: Passcode, discriminator: UInt16, salt: [UInt8], host: UInt64,
    credentials: DeviceCredentials?, keys: RandomSource
  ) {
    (self.passcode, self.discriminator, self.salt, self.host) = (passcode, discriminator, salt, host)
    self.credentials =
      credentials
      ?? DeviceCredentials(
        vendor: settings.vendor, product: settings.product, authority: AttestationAuthority(random: keys),
        random: keys)
    access = Self.access(passcode, salt: salt)
  }

  private static func access(_ passcode: Passcode, salt: [UInt8]) -> PasscodeAccess {
    let limits = "the salt and the iterations are within the limits"
    let access = PasscodeAccess(iterations: iterations, salt: salt) {
      guard let secrets = SPAKE2Plus.Secrets(passcode: passcode.number, salt: salt, iterations: iterations) else {
        preconditionFailure(limits)
      }
      return secrets.verifier
    }
    guard let access else { preconditionFailure(limits) }
    return access
  }

  private static func number(_ random: RandomSource) -> UInt64 { random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

  private static func discriminator(_ random: RandomSource) -> UInt16 {
    UInt16(truncatingIfNeeded: number(random)) & 0x0FFF
  }

  private static func passcode(_ random: RandomSource) -> Passcode {
    while true {
      if let passcode = Passcode(UInt32(number(random) % 100_000_000)) { return passcode }
    }
  }

  // MARK: Storage

  /// A structure {1: passcode, 2: discriminator, 3: salt, 4: host, 5: credentials}.
  var bytes: [UInt8] {
    Element(
      .anonymous,
      .container(
        .structure,
        [
          Element(.context(1), .unsigned(UInt64(passcode.number))),
          Element(.context(2), .unsigned(UInt64(discriminator))), Element(.context(3), .octets(salt)),
          Element(.context(4), .unsigned(host)),
          Element(.context(5), .octets(credentials.encoded.withBytes { Array($0) })),
        ])
    ).encoded
  }

  /// Reads what `bytes` returned. Settings that differ from the stored ones replace them.
  /// - Returns: nil for other bytes.
  init?(_ bytes: [UInt8], _ settings: MatterSettings, random: LabelRandomness) {
    guard let element = try? Element(decoding: bytes), case .unsigned(let code) = element[1],
      case .unsigned(let discriminator) = element[2], case .octets(let salt) = element[3],
      case .unsigned(let host) = element[4], case .octets(let encoded) = element[5],
      let number = UInt32(exactly: code), let passcode = Passcode(number),
      let value = UInt16(exactly: discriminator), value < 4096,
      salt.count == Self.saltByteCount, let credentials = DeviceCredentials(encoded: SecretBytes(encoded))
    else { return nil }
    let isOfSettings = credentials.vendor == settings.vendor && credentials.product == settings.product
    self.init(
      settings, passcode: settings.passcode.flatMap { Passcode($0) } ?? passcode,
      discriminator: settings.discriminator ?? value, salt: salt,
      host: host, credentials: isOfSettings ? credentials : nil, keys: random.keys)
  }

  // MARK: What it says

  var payload: OnboardingPayload { payload(discriminator: discriminator, passcode: passcode) }

  private func payload(discriminator: UInt16, passcode: Passcode) -> OnboardingPayload {
    OnboardingPayload(
      vendor: credentials.vendor, product: credentials.product, discriminator: discriminator, passcode: passcode)
  }

  /// Makes a random passcode and a random discriminator for a window.
  func newSecret(_ random: RandomSource) -> (secret: NodeWindow.Secret, payload: OnboardingPayload) {
    let payload = payload(discriminator: Self.discriminator(random), passcode: Self.passcode(random))
    let access = Self.access(payload.passcode, salt: random.bytes(Self.saltByteCount))
    return (NodeWindow.Secret(access, discriminator: payload.discriminator), payload)
  }

  /// The host name without ".local".
  var hostName: String { host.hexadecimal }
}
