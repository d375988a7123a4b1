import Foundation
import TextScreens

/// A person with an app: sees its screen, or one of the system, taps and types.
@MainActor final class AppDriver {
  let sheet = SetupSheet()
  private var app: (any TextApp)?
  /// The screen that was printed last.
  private var shown: [String] = []
  /// Whether the app performs the effect of a tap.
  private var isBusy = false
  private var wait: CheckedContinuation<Void, Never>?
  private let print: (String) -> Void

  init(print: @escaping (String) -> Void) {
    self.print = print
    sheet.onQuestion = { [unowned self] in wake() }
  }

  /// Starts the app, or starts it again.
  func start(_ app: any TextApp) { (self.app, shown) = (app, []) }

  private var screen: Screen? { sheet.screen ?? app?.screen }

  /// Prints the screen if it is another one than before. Otherwise, prints the lines that disappeared and appeared.
  func printScreen() {
    guard let lines = screen?.lines, lines != shown else { return }
    if lines.first == shown.first {
      let change = lines.difference(from: shown)
      for case .remove(_, let line, _) in change.removals { print("  - " + line) }
      for case .insert(_, let line, _) in change.insertions { print("  + " + line) }
    } else {
      for line in lines { print("    " + line) }
    }
    shown = lines
  }

  // MARK: Taps

  /// Taps a button, and waits until the app has done it, or the system asks a question.
  func tap(_ label: String, line: Int) async throws(AppScriptProblem) {
    guard let action = screen?.button(label) else { throw problem("button", label, line) }
    await perform(action)
  }

  /// Types a text into a field, and waits as after a tap.
  func type(_ text: String, into label: String, line: Int) async throws(AppScriptProblem) {
    guard let commit = screen?.field(label) else { throw problem("field", label, line) }
    await perform { await commit(text) }
  }

  private func perform(_ action: @escaping Screen.Action) async {
    if sheet.screen != nil {
      await action()
    } else {
      isBusy = true
      Task {
        await action()
        isBusy = false
        wake()
      }
    }
    guard isBusy, sheet.screen == nil else { return }
    await withCheckedContinuation { wait = $0 }
  }

  private func wake() {
    wait?.resume()
    wait = nil
  }

  private func problem(_ kind: String, _ label: String, _ line: Int) -> AppScriptProblem {
    guard let screen else { return AppScriptProblem("the app was not started: write \"start\" before", line: line) }
    return AppScriptProblem(
      "the screen has no \(kind) \"\(label)\":\n" + screen.lines.map { "    \($0)\n" }.joined(), line: line)
  }
}
