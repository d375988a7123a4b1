import CSodium

/// An ephemeral key pair of Pair Verify: X25519, RFC 7748.
package struct AgreementKey: Sendable {
  private let privateKey: SecretBytes
  /// 32 bytes.
  package let publicKey: [UInt8]

  /// - Parameter privateKey: 32 bytes, or it traps. It is clamped when it is used.
  package init(privateKey: SecretBytes) {
    precondition(privateKey.count == 32, "an X25519 private key is 32 bytes")
    Sodium.prepare()
    self.privateKey = privateKey
    publicKey = PowerTable.result(.agreementKey, of: [privateKey.copy]) {
      var publicKey = [UInt8](repeating: 0, count: 32)
      privateKey.withPointer { _ = crypto_scalarmult_curve25519_base(&publicKey, $0) }
      return publicKey
    }
  }

  /// - Returns: 32 bytes. nil if `peer` is not 32 bytes, or is of small order, which would make the result all zero (RFC 7748 §6.1).
  package func sharedSecret(with peer: [UInt8]) -> SecretBytes? {
    guard peer.count == 32 else { return nil }
    return PowerTable.result(.agreement, of: [privateKey.copy, peer]) { agree(with: peer) }
  }

  private func agree(with peer: [UInt8]) -> SecretBytes? {
    var succeeded = false
    let secret = SecretBytes(count: 32) { output in
      let output = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
      succeeded = privateKey.withPointer { crypto_scalarmult_curve25519(output, $0, peer) } == 0
      if sodium_is_zero(output, 32) == 1 { succeeded = false }
    }
    return succeeded ? secret : nil
  }
}
