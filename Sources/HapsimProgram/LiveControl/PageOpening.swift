import HAPCommandLine
import HAPLoop

/// A browser that `--open` starts with the page.
///
/// Belongs to the loop's thread. The browser stays open when hapsim ends.
final class PageOpening {
  /// The time after which a failed command is assumed to have started a browser.
  static let startTime = Duration.seconds(10)

  private let url: String
  private let console: Console
  private var process: ChildProcess?

  /// - Parameter url: the URL without the token, because all users of the machine can read the arguments of a process.
  init(_ url: String, on loop: EventLoop, _ console: Console) {
    (self.url, self.console) = (url, console)
    guard let command = Self.command(for: url, console.environment) else {
      complain("neither DISPLAY nor WAYLAND_DISPLAY is set")
      return
    }
    let begin = loop.readClock()
    // The browser may run longer than hapsim, so it must not write to a pipe that hapsim reads.
    let quiet = "exec </dev/null >/dev/null 2>&1; \(command)"
    do throws(LoopError) {
      process = try ChildProcess(loop, command: quiet) { [unowned self] event in
        guard case .ended(let exit) = event else { return }
        let time = Duration.nanoseconds(loop.readClock() - begin)
        if Self.isFailure(exit, after: time) { complain("\(command) ended \(exit)") }
      }
    } catch { complain("\(error)") }
  }

  /// Returns whether the end of the command means that no browser was started.
  static func isFailure(_ exit: ChildProcess.Exit, after time: Duration) -> Bool {
    exit != .code(0) && time < startTime
  }

  /// Returns the command that opens the page. The commands of BROWSER, separated by colons, are tried in order; `%s` is
  /// the address. Without BROWSER, the desktop's opener is used.
  /// - Parameter url: the URL. It can't contain characters that end a quoted shell text, because it consists of an IP
  ///   address and a port.
  /// - Returns: a shell command; nil if there is no desktop.
  static func command(for url: String, _ environment: (String) -> String?) -> String? {
    let chosen = (environment("BROWSER") ?? "").split(separator: ":").filter { $0.contains { $0 != " " } }
    if !chosen.isEmpty {
      return chosen.map { command in
        let parts = command.split(separator: "%s", omittingEmptySubsequences: false)
        return parts.count > 1 ? parts.joined(separator: url) : "\(command) '\(url)'"
      }.joined(separator: " || ")
    }
    #if canImport(Darwin)
      return "open '\(url)'"
    #else
      let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment($0)?.isEmpty == false }
      return hasDesktop ? "xdg-open '\(url)'" : nil
    #endif
  }

  func close() { process?.close() }

  private func complain(_ reason: String) {
    console.complain(
      "hapsim: --open: no browser was started: \(reason); set BROWSER to a command, or open \(url) in a browser")
  }
}
