import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lines typed earlier, stored in a file with mode 0600. Errors of the file are ignored.
struct ShellHistory {
  /// The maximum number of lines.
  static let room = 500

  private(set) var lines: [String]
  private let path: String

  init(path: String) {
    self.path = path
    let bytes = (try? readFile(path, limit: 1 << 20)) ?? []
    lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }.suffix(Self.room)
  }

  /// Adds a line, unless it equals the last one.
  mutating func add(_ line: String) {
    guard !line.isEmpty, line != lines.last, line.utf8.count <= 4096 else { return }
    lines.append(line)
    if lines.count > Self.room { lines.removeFirst() }
  }

  /// Replaces the file atomically: a concurrent reader gets the old or the new content.
  func save() {
    let new = "\(path).new-\(getpid())"
    unlink(new)
    let text = lines.map { $0 + "\n" }.joined()
    guard (try? writePrivateFile(new, Array(text.utf8))) != nil else { return }
    if rename(new, path) != 0 { unlink(new) }
  }
}
