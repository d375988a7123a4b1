import HAPCrypto
import HAPModel

extension StoredIdentity {
  /// Creates a random device ID and long-term key. HAP R2 §5.4.
  package static func draw(deviceID: DeviceID? = nil, from random: RandomSource) -> StoredIdentity {
    guard let deviceID = deviceID ?? DeviceID(bytes: random.bytes(6)) else {
      preconditionFailure("6 bytes are a device ID")
    }
    return StoredIdentity(deviceID: deviceID, keySeed: random.secret(32))
  }
}

extension StoredSetup {
  /// Returns the given or a random code and ID, with the verifier for the code. The verifier takes about a millisecond, unless it is
  /// computed later.
  /// - Parameter isPutOff: whether the verifier is computed when it is needed.
  package static func make(
    code: SetupCode?, id: SetupID?, from random: RandomSource, isPutOff: Bool = false
  ) -> StoredSetup {
    let code = code ?? .draw(from: random)
    let salt = SRPVerifier.salt { _ in random.bytes(SRPVerifier.saltCount) }
    let verifier = isPutOff ? nil : SRPVerifier(code: code.text, salt: salt).verifier
    return StoredSetup(code: code, id: id ?? .draw(from: random), salt: salt, verifier: verifier)
  }

  package var srpVerifier: SRPVerifier {
    verifier.map { SRPVerifier(salt: salt, verifier: $0) } ?? SRPVerifier(codeWhenNeeded: code.text, salt: salt)
  }
}

extension SetupCode {
  /// Returns a random valid code, uniformly distributed. It is never one of the twelve forbidden codes. HAP R2 §5.6.5.
  package static func draw(from random: RandomSource) -> SetupCode {
    while true {
      if let code = try? SetupCode(number: random.number(below: 100_000_000)) { return code }
    }
  }
}

extension SetupID {
  package static func draw(from random: RandomSource) -> SetupID {
    guard let id = SetupID(number: random.number(below: SetupID.count)) else { preconditionFailure("below the count") }
    return id
  }
}

extension RandomSource {
  /// Returns a uniformly distributed number below `limit`.
  fileprivate func number(below limit: UInt32) -> UInt32 {
    let fair = UInt32.max - UInt32.max % limit
    while true {
      let drawn = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if drawn < fair { return drawn % limit }
    }
  }
}
