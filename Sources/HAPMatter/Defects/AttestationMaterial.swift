import HAPCrypto
import HAPDeviations
import MatterProtocol
import MatterWire

/// The proof of a node's origin: the certificates of its label and a declaration, or those of a defect.
struct AttestationMaterial {
  let credentials: DeviceCredentials
  /// The signed certification declaration.
  let declaration: [UInt8]
  /// The certificate that a commissioner has to trust, as DER.
  let trustAnchor: [UInt8]

  /// - Parameters:
  ///   - defect: nil: the device conforms.
  ///   - random: of signatures, and of keys. A defect of certificates needs new keys at each start, because that of the
  ///     authority is not stored.
  init(_ label: DeviceCredentials, deviceType: UInt32, _ defect: MatterAttestation?, random: RandomSource) {
    let defect = defect ?? MatterAttestation()
    declaration = Self.declaration(label, deviceType: deviceType, defect.declaration, random: random)
    guard defect.changesCertificates else {
      (credentials, trustAnchor) = (label, label.authority.encoded)
      return
    }
    credentials = Self.credentials(label, defect, random: random)
    trustAnchor = defect.authority == .unknown ? label.authority.encoded : credentials.authority.encoded
  }

  private static func declaration(
    _ label: DeviceCredentials, deviceType: UInt32, _ error: MatterAttestation.Declaration?, random: RandomSource
  ) -> [UInt8] {
    let (vendor, product) = (label.vendor, label.product)
    var signed = CertificationDeclaration(
      vendor: error == .otherVendor ? otherVendor(than: vendor) : vendor,
      products: [error == .otherProduct ? otherProduct(than: product) : product], deviceType: deviceType
    ).signed(random: random)
    if error == .wrongSignature { signed.flipLastBit() }
    return signed
  }

  private static func credentials(
    _ label: DeviceCredentials, _ defect: MatterAttestation, random: RandomSource
  ) -> DeviceCredentials {
    var stated = DeviceCredentials.Statements(vendor: label.vendor, product: label.product)
    if defect.device == .otherVendor { stated.deviceVendor = otherVendor(than: label.vendor) }
    if defect.device == .otherProduct { stated.deviceProduct = otherProduct(than: label.product) }
    if defect.device == .expired { stated.devicePeriod = .ended }
    if defect.intermediate == .otherVendor { stated.intermediateVendor = otherVendor(than: label.vendor) }
    if defect.intermediate == .expired { stated.intermediatePeriod = .endedBeforeUsual }
    var credentials = DeviceCredentials(
      vendor: label.vendor, product: label.product, statements: stated,
      authority: AttestationAuthority(random: random), random: random)
    if defect.device == .wrongSignature { credentials.device = credentials.device.withWrongSignature }
    if defect.intermediate == .wrongSignature { credentials.intermediate = credentials.intermediate.withWrongSignature }
    if defect.device == .otherKey { credentials.key = CurveKey(random: random) }
    return credentials
  }

  /// Another of the vendors for tests.
  private static func otherVendor(than vendor: UInt16) -> UInt16 { vendor == 0xFFF1 ? 0xFFF2 : 0xFFF1 }

  private static func otherProduct(than product: UInt16) -> UInt16 { product ^ 1 }
}

extension AttestationCertificate.Period {
  /// 2024-01-01 to 2024-02-01.
  fileprivate static let ended = Self(notBefore: usual.notBefore, notAfter: usual.notBefore + 31 * 86_400)
  /// The 31 days before 2024-01-01.
  fileprivate static let endedBeforeUsual = Self(
    notBefore: usual.notBefore - 31 * 86_400, notAfter: usual.notBefore - 1)
}

extension AttestationCertificate {
  /// The certificate with another signature, which is at its end. It is still well-formed.
  fileprivate var withWrongSignature: AttestationCertificate {
    var bytes = encoded
    bytes.flipLastBit()
    return (try? AttestationCertificate(decoding: bytes)) ?? self
  }
}
