import CLibcrypto

/// A private key of the curve P-256, for ECDSA with SHA-256 and for ECDH. FIPS 186-5 §6, SP 800-56A §5.7.1.2.
/// Matter 1.4 §3.5.
package final class CurveKey: Sendable {
  /// 1..<the order of the curve: 32 bytes, big-endian.
  package let scalar: SecretBytes
  /// 04 and the coordinates: 65 bytes.
  package let publicKey: [UInt8]

  package static let publicKeyByteCount = CurvePoint.byteCount
  /// The length of r and s together.
  package static let signatureByteCount = 2 * CurvePoint.scalarByteCount

  /// Creates a new key.
  package convenience init(random: RandomSource) { self.init(number: .scalar(random)) }

  /// - Returns: nil for a scalar that is not 32 bytes, zero, or not less than the order of the curve.
  package convenience init?(_ scalar: SecretBytes) {
    guard scalar.count == CurvePoint.scalarByteCount else { return nil }
    let number = BigNumber(scalar)
    guard !number.isZero, BN_cmp(number.pointer, CurvePoint.order) < 0 else { return nil }
    self.init(number: number)
  }

  private init(number: BigNumber) {
    guard let point = CurvePoint.generator(times: number) else {
      preconditionFailure("a scalar less than the order gives the point at infinity")
    }
    (scalar, publicKey) = (number.scalarBytes, point.bytes)
  }

  /// Returns the ECDSA signature of `message` with SHA-256: r and s, 64 bytes.
  ///
  /// - Parameter random: gives the nonce, so that equal randomness gives equal signatures. Two signatures with one
  ///   nonce reveal the key.
  package func sign(_ message: [UInt8], random: RandomSource) -> [UInt8] {
    let (hash, key) = (BigNumber(SHA256.hash(message)).inOrderOfCurve, BigNumber(scalar))
    while true {
      let nonce = BigNumber.scalar(random)
      guard let point = CurvePoint.generator(times: nonce) else { continue }
      let r = BigNumber(Array(point.bytes[1..<33])).inOrderOfCurve
      // s = (hash + r · key) / nonce.
      let s = CurveOrder.product(CurveOrder.sum(hash, CurveOrder.product(r, key)), CurveOrder.inverse(nonce))
      if !r.isZero, !s.isZero { return r.scalarBytes.copy + s.scalarBytes.copy }
    }
  }

  /// Returns the x coordinate of the point that both ends compute: 32 bytes.
  /// - Parameter peer: the peer's public key; nil is returned if it is not 65 bytes, or no point of the curve.
  package func agree(with peer: [UInt8]) -> SecretBytes? {
    CurvePoint(peer)?.times(BigNumber(scalar))?.secretBytes.part(1..<33)
  }

  /// Whether `signature` is the signature of `message` by the owner of `publicKey`. It is false for malformed input.
  package static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard signature.count == signatureByteCount, CurvePoint(publicKey) != nil else { return false }
    let hash = SHA256.hash(message)
    guard let key = verificationKey(publicKey) else { return false }
    defer { EVP_PKEY_free(key) }
    let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
    defer { EVP_PKEY_CTX_free(context) }
    let signature = encoded(signature)
    guard EVP_PKEY_verify_init(context) == 1 else { return false }
    return EVP_PKEY_verify(context, signature, signature.count, hash, hash.count) == 1
  }

  /// `EVP_PKEY_PUBLIC_KEY`, a macro that Swift can't import: the parameters of the curve (0x84) and the public key.
  private static let publicKeySelection: Int32 = 0x86

  /// The key in libcrypto's form. The caller frees it.
  private static func verificationKey(_ publicKey: [UInt8]) -> OpaquePointer? {
    let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_fromdata_init(context) == 1 else { return nil }
    // libcrypto keeps the pointers to the names, which are those of literals.
    func name(_ text: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    var (group, point, key) = (Array("prime256v1".utf8CString), publicKey, nil as OpaquePointer?)
    let isRead = group.withUnsafeMutableBufferPointer { group in
      point.withUnsafeMutableBytes { point in
        var parameters = [
          OSSL_PARAM_construct_utf8_string(name("group"), group.baseAddress, 0),
          OSSL_PARAM_construct_octet_string(name("pub"), point.baseAddress, point.count),
          OSSL_PARAM_construct_end(),
        ]
        return EVP_PKEY_fromdata(context, &key, publicKeySelection, &parameters) == 1
      }
    }
    return isRead ? key : nil
  }

  /// r and s as DER, which libcrypto takes.
  private static func encoded(_ signature: [UInt8]) -> [UInt8] {
    let pair = ECDSA_SIG_new()
    defer { ECDSA_SIG_free(pair) }
    let half = Int32(CurvePoint.scalarByteCount)
    // `pair` owns both numbers.
    _ = ECDSA_SIG_set0(pair, BN_bin2bn(signature, half, nil), BN_bin2bn(Array(signature[32...]), half, nil))
    var encoded = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(pair, nil)))
    encoded.withUnsafeMutableBufferPointer { buffer in
      var end = buffer.baseAddress
      _ = i2d_ECDSA_SIG(pair, &end)
    }
    return encoded
  }
}

extension BigNumber {
  /// A random scalar that is not zero, from 48 bytes, so that all values are practically equally likely.
  static func scalar(_ random: RandomSource) -> BigNumber {
    while true {
      let scalar = BigNumber(random.secret(48)).inOrderOfCurve
      if !scalar.isZero { return scalar }
    }
  }
}

/// Arithmetic with remainders of the order of the curve, in a time that does not depend on the numbers.
private enum CurveOrder {
  /// It is never changed, so threads can share it.
  private static let sharedMontgomery = {
    let montgomery = BN_MONT_CTX_new()!
    withCurveScratch { checkCurve(BN_MONT_CTX_set(montgomery, CurvePoint.order, $0)) }
    return SharedPointer(montgomery)
  }()
  private static var montgomery: OpaquePointer { sharedMontgomery.pointer }

  static func product(_ a: BigNumber, _ b: BigNumber) -> BigNumber {
    let converted = result { BN_to_montgomery($0, a.pointer, montgomery, $1) }
    return result { BN_mod_mul_montgomery($0, converted.pointer, b.pointer, montgomery, $1) }
  }

  static func sum(_ a: BigNumber, _ b: BigNumber) -> BigNumber {
    result { sum, _ in BN_mod_add_quick(sum, a.pointer, b.pointer, CurvePoint.order) }
  }

  /// The number whose product with `a` is 1: a^(order − 2), since the order is a prime.
  static func inverse(_ a: BigNumber) -> BigNumber {
    let exponent = result { exponent, _ in BN_sub(exponent, CurvePoint.order, BN_value_one()) }
    checkCurve(BN_sub_word(exponent.pointer, 1))
    return result {
      BN_mod_exp_mont_consttime($0, a.pointer, exponent.pointer, CurvePoint.order, $1, montgomery)
    }
  }

  private static func result(_ compute: (OpaquePointer, OpaquePointer) -> Int32) -> BigNumber {
    let number = BigNumber()
    withCurveScratch { checkCurve(compute(number.pointer, $0)) }
    return number
  }
}
