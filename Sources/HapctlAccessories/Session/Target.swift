import HAPCommandLine
import HAPController
import HAPLoop

extension Target {
  /// Parses "192.0.2.7:51826", "[fe80::1%eth0]:51826" or "localhost:51826"; other text is a name.
  init(_ text: String) throws(UsageError) {
    self = try SocketAddress(commandLine: text).map { .address($0) } ?? .name(text)
  }
}

/// An accessory and a path in its database: "garage/Target Door State", "garage/1.10", "garage".
struct Reference: Equatable {
  var target: String
  /// The text after the first slash; nil if there is no slash.
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

/// The reason why a command fails: one line, with advice.
struct Failure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
