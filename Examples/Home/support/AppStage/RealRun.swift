import Foundation
import HomeKit
import TextScreens

/// The normal life of an app on a machine: its hub and real accessories, with taps from standard input.
@MainActor final class RealRun {
  // `print` keeps lines back if the output is no terminal.
  private let driver = AppDriver { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }

  /// Runs the app until the end of the input.
  func run(_ app: any TextApp) async {
    HMSetupUI.shared = driver.sheet
    driver.start(app)
    print("Write 'tap BUTTON' or 'type FIELD TEXT', with quotes around a text with spaces. Ctrl-D ends the app.")
    // A real screen is drawn again after a change. Here, it is printed again.
    let drawing = Task { [driver] in
      while !Task.isCancelled {
        driver.printScreen()
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    for await line in Self.lines {
      do throws(AppScriptProblem) { try await perform(line) } catch { print(error.message) }
    }
    drawing.cancel()
    driver.printScreen()
  }

  private func perform(_ line: String) async throws(AppScriptProblem) {
    switch try AppScript.step(line, 1) {
    case .text: break
    case .tap(let label): try await driver.tap(label, line: 1)
    case .type(let text, let field): try await driver.type(text, into: field, line: 1)
    default: throw AppScriptProblem("only 'tap' and 'type' exist outside of a simulated world", line: 1)
    }
  }

  /// The lines of standard input. A read blocks its thread, so the reads have a separate one.
  private static var lines: AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
