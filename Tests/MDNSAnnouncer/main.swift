// Announces services by mDNS for tests with other implementations, until its standard input ends.
//
// usage: MDNSAnnouncer INTERFACE

import HAPLoop
import HAPWire
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func fail(_ message: String) -> Never {
  fputs("MDNSAnnouncer: \(message)\n", stderr)
  exit(1)
}

guard CommandLine.arguments.count == 2 else { fail("usage: MDNSAnnouncer INTERFACE") }
let interface = CommandLine.arguments[1]
setvbuf(stdout, nil, _IOLBF, 0)

let loop = EventLoop(name: "announcer")
loop.start()
try loop.performAndWait {
  let announcer = Announcer(loop, interface: interface) { print($0.compactText) }
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
