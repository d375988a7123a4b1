#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The environment variable that sets the seed, and the output of a failed seed to standard error.
package enum SeedVariable {
  static let name = "HAPSIM_SEED"

  /// - Returns: `nil` if it isn't set or is empty.
  package static func read() throws(SimulationFailure) -> UInt64? {
    guard let value = getenv(name) else { return nil }
    return try seed(String(cString: value))
  }

  package static func seed(_ text: String) throws(SimulationFailure) -> UInt64? {
    if text.isEmpty { return nil }
    guard let seed = UInt64(text) else {
      throw SimulationFailure(
        .invalidValue, "\(name) is \"\(text)\", but a seed must be a whole number from 0 to \(UInt64.max)")
    }
    return seed
  }

  package static func print(_ text: String) {
    var rest = Array("\(text)\n".utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress!, $0.count) }
      if written <= 0 { return }
      rest = rest.dropFirst(written)
    }
  }
}
