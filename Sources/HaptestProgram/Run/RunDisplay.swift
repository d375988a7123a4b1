import HAPCommandLine
import HAPReport

/// Shows a run in progress: lines, and on a terminal a progress line at the end.
struct RunDisplay: Sendable {
  private var report: TerminalReport
  private let console: Console
  private let hasProgress: Bool
  private var isProgressShown = false

  /// - Parameter hasProgress: whether to show the progress line.
  init(_ report: TerminalReport, on console: Console, hasProgress: Bool) {
    self.report = report
    self.console = console
    self.hasProgress = hasProgress && console.output.isTerminal
  }

  mutating func take(_ event: RunEvent) {
    let lines = report.lines(for: event)
    if hasProgress, isProgressShown, !lines.isEmpty { clear() }
    for line in lines { console.print(line) }
    guard hasProgress else { return }
    if case .ended = event { return clear() }
    console.show("\r\u{1B}[2K" + report.progress(width: (console.output.columns ?? 80) - 1))
    isProgressShown = true
  }

  private mutating func clear() {
    if isProgressShown { console.show("\r\u{1B}[2K") }
    isProgressShown = false
  }
}
