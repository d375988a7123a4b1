import HAPLoop
import HAPWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads lines from standard input until its end, then ends the process.
func announce(on interface: String) throws -> Never {
  let loop = EventLoop(name: "announcer")
  loop.start()
  try loop.performAndWait {
    let announcer = Announcer(loop, interface: interface) { put($0.compactText, to: 1) }
    _ = try LineReader(loop, limit: 1 << 20) { event in
      switch event {
      case .line(let line):
        do { try announcer.take(line) } catch { fail("\(error)") }
      case .tooLong(let limit): fail("a line has more than \(limit) bytes")
      case .end:
        announcer.close()
        exit(0)
      }
    }
  }
  while true { pause() }
}

func fail(_ message: String) -> Never {
  put("MDNSAnnouncer: \(message)", to: 2)
  exit(1)
}

/// Writes a line. If the reader is gone, the process ends at the end of its input.
private func put(_ line: String, to descriptor: Int32) {
  var line = line + "\n"
  line.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}
