import CSodium

/// Key material. It is never printed, never changed after `init`, and wiped when its last owner releases it.
///
/// It is a class, so that it can be passed to the work pool and stored in collections without copies of its bytes.
package final class SecretBytes: Sendable {
  private let shared: SharedPointer<UnsafeMutableRawBufferPointer>
  private var storage: UnsafeMutableRawBufferPointer { shared.pointer }

  /// - Parameter fill: writes the secret into `count` zero bytes. It must not keep the pointer.
  package init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    precondition(count >= 0, "the length of a secret is negative")
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
    _ = storage.initializeMemory(as: UInt8.self, repeating: 0)
    shared = SharedPointer(storage)
    self.count = count
    try fill(.init(rebasing: storage[..<count]))
  }

  /// Copies `bytes`. The caller is responsible for its array.
  package convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Copies `bytes`.
  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  deinit {
    wipe()
    storage.deallocate()
  }

  /// Overwrites the bytes with zeros. Used by `deinit` and its test.
  func wipe() { sodium_memzero(storage.baseAddress!, storage.count) }

  /// In bytes.
  package let count: Int

  /// Passes the bytes to `body`. The pointer is valid only inside `body`.
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
  }
}

extension SecretBytes: Equatable {
  /// Compares in a time that reveals only whether the lengths differ.
  package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
    guard a.count == b.count else { return false }
    return sodium_memcmp(a.storage.baseAddress!, b.storage.baseAddress!, a.count) == 0
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "\(count) secret bytes" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes {
  /// A copy of the bytes, which is not wiped. For `PowerTable`, and for results that are not secret.
  var copy: [UInt8] { withBytes { Array($0) } }

  /// Passes a pointer that is never null to `body`, even for an empty secret.
  func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
    try body(UnsafePointer(storage.baseAddress!.assumingMemoryBound(to: UInt8.self)))
  }
}

/// Compares two proofs or tags in a time that reveals only whether the lengths differ.
package func equalInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}
