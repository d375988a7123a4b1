import CLibcrypto

/// ChaCha20-Poly1305 for one direction of a session. It works in place, and allocates memory only in `init`.
/// HAP R2 §6.5.2 "Session Security".
///
/// Owned by one session. It must not be used from two threads at the same time.
package final class FrameCipher {
  private let context: OpaquePointer
  /// Fetched once, because libcrypto searches its providers on each fetch.
  // After libcrypto has returned an algorithm, it changes only the atomic reference count of the algorithm.
  private static let algorithm = SharedPointer(EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil)!)

  /// - Parameter key: 32 bytes, or it traps.
  package init(key: SecretBytes) {
    precondition(key.count == 32, "a session key is 32 bytes")
    context = EVP_CIPHER_CTX_new()
    let result = key.withPointer {
      EVP_CipherInit_ex(context, Self.algorithm.pointer, nil, $0, nil, 1)
    }
    precondition(result == 1, "libcrypto has no ChaCha20-Poly1305")
  }

  deinit { EVP_CIPHER_CTX_free(context) }  // also wipes the key

  /// Encrypts `text` in place.
  ///
  /// - Parameters:
  ///   - tag: receives the 16 bytes of the tag.
  ///   - counter: the number of frames sealed with this key so far. Reusing a value breaks the cipher.
  ///   - aad: authenticated, not encrypted.
  package func seal(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer, counter: UInt64, aad: UnsafeRawBufferPointer
  ) {
    start(counter, aad, sealing: 1)
    run(text)
    var count: Int32 = 0
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { rest in
      check(EVP_CipherFinal_ex(context, rest.baseAddress!, &count))
    }
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag))
  }

  /// Decrypts `text` in place.
  ///
  /// - Returns: false if `tag`, 16 bytes, is wrong. `text` must not be used then.
  package func open(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeRawPointer, counter: UInt64, aad: UnsafeRawBufferPointer
  ) -> Bool {
    start(counter, aad, sealing: 0)
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, UnsafeMutableRawPointer(mutating: tag)))
    run(text)
    var count: Int32 = 0
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { rest in
      EVP_CipherFinal_ex(context, rest.baseAddress!, &count) == 1
    }
  }

  private func start(_ counter: UInt64, _ aad: UnsafeRawBufferPointer, sealing: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 12, alignment: 4) { nonce in
      nonce.storeBytes(of: 0, toByteOffset: 0, as: UInt32.self)
      nonce.storeBytes(of: counter.littleEndian, toByteOffset: 4, as: UInt64.self)
      let nonce = nonce.baseAddress!.assumingMemoryBound(to: UInt8.self)
      check(EVP_CipherInit_ex(context, nil, nil, nil, nonce, sealing))
    }
    guard let aadStart = aad.baseAddress, aad.count > 0 else { return }
    var count: Int32 = 0
    check(
      EVP_CipherUpdate(context, nil, &count, aadStart.assumingMemoryBound(to: UInt8.self), Int32(aad.count)))
  }

  private func run(_ text: UnsafeMutableRawBufferPointer) {
    guard let start = text.baseAddress, text.count > 0 else { return }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    var count: Int32 = 0
    check(EVP_CipherUpdate(context, bytes, &count, bytes, Int32(text.count)))
  }

  /// These calls can fail only because of an error in this code.
  private func check(_ result: Int32) {
    precondition(result == 1, "libcrypto refused a ChaCha20-Poly1305 call")
  }
}
