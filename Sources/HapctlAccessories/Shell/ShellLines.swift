import HAPCommandLine
import HAPLoop

/// The source of a shell's lines. It blocks the calling thread.
protocol ShellLines: AnyObject {
  /// Returns the next line; nil at the end.
  func next() throws(UsageError) -> String?
}

/// Lines of a file or a pipe, without a prompt.
final class PlainLines: ShellLines {
  private let input: ShellInput
  private let screen: ShellScreen
  private var splitter = LineSplitter(limit: 64 << 10)
  private var lines: [LineSplitter.Line] = []
  private var hasEnded = false

  init(_ input: ShellInput, _ screen: ShellScreen) {
    self.input = input
    self.screen = screen
  }

  func next() throws(UsageError) -> String? {
    while lines.isEmpty, !hasEnded, !screen.isOver {
      switch input.next(4096) {
      case .woken: break
      case .bytes(let bytes): lines = bytes.withUnsafeBytes { splitter.receive($0) }
      case .end:
        hasEnded = true
        lines = splitter.finish().map { [$0] } ?? []
      }
    }
    guard !lines.isEmpty, !screen.isOver else { return nil }
    switch lines.removeFirst() {
    case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .tooLong(let limit): throw UsageError("a line is longer than \(limit) bytes")
    }
  }
}
