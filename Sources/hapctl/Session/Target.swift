import HAPCommandLine
import HAPController
import HAPLoop

extension Target {
  /// "192.0.2.7:51826", "[fe80::1%eth0]:51826", "localhost:51826"; anything else is a name.
  init(_ text: String) throws(UsageError) {
    self = try SocketAddress(commandLine: text).map { .address($0) } ?? .name(text)
  }
}

/// The accessory and what is meant of it: "garage/Target Door State", "garage/1.10", "garage".
struct Reference: Equatable {
  var target: String
  /// What stands behind the first slash; nil: nothing.
  var path: String?

  init(_ text: String) {
    guard let slash = text.firstIndex(of: "/") else {
      target = text
      return
    }
    target = String(text[..<slash])
    path = String(text[text.index(after: slash)...])
  }
}

/// Why a command ends without success: in one line, with what to do about it.
struct Failure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
