import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `errno` of the calling thread.
var systemErrorNumber: Int32 { errno }

/// A failure of a socket, a handle or an interface: a code for programs and a sentence for people.
package struct LoopError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Another socket holds the port.
    case addressInUse
    /// The address is well formed, but no interface of this machine has it.
    case addressNotAvailable
    /// The text is not an IPv4 or IPv6 address.
    case malformedAddress
    case noSuchInterface
    case permissionDenied
    case tooManyOpenFiles
    /// This machine has no route to the address.
    case networkUnreachable
    case connectionRefused
    case connectionReset
    case brokenPipe
    case timedOut
    /// The handle was closed before the operation finished.
    case cancelled
    /// Any other error: the negative error number of libuv.
    case other(Int32)

    /// There is no file of this name.
    package static var noSuchFile: Self { .other(UV_ENOENT.rawValue) }
    /// The operation would have to wait, for example because the queue of a listener is full.
    package static var wouldBlock: Self { .other(UV_EAGAIN.rawValue) }

    init(status: Int32) {
      self = Self.known.first { $0.status == status }?.code ?? .other(status)
    }

    private static let known: [(status: Int32, code: Code)] = [
      (UV_EADDRINUSE.rawValue, .addressInUse), (UV_EADDRNOTAVAIL.rawValue, .addressNotAvailable),
      (UV_ENETUNREACH.rawValue, .networkUnreachable), (UV_EAFNOSUPPORT.rawValue, .networkUnreachable),
      (UV_EACCES.rawValue, .permissionDenied), (UV_EPERM.rawValue, .permissionDenied),
      (UV_EMFILE.rawValue, .tooManyOpenFiles), (UV_ENFILE.rawValue, .tooManyOpenFiles),
      (UV_ECONNREFUSED.rawValue, .connectionRefused), (UV_ECONNRESET.rawValue, .connectionReset),
      (UV_EPIPE.rawValue, .brokenPipe), (UV_ETIMEDOUT.rawValue, .timedOut), (UV_ECANCELED.rawValue, .cancelled),
    ]
  }

  package var code: Code
  /// One line, without a full stop.
  package var detail: String
  package var description: String { detail }

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// - Parameter status: a negative error number of libuv.
  init(status: Int32, while doing: String) {
    self.init(Code(status: status), "\(doing): \(Self.text(of: status))")
  }

  /// Returns libuv's text for an error number, such as "connection reset by peer".
  static func text(of status: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      String(cString: uv_strerror_r(status, buffer.baseAddress!, buffer.count))
    }
  }

  /// The libuv error number for the last failed call of the C library.
  static var lastStatus: Int32 { uv_translate_sys_error(systemErrorNumber) }
}
