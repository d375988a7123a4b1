/// A pointer that threads share. The memory is written before the pointer is shared and after its last use, and only read in between.
// Safe: `pointer` is a constant of one of the two types below, so a copy of it is not a race. Each user must guarantee the rule above. There are
// seven users, all in this module. The ciphers of `FrameCipher` and `CCMCipher`, the group of `CurvePoint`, the prime of `SRPGroup`, and the Montgomery
// contexts of `SRPGroup` and `CurveOrder` are created in the initializer of a `static let` and only read afterwards. libcrypto takes the ciphers, the
// group and the prime as `const`, and its constant-time arithmetic only reads a Montgomery context, although its type is not `const`. `SecretBytes` writes its memory only in `init` and `deinit`.
struct SharedPointer<Pointer: ShareablePointer>: @unchecked Sendable {
  let pointer: Pointer

  init(_ pointer: Pointer) { self.pointer = pointer }
}

/// The types of pointers that can be shared. Object references are excluded.
protocol ShareablePointer {}

extension OpaquePointer: ShareablePointer {}
extension UnsafeMutableRawBufferPointer: ShareablePointer {}
