import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lines that were typed before, kept in a file of their owner's (0600). What can't be read or written is done without.
struct ShellHistory {
  /// So many are kept.
  static let room = 500

  private(set) var lines: [String]
  private let path: String

  init(path: String) {
    self.path = path
    let bytes = (try? readFile(path, limit: 1 << 20)) ?? []
    lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }.suffix(Self.room)
  }

  /// Notes a line, but not twice in a row.
  mutating func add(_ line: String) {
    guard !line.isEmpty, line != lines.last, line.utf8.count <= 4096 else { return }
    lines.append(line)
    if lines.count > Self.room { lines.removeFirst() }
  }

  /// In one piece: whoever reads it meanwhile reads the old one or the new one.
  func save() {
    let new = "\(path).new-\(getpid())"
    unlink(new)
    let text = lines.map { $0 + "\n" }.joined()
    guard (try? writePrivateFile(new, Array(text.utf8))) != nil else { return }
    if rename(new, path) != 0 { unlink(new) }
  }
}
