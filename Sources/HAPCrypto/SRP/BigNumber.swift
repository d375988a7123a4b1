import CLibcrypto

/// A natural number of libcrypto, treated as a secret: exponentiation takes constant time, and `deinit` wipes it.
final class BigNumber {
  let pointer: OpaquePointer

  init() {
    pointer = BN_new()
    BN_set_flags(pointer, BN_FLG_CONSTTIME)
  }

  /// Big-endian. An empty array is zero.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    BN_bin2bn(bytes, Int32(bytes.count), pointer)
  }

  convenience init(_ secret: SecretBytes) {
    self.init()
    secret.withPointer { _ = BN_bin2bn($0, Int32(secret.count), pointer) }
  }

  deinit { BN_clear_free(pointer) }

  var isZero: Bool { BN_is_zero(pointer) == 1 }

  /// Big-endian, without leading zeros. For the tables of tests: the bytes are not wiped.
  func bytes() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: (Int(BN_num_bits(pointer)) + 7) / 8) { buffer, count in
      count = Int(BN_bn2bin(pointer, buffer.baseAddress))
    }
  }

  /// Big-endian, `SRPGroup.byteCount` bytes with leading zeros.
  func padded() -> SecretBytes {
    SecretBytes(count: SRPGroup.byteCount) { buffer in
      let written = BN_bn2binpad(
        pointer, buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(SRPGroup.byteCount))
      precondition(written == SRPGroup.byteCount, "a number of the group is 384 bytes at most")
    }
  }
}

/// Arithmetic in the 3072-bit group of RFC 5054 (its prime is that of RFC 3526) with g = 5. HAP R2 §5.5.
enum SRPGroup {
  /// The size of a padded number of the group.
  static let byteCount = 384

  /// The prime N. It is never changed, so threads can share it.
  private static let sharedPrime = SharedPointer(BN_get_rfc3526_prime_3072(nil)!)
  private static var prime: OpaquePointer { sharedPrime.pointer }
  /// The Montgomery context of N. It is never changed, so threads can share it.
  private static let sharedMontgomery = {
    let montgomery = BN_MONT_CTX_new()!
    withScratch { check(BN_MONT_CTX_set(montgomery, prime, $0)) }
    return SharedPointer(montgomery)
  }()
  private static var montgomery: OpaquePointer { sharedMontgomery.pointer }
  static let generator: [UInt8] = [5]

  /// k = H(N | PAD(g)).
  static let multiplier = SHA512.hash(primeBytes + [UInt8](repeating: 0, count: byteCount - 1) + generator)

  /// H(N) xor H(g).
  static let primeXorGenerator = zip(SHA512.hash(primeBytes), SHA512.hash(generator)).map { $0 ^ $1 }

  static let primeBytes: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    BN_bn2binpad(prime, &bytes, Int32(byteCount))
    return bytes
  }()

  /// base^exponent mod N, in a time that does not depend on the exponent.
  static func power(_ base: BigNumber, _ exponent: BigNumber) -> BigNumber {
    func compute() -> BigNumber {
      result { BN_mod_exp_mont_consttime($0, base.pointer, exponent.pointer, prime, $1, montgomery) }
    }
    guard PowerTable.isUsed else { return compute() }
    return BigNumber(PowerTable.result(.power, of: [base.bytes(), exponent.bytes()]) { compute().bytes() })
  }

  /// g^exponent mod N.
  static func generatorPower(_ exponent: BigNumber) -> BigNumber { power(BigNumber(generator), exponent) }

  static func product(_ a: BigNumber, _ b: BigNumber) -> BigNumber {
    result { BN_mod_mul($0, a.pointer, b.pointer, prime, $1) }
  }

  static func sum(_ a: BigNumber, _ b: BigNumber) -> BigNumber {
    result { BN_mod_add($0, a.pointer, b.pointer, prime, $1) }
  }

  static func difference(_ a: BigNumber, _ b: BigNumber) -> BigNumber {
    result { BN_mod_sub($0, a.pointer, b.pointer, prime, $1) }
  }

  static func reduced(_ a: BigNumber) -> BigNumber {
    result { BN_nnmod($0, a.pointer, prime, $1) }
  }

  /// a + b × c over the integers, for an exponent.
  static func exponent(_ a: BigNumber, plus b: BigNumber, times c: BigNumber) -> BigNumber {
    let product = result { BN_mul($0, b.pointer, c.pointer, $1) }
    return result { sum, _ in BN_add(sum, a.pointer, product.pointer) }
  }

  /// u = H(PAD(A) | PAD(B)).
  static func scrambler(_ clientKey: [UInt8], _ serverKey: [UInt8]) -> BigNumber {
    BigNumber(SHA512.hash(pad(clientKey) + pad(serverKey)))
  }

  /// x = H(salt | H(user : code)).
  static func privateExponent(salt: [UInt8], code: String) -> BigNumber {
    var inner = SHA512.Hasher()
    inner.update(user + [UInt8(ascii: ":")])
    inner.update(Array(code.utf8))
    var outer = SHA512.Hasher()
    outer.update(salt)
    outer.update(inner.finishSecret())
    return BigNumber(outer.finishSecret())
  }

  static let user = Array("Pair-Setup".utf8)

  static func pad(_ bytes: [UInt8]) -> [UInt8] {
    precondition(bytes.count <= byteCount, "a number of the group is 384 bytes at most")
    return [UInt8](repeating: 0, count: byteCount - bytes.count) + bytes
  }

  static func strip(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

  private static func result(_ compute: (OpaquePointer, OpaquePointer) -> Int32) -> BigNumber {
    let number = BigNumber()
    withScratch { check(compute(number.pointer, $0)) }
    return number
  }

  private static func withScratch(_ body: (OpaquePointer) -> Void) {
    let scratch = BN_CTX_new()!
    body(scratch)
    BN_CTX_free(scratch)  // also wipes its numbers
  }

  /// Traps if a call of libcrypto has failed, which happens only if memory runs out.
  private static func check(_ result: Int32) { precondition(result == 1, "libcrypto refused big-number arithmetic") }
}
