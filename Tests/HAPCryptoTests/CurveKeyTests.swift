import HAPTestSupport
import Testing

@testable import HAPCrypto

@Suite("Keys of P-256") struct CurveKeyTests {
  private let random = RandomSource.seeded(7)
  private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

  @Test("A scalar gives its public key")
  func publicKeys() throws {
    for vector in try vectorFile("matter").object("attestation").list("signing_request") {
      let key = try #require(CurveKey(SecretBytes(vector.bytes("key"))))
      #expect(key.publicKey == vector.bytes("public"))
      #expect(key.scalar.copy == vector.bytes("key"))
    }
    var largest = Self.order
    largest[31] -= 1
    // The point −G: the generator with another y.
    let key = try #require(CurveKey(SecretBytes(largest)))
    let one = try #require(CurveKey(SecretBytes([UInt8](repeating: 0, count: 31) + [1])))
    #expect(key.publicKey[1..<33] == one.publicKey[1..<33] && key.publicKey != one.publicKey)
  }

  @Test("A scalar outside of 1..<order, or of another length, is refused")
  func wrongScalars() {
    let zero = [UInt8](repeating: 0, count: 32)
    for wrong in [zero, Self.order, [UInt8](repeating: 0xFF, count: 32), Array(zero.dropLast()), [1], zero + [1], []] {
      #expect(CurveKey(SecretBytes(wrong)) == nil, "\(wrong)")
    }
  }

  @Test("The nonce of RFC 6979 A.2.5 gives its signature")
  func publishedSignature() throws {
    let scalar = hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
    let key = try #require(CurveKey(SecretBytes(scalar)))
    #expect(
      key.publicKey
        == hex("0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
        + hex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
    let nonce = hex("a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60")
    let source = RandomSource { $0.copyBytes(from: [UInt8](repeating: 0, count: 16) + nonce) }
    #expect(
      key.sign(Array("sample".utf8), random: source)
        == hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716")
        + hex("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"))
  }

  @Test("A signature is valid for its message and key alone, and equal randomness gives equal signatures")
  func signatures() {
    for count in [0, 1, 31, 32, 64, 1000] {
      let (key, other) = (CurveKey(random: random), CurveKey(random: random))
      let message = random.bytes(count)
      let signature = key.sign(message, random: .seeded(9))
      #expect(signature == key.sign(message, random: .seeded(9)))
      #expect(signature != key.sign(message, random: .seeded(10)))
      #expect(CurveKey.isValid(signature, of: message, by: key.publicKey))
      #expect(!CurveKey.isValid(signature, of: message, by: other.publicKey))
      #expect(!CurveKey.isValid(signature, of: message + [0], by: key.publicKey))
    }
  }

  @Test("Each changed bit of a signature, and each malformed input, is refused")
  func malformedSignatures() {
    let (key, message) = (CurveKey(random: random), random.bytes(40))
    let signature = key.sign(message, random: random)
    for bit in 0..<512 {
      var wrong = signature
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!CurveKey.isValid(wrong, of: message, by: key.publicKey))
    }
    let zero = [UInt8](repeating: 0, count: 32)
    let (r, second) = (Array(signature[..<32]), Array(signature[32...]))
    let wrong: [[UInt8]] = [
      [], Array(signature.dropLast()), signature + [0], zero + zero, r + zero, zero + second, r + Self.order,
      Self.order + second, [UInt8](repeating: 0xFF, count: 64),
    ]
    for wrong in wrong { #expect(!CurveKey.isValid(wrong, of: message, by: key.publicKey), "\(wrong)") }
    var outside = key.publicKey
    outside[64] ^= 1
    let compressed: [UInt8] = [2 + (key.publicKey[64] & 1)] + key.publicKey[1..<33]
    let keys: [[UInt8]] = [
      [], [0], outside, compressed, Array(key.publicKey.dropLast()), key.publicKey + [0], zero + zero + [0],
    ]
    for wrong in keys { #expect(!CurveKey.isValid(signature, of: message, by: wrong), "\(wrong)") }
  }

  @Test("Signatures of other implementations are valid")
  func foreignSignatures() throws {
    let vectors = try vectorFile("matter").object("case")
    let sigma2 = try #require(vectors.list("sigma2").first)
    // The certificate is in {1: …} with a header of three bytes, after one of the structure; its public key is {9: …}.
    let noc = sigma2.bytes("noc")
    let start = try #require(noc.indices.first { noc[$0...].starts(with: [0x30, 9, 65]) }) + 3
    #expect(
      CurveKey.isValid(sigma2.bytes("signature"), of: sigma2.bytes("tbs"), by: Array(noc[start..<start + 65])))
  }

  @Test("Both ends of an agreement compute one secret; a point outside of the curve gives none")
  func agreements() throws {
    for _ in 0..<10 {
      let (a, b) = (CurveKey(random: random), CurveKey(random: random))
      let secret = try #require(a.agree(with: b.publicKey))
      #expect(secret.count == 32 && secret == b.agree(with: a.publicKey))
      var outside = b.publicKey
      outside[40] ^= 1
      for wrong in [outside, [], [0], Array(b.publicKey[..<33]), b.publicKey + [0], [UInt8](repeating: 0, count: 65)] {
        #expect(a.agree(with: wrong) == nil)
      }
    }
  }

  /// NIST CAVS 14.1, ECC CDH primitive, P-256, count 0.
  @Test("An agreement gives the published value")
  func publishedAgreement() throws {
    let scalar = hex("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
    let peer =
      hex("04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287")
      + hex("db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac")
    let secret = try #require(CurveKey(SecretBytes(scalar))?.agree(with: peer))
    #expect(secret.copy == hex("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"))
  }
}
