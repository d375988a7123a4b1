import HAPCrypto
import HAPWire
import MatterWire

/// The statement that a product is certified, signed as CMS. Matter 1.4 §6.3.
package struct CertificationDeclaration: Hashable, Sendable {
  package var vendor: UInt16
  /// 1...100 product identifiers.
  package var products: [UInt16]
  package var deviceType: UInt32

  /// - Parameter products: 1...100 products, or it traps.
  package init(vendor: UInt16, products: [UInt16], deviceType: UInt32) {
    precondition(Self.productCounts.contains(products.count), "a declaration is for 1...100 products")
    (self.vendor, self.products, self.deviceType) = (vendor, products, deviceType)
  }

  private static let productCounts = 1...100
  private static let formatVersion: UInt64 = 1
  /// The certificate of a test device. Matter 1.4 §6.3.1.
  private static let certificateID = "CSA00000SWC00000-00"
  /// The certification type of test devices, 0.
  private static let testType: UInt64 = 0

  /// The signed content: TLV.
  package var content: [UInt8] {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    buffer.appendElement(.context(0), unsigned: Self.formatVersion)
    buffer.appendElement(.context(1), unsigned: UInt64(vendor))
    buffer.openContainer(.context(2), .array)
    for product in products { buffer.appendElement(.anonymous, unsigned: UInt64(product)) }
    buffer.closeContainer()
    buffer.appendElement(.context(3), unsigned: UInt64(deviceType))
    buffer.appendElement(.context(4), text: Self.certificateID)
    buffer.appendElement(.context(5), unsigned: 0)
    buffer.appendElement(.context(6), unsigned: 0)
    buffer.appendElement(.context(7), unsigned: 1)
    buffer.appendElement(.context(8), unsigned: Self.testType)
    buffer.closeContainer()
    return buffer.bytes
  }

  /// Reads the content.
  private init(content: [UInt8]) throws(AttestationFailure) {
    let element = try? Element(decoding: content)
    func number(_ tag: UInt8, _ limit: UInt64) -> UInt64? {
      guard case .unsigned(let number) = element?[tag], number <= limit else { return nil }
      return number
    }
    guard number(0, .max) == Self.formatVersion, let vendor = number(1, UInt64(UInt16.max)),
      case .container(.array, let members) = element?[2], Self.productCounts.contains(members.count),
      let deviceType = number(3, UInt64(UInt32.max))
    else { throw AttestationFailure("the content of the declaration is malformed") }
    let products = members.compactMap { member -> UInt16? in
      if case .unsigned(let number) = member.value { UInt16(exactly: number) } else { nil }
    }
    guard products.count == members.count else { throw AttestationFailure("a product of the declaration is malformed") }
    self.init(vendor: UInt16(vendor), products: products, deviceType: UInt32(deviceType))
  }
}

/// The test key of certification declarations, which every commissioner for tests knows. NOT A SECRET: it is published
/// in appendix F of the Matter specification, so that test devices can be made. gitleaks:allow
private enum TestDeclarationKey {
  static let scalar: [UInt8] = [  // gitleaks:allow (published test key)
    0xAE, 0xF3, 0x48, 0x41, 0x16, 0xE9, 0x48, 0x1E, 0xC5, 0x7B, 0xE0, 0x47, 0x2D, 0xF4, 0x1B, 0xF4, 0x99, 0x06, 0x4E,
    0x50, 0x24, 0xAD, 0x86, 0x9E, 0xCA, 0x5E, 0x88, 0x98, 0x02, 0xD4, 0x80, 0x75,
  ]
  static let identifier: [UInt8] = [
    0x62, 0xFA, 0x82, 0x33, 0x59, 0xAC, 0xFA, 0xA9, 0x96, 0x3E, 0x1C, 0xFA, 0x14, 0x0A, 0xDD, 0xF5, 0x04, 0xF3, 0x71,
    0x60,
  ]
  static let key: CurveKey = {
    guard let key = CurveKey(SecretBytes(scalar)) else { preconditionFailure("the test key is less than the order") }
    return key
  }()
}

/// CMS SignedData with one signer, who is named by the identifier of its key. RFC 5652 §5.
extension CertificationDeclaration {
  private static let version: UInt8 = 3

  /// Returns the declaration, signed with the published test key.
  package func signed(random: RandomSource) -> [UInt8] {
    let (content, key) = (content, TestDeclarationKey.key)
    return DERWriter.bytes {
      $0.append(.sequence) {
        $0.append(.cmsSignedData)
        $0.append(.context(0, isConstructed: true)) {
          $0.append(.sequence) {
            $0.append(number: Self.version)
            $0.append(.set) { Self.appendDigestAlgorithm(&$0) }
            $0.append(.sequence) {
              $0.append(.cmsData)
              $0.append(.context(0, isConstructed: true)) { $0.append(.octetString, content) }
            }
            $0.append(.set) {
              $0.append(.sequence) {
                $0.append(number: Self.version)
                $0.append(.context(0, isConstructed: false), TestDeclarationKey.identifier)
                Self.appendDigestAlgorithm(&$0)
                $0.appendSignatureAlgorithm()
                $0.append(.octetString, DERWriter.signatureValue(key.sign(content, random: random)))
              }
            }
          }
        }
      }
    }
  }

  private static func appendDigestAlgorithm(_ writer: inout DERWriter) {
    writer.append(.sequence) { $0.append(.sha256) }
  }

  /// Reads a declaration, and verifies that it is signed with the published test key.
  package init(verifying signed: [UInt8]) throws(AttestationFailure) {
    let (content, signature): ([UInt8], [UInt8])
    do throws(DERError) { (content, signature) = try Self.decode(signed) } catch {
      throw AttestationFailure("the declaration is malformed: \(error)")
    }
    guard CurveKey.isValid(signature, of: content, by: TestDeclarationKey.key.publicKey) else {
      throw AttestationFailure("the signature of the declaration is wrong")
    }
    try self.init(content: content)
  }

  /// Returns the content and the signature of the only signer.
  private static func decode(_ bytes: [UInt8]) throws(DERError) -> ([UInt8], [UInt8]) {
    var outer = DERReader(bytes)
    var message = try outer.reader(.sequence)
    try outer.finish()
    try message.expect(.cmsSignedData)
    var wrapper = try message.reader(.context(0, isConstructed: true))
    try message.finish()
    var signed = try wrapper.reader(.sequence)
    try wrapper.finish()
    try signed.expect(.integer, [version])
    var digests = try signed.reader(.set)
    try expectDigestAlgorithm(&digests)
    try digests.finish()
    var encapsulated = try signed.reader(.sequence)
    try encapsulated.expect(.cmsData)
    var contents = try encapsulated.reader(.context(0, isConstructed: true))
    let content = try contents.content(.octetString)
    try contents.finish()
    try encapsulated.finish()
    var signers = try signed.reader(.set)
    try signed.finish()
    var signer = try signers.reader(.sequence)
    try signers.finish()
    try signer.expect(.integer, [version])
    try signer.expect(.context(0, isConstructed: false), TestDeclarationKey.identifier)
    try expectDigestAlgorithm(&signer)
    try signer.expectSignatureAlgorithm()
    let signature = try DERReader.signature(signer.content(.octetString))
    try signer.finish()
    return (content, signature)
  }

  private static func expectDigestAlgorithm(_ reader: inout DERReader) throws(DERError) {
    var algorithm = try reader.reader(.sequence)
    try algorithm.expect(.sha256)
    try algorithm.finish()
  }
}
