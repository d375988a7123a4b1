import HAPCrypto
import HAPWire
import MatterWire

/// A product attestation authority (PAA) for simulated devices. A commissioner must be configured to trust it.
package struct AttestationAuthority: Sendable {
  package let certificate: AttestationCertificate
  fileprivate let key: CurveKey

  package init(random: RandomSource) {
    key = CurveKey(random: random)
    certificate = .make(
      .authority, AttestationCertificate.Name("hapsim test PAA"), publicKey: key.publicKey, issuer: nil,
      issuerKey: key, random: random)
  }

  /// Reads what `encoded` returned; nil: the bytes are malformed.
  package init?(encoded: SecretBytes) {
    guard let stored = StoredKey(encoded), stored.certificates.count == 1, stored.certificates[0].role == .authority
    else { return nil }
    (certificate, key) = (stored.certificates[0], stored.key)
  }

  /// The certificate and the key, for storage.
  package var encoded: SecretBytes { StoredKey(certificates: [certificate], key: key).encoded }
}

/// The proof of a device's origin: its key, and the certificates up to the authority. Matter 1.4 §6.2.
package struct DeviceCredentials: Sendable {
  package let authority: AttestationCertificate
  package var intermediate: AttestationCertificate
  /// The certificate of `key`, with the vendor and the product.
  package var device: AttestationCertificate
  package var key: CurveKey
  package let vendor: UInt16
  package let product: UInt16

  /// The statements of a device's certificates.
  package struct Statements: Sendable {
    package var intermediateVendor: UInt16
    package var deviceVendor: UInt16
    package var deviceProduct: UInt16
    package var intermediatePeriod = AttestationCertificate.Period.usual
    package var devicePeriod = AttestationCertificate.Period.usual

    package init(vendor: UInt16, product: UInt16) {
      (intermediateVendor, deviceVendor, deviceProduct) = (vendor, vendor, product)
    }
  }

  /// Makes the certificates and keys of a device.
  /// - Parameter statements: nil: those of the vendor and the product.
  package init(
    vendor: UInt16, product: UInt16, statements: Statements? = nil, authority: AttestationAuthority,
    random: RandomSource
  ) {
    typealias Name = AttestationCertificate.Name
    let stated = statements ?? Statements(vendor: vendor, product: product)
    let (intermediateKey, key) = (CurveKey(random: random), CurveKey(random: random))
    let intermediate = AttestationCertificate.make(
      .intermediate, Name("hapsim test PAI", vendor: stated.intermediateVendor), publicKey: intermediateKey.publicKey,
      issuer: authority.certificate, issuerKey: authority.key, period: stated.intermediatePeriod, random: random)
    device = AttestationCertificate.make(
      .device, Name("hapsim test DAC", vendor: stated.deviceVendor, product: stated.deviceProduct),
      publicKey: key.publicKey, issuer: intermediate, issuerKey: intermediateKey, period: stated.devicePeriod,
      random: random)
    (self.authority, self.intermediate, self.key) = (authority.certificate, intermediate, key)
    (self.vendor, self.product) = (vendor, product)
  }

  /// Reads what `encoded` returned; nil: the bytes are malformed, or a signature is wrong.
  package init?(encoded: SecretBytes) {
    guard let stored = StoredKey(encoded), stored.certificates.count == 3,
      stored.certificates.map(\.role) == [.device, .intermediate, .authority],
      let vendor = stored.certificates[0].subject.vendor, let product = stored.certificates[0].subject.product
    else { return nil }
    (device, intermediate, authority) = (stored.certificates[0], stored.certificates[1], stored.certificates[2])
    (key, self.vendor, self.product) = (stored.key, vendor, product)
  }

  /// The certificates and the key, for storage.
  package var encoded: SecretBytes {
    StoredKey(certificates: [device, intermediate, authority], key: key).encoded
  }

  /// Signs `AttestationElements` or a `SigningRequest` for a session. Matter 1.4 §11.18.4.7.
  /// - Returns: 64 bytes.
  package func sign(_ elements: [UInt8], challenge: SecretBytes, random: RandomSource) -> [UInt8] {
    key.sign(elements + challenge.withBytes { Array($0) }, random: random)
  }
}

/// A key with its certificate and those above it, as they are stored: {1 [certificate…], 2 key}.
private struct StoredKey {
  let certificates: [AttestationCertificate]
  /// Of the first certificate.
  let key: CurveKey

  init(certificates: [AttestationCertificate], key: CurveKey) { (self.certificates, self.key) = (certificates, key) }

  init?(_ encoded: SecretBytes) {
    guard let element = try? Element(decoding: encoded.withBytes { Array($0) }),
      case .container(.array, let members) = element[1], case .octets(let scalar) = element[2],
      let key = CurveKey(SecretBytes(scalar))
    else { return nil }
    let certificates = members.compactMap { member -> AttestationCertificate? in
      guard case .octets(let encoded) = member.value else { return nil }
      return try? AttestationCertificate(decoding: encoded)
    }
    // Each is signed by the next one, and the last by itself.
    let issuers = certificates.dropFirst() + certificates.suffix(1)
    guard certificates.count == members.count, certificates.first?.publicKey == key.publicKey,
      zip(certificates, issuers).allSatisfy({ $0.isSigned(by: $1) })
    else { return nil }
    self.init(certificates: certificates, key: key)
  }

  var encoded: SecretBytes {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    buffer.openContainer(.context(1), .array)
    for certificate in certificates { buffer.appendElement(.anonymous, octets: certificate.encoded) }
    buffer.closeContainer()
    buffer.appendElement(.context(2), octets: key.scalar.withBytes { Array($0) })
    buffer.closeContainer()
    return SecretBytes(buffer.bytes)
  }
}
