import CLibcrypto

/// A point of the curve P-256 that is not at infinity. FIPS 186-5, SEC 2 §2.4.2 (secp256r1). Matter 1.4 §3.5.
final class CurvePoint {
  /// The length of a coordinate and of a scalar.
  static let scalarByteCount = 32
  /// 04 and two coordinates.
  static let byteCount = 65

  private let pointer: OpaquePointer
  // libcrypto takes the group as `const`.
  private static let sharedGroup = SharedPointer(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)!)
  private static var group: OpaquePointer { sharedGroup.pointer }
  /// The order of the curve.
  static var order: OpaquePointer { EC_GROUP_get0_order(group)! }

  private init() { pointer = EC_POINT_new(Self.group)! }

  deinit { EC_POINT_clear_free(pointer) }

  /// - Returns: nil for bytes of another length, and for a point that is not on the curve.
  convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes[0] == 4 else { return nil }
    self.init(encoded: bytes)
  }

  /// Reads a point in the compressed or the uncompressed form.
  init?(encoded bytes: [UInt8]) {
    let point = EC_POINT_new(Self.group)!
    pointer = point
    let isOnCurve = withCurveScratch { EC_POINT_oct2point(Self.group, point, bytes, bytes.count, $0) == 1 }
    guard isOnCurve, EC_POINT_is_at_infinity(Self.group, point) == 0 else { return nil }
  }

  /// 65 bytes: 04 and the coordinates.
  var bytes: [UInt8] { secretBytes.copy }

  /// The same, wiped after its use.
  var secretBytes: SecretBytes {
    SecretBytes(count: Self.byteCount) { buffer in
      let start = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)
      let count = withCurveScratch {
        EC_POINT_point2oct(Self.group, pointer, POINT_CONVERSION_UNCOMPRESSED, start, Self.byteCount, $0)
      }
      precondition(count == Self.byteCount, "libcrypto refused a point")
    }
  }

  /// scalar · G.
  static func generator(times scalar: BigNumber) -> CurvePoint? {
    finite { EC_POINT_mul(group, $0, scalar.pointer, nil, nil, $1) }
  }

  /// scalar · point; nil: it is at infinity.
  func times(_ scalar: BigNumber) -> CurvePoint? {
    Self.finite { EC_POINT_mul(Self.group, $0, nil, pointer, scalar.pointer, $1) }
  }

  /// The sum of two points; nil: it is at infinity.
  func plus(_ other: CurvePoint) -> CurvePoint? {
    Self.finite { EC_POINT_add(Self.group, $0, pointer, other.pointer, $1) }
  }

  /// The difference of two points; nil: it is at infinity.
  func minus(_ other: CurvePoint) -> CurvePoint? {
    let negative = CurvePoint()
    withCurveScratch { scratch in
      checkCurve(EC_POINT_copy(negative.pointer, other.pointer))
      checkCurve(EC_POINT_invert(Self.group, negative.pointer, scratch))
    }
    return plus(negative)
  }

  private static func finite(_ compute: (OpaquePointer, OpaquePointer) -> Int32) -> CurvePoint? {
    let point = CurvePoint()
    withCurveScratch { checkCurve(compute(point.pointer, $0)) }
    return EC_POINT_is_at_infinity(group, point.pointer) == 1 ? nil : point
  }
}

extension BigNumber {
  /// The remainder of the division by the order of the curve.
  var inOrderOfCurve: BigNumber {
    let number = BigNumber()
    withCurveScratch { checkCurve(BN_nnmod(number.pointer, pointer, CurvePoint.order, $0)) }
    return number
  }

  /// 32 bytes, big-endian.
  var scalarBytes: SecretBytes {
    SecretBytes(count: CurvePoint.scalarByteCount) { buffer in
      let count = Int32(CurvePoint.scalarByteCount)
      let written = BN_bn2binpad(pointer, buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), count)
      precondition(written == count, "a scalar is 32 bytes at most")
    }
  }
}

/// Passes libcrypto's memory for results in between to `body`.
func withCurveScratch<R>(_ body: (OpaquePointer) -> R) -> R {
  let scratch = BN_CTX_new()!
  defer { BN_CTX_free(scratch) }
  return body(scratch)
}

/// These calls can fail only because of an error in this code.
func checkCurve(_ result: Int32) { precondition(result == 1, "libcrypto refused a call for P-256") }
