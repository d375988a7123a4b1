import HAPCommandLine
import Synchronization

/// Where a shell writes: at once while nobody types, and between what is typed while somebody does.
///
/// Lines come from any thread; the line editor's thread shows those that come while it waits for keys.
final class ShellScreen: Sendable {
  /// So many lines wait for the line editor; more than that are counted alone.
  private static let room = 1000
  /// So much of a line waits: events may be long.
  private static let longest = 4096

  private struct State {
    var isPrompting = false
    var waiting: [String] = []
    var dropped = 0
    var isOver = false
    var trouble: String?
  }

  private let console: Console
  private let state = Mutex(State())
  private let input: ShellInput

  init(_ console: Console, _ input: ShellInput) {
    self.console = console
    self.input = input
  }

  /// A line of output.
  func show(_ line: String) {
    let line = Self.harmless(line)
    let isLeft = state.withLock { state in
      guard state.isPrompting else { return false }
      if state.waiting.count < Self.room {
        state.waiting.append(String(line.prefix(Self.longest)))
      } else {
        state.dropped += 1
      }
      return true
    }
    if isLeft { input.wake() } else { console.print(line) }
  }

  /// A line about what went wrong.
  func complain(_ line: String) { console.complain(Self.harmless(line)) }

  /// From now on lines wait to be taken, until `stopPrompting`.
  func startPrompting() { state.withLock { $0.isPrompting = true } }

  func stopPrompting() {
    for line in takeWaiting() { console.print(line) }
    let late = state.withLock { state in
      state.isPrompting = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for line in late { console.print(line) }
  }

  /// What came while somebody typed.
  func takeWaiting() -> [String] {
    state.withLock { state in
      defer { (state.waiting, state.dropped) = ([], 0) }
      return state.waiting + (state.dropped > 0 ? ["… and \(state.dropped) more"] : [])
    }
  }

  /// Nothing is to be read any more.
  /// - Parameter trouble: what went wrong; nil: nothing, the program was asked to end.
  func finish(because trouble: String?) {
    state.withLock { state in
      if !state.isOver { state.trouble = trouble }
      state.isOver = true
    }
    input.wake()
  }

  var isOver: Bool { state.withLock { $0.isOver } }
  var trouble: String? { state.withLock { $0.trouble } }

  /// Without control characters: what an accessory calls itself is not to steer the terminal.
  static func harmless(_ line: String) -> String {
    var result = ""
    for scalar in line.unicodeScalars {
      result.unicodeScalars.append(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar)
    }
    return result
  }
}
