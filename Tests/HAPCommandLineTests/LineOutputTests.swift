import Foundation
import Synchronization
import Testing

@testable import HAPCommandLine

@Suite struct LinesAreWritten {
  /// Accepts one line for each permit.
  private final class Reader: Sendable {
    let lines = Mutex<[String]>([])
    private let permits = DispatchSemaphore(value: 0)

    func permit(_ count: Int) { for _ in 0..<count { permits.signal() } }

    var console: Console {
      Console(
        out: { [self] text in
          permits.wait()
          lines.withLock { $0.append(text) }
        }, error: { _ in })
    }
  }

  @Test("Output to a reader that accepts nothing is abandoned; a slow reader gets every line") func patience() {
    let (deaf, slow) = (Reader(), Reader())
    let lines = LineOutput(deaf.console, program: "test")
    for number in 0..<3 { lines.write("\(number)", isDroppable: false) }
    deaf.permit(1)
    lines.finish(patience: .milliseconds(20))
    #expect(deaf.lines.withLock { $0.count } <= 1)
    // The writing thread still exists.
    deaf.permit(2)

    let others = LineOutput(slow.console, program: "test")
    for number in 0..<3 { others.write("\(number)", isDroppable: false) }
    slow.permit(3)
    others.finish(patience: .seconds(60))
    #expect(slow.lines.withLock { $0 } == ["0\n", "1\n", "2\n"])
  }
}
