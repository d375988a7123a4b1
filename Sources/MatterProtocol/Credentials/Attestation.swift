import HAPCrypto
import HAPWire
import MatterWire

/// The data that a device signs for a commissioner. Matter 1.4 §11.18.4.
package enum AttestationElements {
  package static let nonceByteCount = 32

  /// Returns the elements of AttestationResponse.
  /// - Parameters:
  ///   - declaration: the signed certification declaration.
  ///   - nonce: of AttestationRequest, 32 bytes.
  ///   - seconds: since 2000-01-01.
  package static func attestation(declaration: [UInt8], nonce: [UInt8], seconds: UInt32) -> [UInt8] {
    structure { buffer in
      buffer.appendElement(.context(1), octets: declaration)
      buffer.appendElement(.context(2), octets: nonce)
      buffer.appendElement(.context(3), unsigned: UInt64(seconds))
    }
  }

  /// Returns the elements of CSRResponse.
  /// - Parameters:
  ///   - request: a signing request as DER.
  ///   - nonce: of CSRRequest, 32 bytes.
  package static func signingRequest(_ request: [UInt8], nonce: [UInt8]) -> [UInt8] {
    structure { buffer in
      buffer.appendElement(.context(1), octets: request)
      buffer.appendElement(.context(2), octets: nonce)
    }
  }

  private static func structure(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    write(&buffer)
    buffer.closeContainer()
    return buffer.bytes
  }
}

/// A request for a certificate of a key: PKCS #10, RFC 2986.
package enum SigningRequest {
  /// Returns a request, signed by the key, as DER. Matter ignores its subject.
  package static func make(_ key: CurveKey, random: RandomSource) -> [UInt8] {
    let signedPart = DERWriter.bytes {
      $0.append(.sequence) {
        $0.append(number: 0)
        $0.append(.sequence) { $0.append(.organization, .utf8String, "CSR") }
        $0.append(publicKey: key.publicKey)
        $0.append(.context(0, isConstructed: true), [])
      }
    }
    return DERWriter.bytes {
      $0.append(signed: signedPart, signature: key.sign(signedPart, random: random))
    }
  }

  /// Returns the public key of a request, after verification that its owner has signed it.
  package static func publicKey(of request: [UInt8]) throws(AttestationFailure) -> [UInt8] {
    let (signedPart, key, signature): ([UInt8], [UInt8], [UInt8])
    do throws(DERError) { (signedPart, key, signature) = try decode(request) } catch {
      throw AttestationFailure("the signing request is malformed: \(error)")
    }
    guard CurveKey.isValid(signature, of: signedPart, by: key) else {
      throw AttestationFailure("the signature of the signing request is wrong")
    }
    return key
  }

  /// Returns the signed part, the key and the signature.
  private static func decode(_ bytes: [UInt8]) throws(DERError) -> ([UInt8], [UInt8], [UInt8]) {
    var outer = DERReader(bytes)
    var request = try outer.reader(.sequence)
    try outer.finish()
    let signedPart = try request.whole(.sequence)
    try request.expectSignatureAlgorithm()
    let signature = try DERReader.signature(request.bits())
    try request.finish()
    var signed = DERReader(signedPart)
    var reader = try signed.reader(.sequence)
    try reader.expect(.integer, [0])
    _ = try reader.content(.sequence)  // the subject
    let key = try reader.publicKey()
    _ = try reader.content(.context(0, isConstructed: true))
    try reader.finish()
    return (signedPart, key, signature)
  }
}

/// The checks of a commissioner on a device. Matter 1.4 §6.2.3.1.
///
/// The certificates above the device's must be valid when that begins. Whether the device's own has ended is checked only
/// with a clock. Declarations must be signed with the published test key.
package struct AttestationVerifier: Sendable {
  private let device: AttestationCertificate
  private let vendor: UInt16
  private let product: UInt16
  private let challenge: [UInt8]

  /// Verifies the certificates of a device.
  /// - Parameters:
  ///   - authorities: the trusted ones.
  ///   - device: DER, as is `intermediate`.
  ///   - vendor: of the cluster Basic Information, as is `product`.
  ///   - challenge: the attestation challenge of the session.
  ///   - time: now, in seconds since 2000-01-01; nil: there is no clock. To refuse a certificate that has ended is stricter
  ///     than §6.2.3.1, which checks the chain at the time at which the certificate of the device was issued.
  package init(
    authorities: [AttestationCertificate], device: [UInt8], intermediate: [UInt8], vendor: UInt16, product: UInt16,
    challenge: SecretBytes, time: UInt32? = nil
  ) throws(AttestationFailure) {
    let device = try AttestationCertificate(decoding: device)
    let intermediate = try AttestationCertificate(decoding: intermediate)
    guard device.role == .device, intermediate.role == .intermediate else {
      throw AttestationFailure("the certificates are of another role")
    }
    let authority = authorities.first { $0.subjectKeyIdentifier == intermediate.authorityKeyIdentifier }
    guard let authority, authority.role == .authority else {
      throw AttestationFailure("the authority of the device is not known")
    }
    guard device.isSigned(by: intermediate), intermediate.isSigned(by: authority) else {
      throw AttestationFailure("a signature of the certificates is wrong")
    }
    let issued = device.validity.notBefore
    guard issued <= device.validity.notAfter, intermediate.validity.contains(issued),
      authority.validity.contains(issued)
    else { throw AttestationFailure("a certificate was not valid when that of the device was issued") }
    if let time, !device.validity.contains(time) {
      throw AttestationFailure("the certificate of the device is not valid now")
    }
    guard device.subject.vendor == vendor, device.subject.product == product, intermediate.subject.vendor == vendor,
      intermediate.subject.product ?? product == product, authority.subject.vendor ?? vendor == vendor
    else { throw AttestationFailure("the certificates are of another vendor or product") }
    (self.device, self.vendor, self.product) = (device, vendor, product)
    self.challenge = challenge.withBytes { Array($0) }
  }

  /// Verifies AttestationResponse, and returns the declaration.
  package func verify(
    elements: [UInt8], signature: [UInt8], nonce: [UInt8]
  ) throws(AttestationFailure) -> CertificationDeclaration {
    let signed = try member(of: elements, signature, nonce)
    let declaration = try CertificationDeclaration(verifying: signed)
    guard declaration.vendor == vendor, declaration.products.contains(product) else {
      throw AttestationFailure("the declaration is for another vendor or product")
    }
    return declaration
  }

  /// Verifies CSRResponse, and returns the public key of the request.
  package func verifyRequest(
    elements: [UInt8], signature: [UInt8], nonce: [UInt8]
  ) throws(AttestationFailure) -> [UInt8] {
    try SigningRequest.publicKey(of: member(of: elements, signature, nonce))
  }

  /// Returns the first member of elements that the device has signed for the session and the nonce.
  private func member(
    of elements: [UInt8], _ signature: [UInt8], _ nonce: [UInt8]
  ) throws(AttestationFailure) -> [UInt8] {
    guard CurveKey.isValid(signature, of: elements + challenge, by: device.publicKey) else {
      throw AttestationFailure("the device's signature is wrong")
    }
    guard let element = try? Element(decoding: elements), case .octets(let member) = element[1] else {
      throw AttestationFailure("the elements are malformed")
    }
    guard element[2] == .octets(nonce) else { throw AttestationFailure("the nonce is another one") }
    return member
  }
}
