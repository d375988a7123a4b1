import CLibcrypto

/// SPAKE2+ on P-256 with SHA-256, HKDF and HMAC: the proof of a passcode that does not reveal it.
/// draft-bar-cfrg-spake2plus-02, Matter 1.4 §3.10.
package enum SPAKE2Plus {
  /// The limits of the iterations of PBKDF2, and of the bytes of its salt. Matter 1.4 §3.9.
  package static let iterations = 1000...100_000
  package static let saltByteCount = 16...32

  /// What the commissioner computes from the passcode.
  package struct Secrets: Sendable {
    package let w0: SecretBytes
    package let w1: SecretBytes

    /// Each has 32 bytes.
    init(w0: SecretBytes, w1: SecretBytes) { (self.w0, self.w1) = (w0, w1) }

    /// It takes milliseconds, so it does not belong on a loop.
    /// - Returns: nil if the salt or the iterations are not within the limits.
    package init?(passcode: UInt32, salt: [UInt8], iterations: Int) {
      guard SPAKE2Plus.iterations.contains(iterations), SPAKE2Plus.saltByteCount.contains(salt.count) else {
        return nil
      }
      let both = withUnsafeBytes(of: passcode.littleEndian) { passcode in
        SecretBytes(count: 80) { output in
          let result = PKCS5_PBKDF2_HMAC(
            passcode.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(passcode.count), salt, Int32(salt.count),
            Int32(iterations), EVP_sha256(), 80, output.baseAddress!.assumingMemoryBound(to: UInt8.self))
          precondition(result == 1, "libcrypto refused PBKDF2")
        }
      }
      func scalar(_ part: Range<Int>) -> SecretBytes { BigNumber(both.part(part)).inOrderOfCurve.scalarBytes }
      self.init(w0: scalar(0..<40), w1: scalar(40..<80))
    }

    /// The part that a device keeps.
    package var verifier: Verifier {
      guard let point = CurvePoint.generator(times: BigNumber(w1)) else {
        preconditionFailure("w1 is zero, which no known passcode gives")
      }
      return Verifier(w0: w0, l: point.bytes)
    }
  }

  /// What a device keeps of its passcode.
  package struct Verifier: Sendable {
    let w0: SecretBytes
    /// w1 · G.
    let l: [UInt8]

    fileprivate init(w0: SecretBytes, l: [UInt8]) { (self.w0, self.l) = (w0, l) }

    /// - Parameter bytes: w0 (32), which is not zero and less than the order of the curve, and a point (65); nil is
    ///   returned for others.
    package init?(_ bytes: SecretBytes) {
      guard bytes.count == 97 else { return nil }
      let (w0, l) = (BigNumber(bytes.part(0..<32)), bytes.part(32..<97).copy)
      guard !w0.isZero, BN_cmp(w0.pointer, CurvePoint.order) < 0, CurvePoint(l) != nil else { return nil }
      self.init(w0: w0.scalarBytes, l: l)
    }

    /// 97 bytes. With them, all passcodes can be tried.
    package var bytes: SecretBytes {
      SecretBytes(count: 97) { output in
        w0.withBytes { UnsafeMutableRawBufferPointer(rebasing: output[..<32]).copyMemory(from: $0) }
        UnsafeMutableRawBufferPointer(rebasing: output[32...]).copyBytes(from: l)
      }
    }
  }

  /// The names of both ends. Matter has none.
  package struct Names: Sendable {
    var prover: [UInt8] = []
    var verifier: [UInt8] = []
  }

  /// The result of a run.
  package struct Outcome: Sendable {
    /// For the peer: cA of the prover, or cB of the verifier; 32 bytes.
    package let proof: [UInt8]
    let peerProof: [UInt8]
    let secret: SecretBytes

    /// Returns Ke, 16 bytes, if the peer's proof is right.
    package func key(ifPeerProofIs proof: [UInt8]) -> SecretBytes? {
      equalInConstantTime(proof, peerProof) ? secret : nil
    }
  }

  // M and N, of the draft.
  static let m = constant("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f")
  static let n = constant("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49")

  private static func constant(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { $0 < 97 ? $0 - 48 : $0 - 87 }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    return CurvePoint(encoded: bytes)!.bytes
  }

  fileprivate static func point(_ bytes: [UInt8]) -> CurvePoint {
    guard let point = CurvePoint(bytes) else { preconditionFailure("a constant point is on the curve") }
    return point
  }

  /// - Parameters:
  ///   - shares: X and Y.
  ///   - secrets: Z, V and w0.
  fileprivate static func outcome(
    _ context: [UInt8], _ names: Names, _ shares: [[UInt8]], _ secrets: [SecretBytes], isProver: Bool
  ) -> Outcome {
    let open = [context, names.prover, names.verifier, m, n] + shares
    let count = (open.map(\.count) + secrets.map(\.count)).reduce(0) { $0 + 8 + $1 }
    let transcript = SecretBytes(count: count) { transcript in
      var rest = transcript[...]
      func add(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { length in
          for part in [length, bytes] {
            UnsafeMutableRawBufferPointer(rebasing: rest.prefix(part.count)).copyMemory(from: part)
            rest = rest.dropFirst(part.count)
          }
        }
      }
      for part in open { part.withUnsafeBytes { add($0) } }
      for part in secrets { part.withBytes { add($0) } }
    }
    let hash = SHA256.hash(transcript)
    let proofKeys = HKDF.sha256(hash.part(0..<16), info: "ConfirmationKeys", count: 32)
    let ofProver = SHA256.hmac(shares[1], key: proofKeys.part(0..<16))
    let ofVerifier = SHA256.hmac(shares[0], key: proofKeys.part(16..<32))
    return Outcome(
      proof: isProver ? ofProver : ofVerifier, peerProof: isProver ? ofVerifier : ofProver,
      secret: hash.part(16..<32))
  }
}

extension SecretBytes {
  /// A copy of a part; traps if the secret is shorter.
  package func part(_ range: Range<Int>) -> SecretBytes {
    withBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

extension SPAKE2Plus {
  /// One end of one run.
  package struct Run: Sendable {
    private enum Role: Sendable {
      /// The commissioner, with w1.
      case prover(SecretBytes)
      /// The device, with L.
      case verifier([UInt8])
    }

    private let role: Role
    private let w0: SecretBytes
    /// x or y; nil after the end: a second answer would be one more guess.
    private var scalar: SecretBytes?
    /// X of the prover, or Y of the verifier: 65 bytes.
    package let share: [UInt8]

    /// The commissioner's end.
    package init(prover secrets: Secrets, random: RandomSource) {
      self.init(prover: secrets, x: BigNumber.scalar(random).scalarBytes)
    }

    /// The device's end.
    package init(verifier: Verifier, random: RandomSource) {
      self.init(verifier: verifier, y: BigNumber.scalar(random).scalarBytes)
    }

    init(prover secrets: Secrets, x: SecretBytes) { self.init(.prover(secrets.w1), secrets.w0, x) }

    init(verifier: Verifier, y: SecretBytes) { self.init(.verifier(verifier.l), verifier.w0, y) }

    private init(_ role: Role, _ w0: SecretBytes, _ scalar: SecretBytes) {
      (self.role, self.w0, self.scalar) = (role, w0, scalar)
      guard let own = CurvePoint.generator(times: BigNumber(scalar)),
        let blind = Self.blind(role, w0, isOwn: true), let sum = own.plus(blind)
      else { preconditionFailure("a random scalar gives the point at infinity") }
      share = sum.bytes
    }

    /// w0 · M of the prover's share, or w0 · N of the verifier's.
    private static func blind(_ role: Role, _ w0: SecretBytes, isOwn: Bool) -> CurvePoint? {
      let isProver = if case .prover = role { true } else { false }
      return SPAKE2Plus.point(isProver == isOwn ? SPAKE2Plus.m : SPAKE2Plus.n).times(BigNumber(w0))
    }

    /// - Parameters:
    ///   - peer: the peer's share. nil is returned if it is no point of the curve, or makes the secret worthless; and
    ///     for a second call.
    ///   - context: the hash of the messages so far.
    package mutating func finish(_ peer: [UInt8], context: [UInt8], names: Names = Names()) -> Outcome? {
      defer { scalar = nil }
      guard let scalar = scalar.map({ BigNumber($0) }), let point = CurvePoint(peer),
        let blind = Self.blind(role, w0, isOwn: false), let base = point.minus(blind), let z = base.times(scalar)
      else { return nil }
      func outcome(_ v: CurvePoint?, _ shares: [[UInt8]], isProver: Bool) -> Outcome? {
        guard let v else { return nil }
        return SPAKE2Plus.outcome(context, names, shares, [z.secretBytes, v.secretBytes, w0], isProver: isProver)
      }
      switch role {
      case .prover(let w1): return outcome(base.times(BigNumber(w1)), [share, peer], isProver: true)
      case .verifier(let l): return outcome(SPAKE2Plus.point(l).times(scalar), [peer, share], isProver: false)
      }
    }
  }
}
