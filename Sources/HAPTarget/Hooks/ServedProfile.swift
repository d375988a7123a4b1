import HAPSuite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A temporary copy of the profile that a command serves. Hooks change it; `deinit` deletes it.
///
/// Hooks run concurrently, so a mutex serializes the changes.
package final class ServedProfile: Sendable {
  private let profile: Mutex<ChangedProfile>
  private let path: String

  /// Largest profile that is read, in bytes.
  private static let limit = 16 << 20

  /// - Parameter command: a shell command that names one `.hasaccessory` file.
  /// - Returns: nil if the command names no such file or several, if the file can't be read, or if the copy can't be created.
  package init?(servedBy command: String) {
    let words = command.split { $0.isWhitespace || $0 == "\"" || $0 == "'" }
    let names = Set(words.filter { $0.hasSuffix(".hasaccessory") })
    guard names.count == 1, let name = names.first, let bytes = Self.read(String(name)) else { return nil }
    profile = Mutex(ChangedProfile(json: bytes))
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let suffix = ".hasaccessory"
    var template = Array("\(folder)/haptest-XXXXXX\(suffix)".utf8CString)
    let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { unlink(path) }

  /// Changes the profile for `add-accessory` or `remove-accessory`.
  /// - Returns: the path of the profile to serve now.
  @Sendable package func changed(by hook: HookName) throws(HookFailure) -> String {
    try profile.withLock { profile throws(HookFailure) in
      // A failed change or write leaves the profile unchanged.
      var next = profile
      if hook == .addAccessory { try next.add() } else { try next.remove() }
      guard write(next.json) else { throw HookFailure(.refused, "the changed profile can't be written to \(path)") }
      profile = next
      return path
    }
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = systemRead(descriptor, &chunk)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > limit { return nil }
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// `ServedProfile` has its own `read` and `write`, so the system's functions are called from outside of it.
private func systemRead(_ descriptor: Int32, _ chunk: inout [UInt8]) -> Int { read(descriptor, &chunk, chunk.count) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
