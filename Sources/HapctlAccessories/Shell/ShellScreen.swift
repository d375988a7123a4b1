import HAPCommandLine
import Synchronization

/// The output of a shell. It prints lines immediately, or, while the user types, above the typed line.
///
/// Lines can come from any thread. While the line editor waits for keys, its thread prints them.
final class ShellScreen: Sendable {
  /// The maximum number of lines that wait for the line editor. Further lines are only counted.
  private static let room = 1000
  /// The maximum length of a waiting line, because events can be long.
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

  /// Prints a line of output.
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

  /// Prints an error.
  func complain(_ line: String) { console.complain(Self.harmless(line)) }

  /// Keeps lines waiting from now on, until `stopPrompting`.
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

  /// Returns and removes the lines that arrived while the user typed.
  func takeWaiting() -> [String] {
    state.withLock { state in
      defer { (state.waiting, state.dropped) = ([], 0) }
      return state.waiting + (state.dropped > 0 ? ["… and \(state.dropped) more"] : [])
    }
  }

  /// Ends the input.
  /// - Parameter trouble: the error; nil: the program was asked to exit.
  func finish(because trouble: String?) {
    state.withLock { state in
      if !state.isOver { state.trouble = trouble }
      state.isOver = true
    }
    input.wake()
  }

  var isOver: Bool { state.withLock { $0.isOver } }
  var trouble: String? { state.withLock { $0.trouble } }

  /// Returns the line with control characters replaced, so that an accessory's name can't control the terminal.
  static func harmless(_ line: String) -> String {
    var result = ""
    for scalar in line.unicodeScalars {
      result.unicodeScalars.append(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar)
    }
    return result
  }
}
