import Foundation
import Testing

@testable import HAPLoop

@Suite struct LineSplitterTests {
  private func split(_ chunks: [String], limit: Int = 8) -> [LineSplitter.Line] {
    var splitter = LineSplitter(limit: limit)
    var lines: [LineSplitter.Line] = []
    for chunk in chunks { lines += Array(chunk.utf8).withUnsafeBytes { splitter.receive($0) } }
    if let last = splitter.finish() { lines.append(last) }
    return lines
  }

  private func line(_ text: String) -> LineSplitter.Line { .line(Array(text.utf8)) }

  @Test("Lines end with LF or CR LF, and the last line may be unterminated") func ends() {
    #expect(split(["a\nb\r\n\nc"]) == [line("a"), line("b"), line(""), line("c")])
    #expect(split([]) == [])
    #expect(split(["\n"]) == [line("")])
    #expect(split(["a\r"]) == [line("a")])
    #expect(split(["a\rb\n"]) == [line("a\rb")])
  }

  @Test("Lines are the same, however the input is split", arguments: 1...7) func cuts(_ size: Int) {
    let text = Array("one\r\ntwo\n\n12345678\r\n123456789\n\r\nend")
    let chunks = stride(from: 0, to: text.count, by: size).map { String(text[$0..<min($0 + size, text.count)]) }
    // A Swift character may be CR LF; the next test splits the two.
    #expect(
      split(chunks) == [
        line("one"), line("two"), line(""), line("12345678"), .tooLong(limit: 8), line(""), line("end"),
      ])
  }

  @Test("CR and LF in different chunks are one line end") func cutEnd() {
    #expect(split(["a\r", "\nb\n"]) == [line("a"), line("b")])
    #expect(split(["12345678\r", "\n"]) == [line("12345678")])
  }

  @Test("A line at the limit is accepted; a longer line is skipped, and the next line is read") func limit() {
    #expect(split(["12345678\n"]) == [line("12345678")])
    #expect(split(["123456789\nx\n"]) == [.tooLong(limit: 8), line("x")])
    #expect(split(["1234", "5678", "9", "0123456789", "\nx"]) == [.tooLong(limit: 8), line("x")])
    #expect(split([String(repeating: "y", count: 1000)]) == [.tooLong(limit: 8)])
  }
}

@Suite struct LineReaderTests {
  /// All events of a reader until its end.
  private func events(of descriptor: Int32, feeding feed: (@Sendable () -> Void)? = nil) async -> [LineReader.Event] {
    await onLoop { loop, finish in
      let seen = Box<[LineReader.Event]>([])
      do throws(LoopError) {
        _ = try LineReader(loop, descriptor: descriptor, limit: 100) { event in
          seen.value.append(event)
          if case .end = event { finish(seen.value) }
        }
      } catch { finish([.end(error)]) }
      feed?()
    }
  }

  private func line(_ text: String) -> LineReader.Event { .line(Array(text.utf8)) }

  @Test("Lines are read from a pipe, and its end is reported") func pipes() async {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    let (reader, writer) = (ends[0], ends[1])
    let seen = await events(of: reader) {
      _ = write(writer, "one\ntwo\r\nlast", 13)
      close(writer)
    }
    #expect(seen == [line("one"), line("two"), line("last"), .end(nil)])
    #expect(fcntl(reader, F_GETFL) & O_NONBLOCK == 0)
    close(reader)
  }

  @Test("Lines are read from a file, even if it exceeds a buffer") func files() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "lines-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
    defer { try? FileManager.default.removeItem(at: path) }
    let lines = (0..<10_000).map { "line number \($0)" } + [String(repeating: "x", count: 101)]
    try Data(lines.joined(separator: "\n").utf8).write(to: path)
    let file = open(path.path, O_RDONLY)
    let seen = await events(of: file)
    #expect(seen == lines.dropLast().map(line) + [.tooLong(limit: 100), .end(nil)])
    close(file)
  }

  #if os(Linux)
    @Test("Lines are read from a terminal") func terminals() async {
      // The C functions for this are macros, so these are Linux's ioctl requests.
      let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var number: Int32 = 0
      _ = ioctl(main, 0x4004_5431, &number)  // TIOCSPTLCK: unlock
      _ = ioctl(main, 0x8004_5430, &number)  // TIOCGPTN: its number
      let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      #expect(isatty(terminal) == 1)
      let seen = await events(of: terminal) { _ = write(main, "typed\n\u{4}", 7) }
      #expect(seen == [line("typed"), .end(nil)])
      close(terminal)
      close(main)
    }
  #endif

  @Test("A closed descriptor and the null device end at once") func nothing() async {
    #expect(await events(of: 9999) == [.end(nil)])
    let null = open("/dev/null", O_RDONLY)
    #expect(await events(of: null) == [.end(nil)])
    close(null)
  }

  @Test("A directory can't be read, and the reason is reported") func unreadable() async {
    let directory = open("/", O_RDONLY)
    let seen = await events(of: directory)
    close(directory)
    guard case .end(let error?) = seen.last else {
      Issue.record("no error")
      return
    }
    #expect(error.detail.contains("reading lines"))
  }

  @Test("Closing an idle reader ends its thread; it may be closed twice and inside an event") func closing() async {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    let (reader, writer) = (ends[0], ends[1])
    for round in 0..<200 {
      let isClosed: Bool = await onLoop { loop, finish in
        let lines = try? LineReader(loop, descriptor: reader) { _ in }
        lines?.onClosed = { finish(true) }
        let later = LoopTimer(loop, onFire: { lines?.close() })
        if round.isMultiple(of: 2) { later.start(after: .zero) } else { lines?.close() }
        if round.isMultiple(of: 3) { lines?.close() }
      }
      #expect(isClosed)
    }
    close(reader)
    close(writer)
  }

  @Test("Stopping the loop closes a waiting reader") func stopped() throws {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    let reader = ends[0]
    let loop = EventLoop(name: "lines")
    loop.start()
    try loop.performAndWait { _ = try LineReader(loop, descriptor: reader) { _ in } }
    loop.stop()
    #expect(loop.openHandleCount == 0)
    close(ends[0])
    close(ends[1])
  }
}
