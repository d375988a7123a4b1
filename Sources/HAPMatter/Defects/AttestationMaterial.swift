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
  ///   - random: of signatures, and of the keys of a defect of certificates. Only its authority is the same at each start.
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
    // A commissioner that trusts the authority still does after a restart. The keys below it are random: two signatures
    // of the authority must not have the same nonce.
    let authority = AttestationAuthority(random: defect.authority == .unknown ? random : derivedRandom(of: label))
    var credentials = DeviceCredentials(
      vendor: label.vendor, product: label.product, statements: stated, authority: authority, random: random)
    if defect.device == .wrongSignature { credentials.device = credentials.device.withWrongSignature }
    if defect.intermediate == .wrongSignature { credentials.intermediate = credentials.intermediate.withWrongSignature }
    if defect.device == .otherKey { credentials.key = CurveKey(random: random) }
    return credentials
  }

  /// The randomness of the authority, the same at each start. Nothing else may draw from it.
  private static func derivedRandom(of label: DeviceCredentials) -> RandomSource {
    .derived(from: HKDF.sha512(label.key.scalar, salt: "hapsim Matter 1", info: "defect", count: 32))
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
