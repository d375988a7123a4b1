#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The kind of an output: a terminal with a width and perhaps colour, or none (a file, a pipe).
package struct Terminal: Equatable, Sendable {
  package var isTerminal: Bool
  /// The width in columns, at least 1; nil if there is no terminal or it reports no width.
  package var columns: Int?
  /// True only on a terminal that is not "dumb", if the variable NO_COLOR is unset or empty (no-color.org).
  package var hasColour: Bool
  /// Whether the output is the null device, which no process can read. An output that is closed at the start becomes
  /// the null device.
  package var isDiscarded = false

  /// A file or a pipe.
  package static let none = Terminal(isTerminal: false, columns: nil, hasColour: false)
  /// The null device.
  package static let discarded = Terminal(isTerminal: false, columns: nil, hasColour: false, isDiscarded: true)

  package init(isTerminal: Bool, columns: Int?, hasColour: Bool, isDiscarded: Bool = false) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.hasColour = hasColour
    self.isDiscarded = isDiscarded
  }

  /// Determines the kind of output of a file descriptor of this process.
  package init(descriptor: Int32, environment: (String) -> String?) {
    var size = winsize()
    let asked = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    self.init(
      isTerminal: isatty(descriptor) == 1, reportedColumns: asked == 0 ? Int(size.ws_col) : 0, environment: environment)
    isDiscarded = Self.isNullDevice(descriptor)
  }

  private static func isNullDevice(_ descriptor: Int32) -> Bool {
    var (output, null) = (stat(), stat())
    guard fstat(descriptor, &output) == 0, stat("/dev/null", &null) == 0 else { return false }
    return output.st_mode & S_IFMT == S_IFCHR && null.st_mode & S_IFMT == S_IFCHR && output.st_rdev == null.st_rdev
  }

  /// Applies the rules without system calls. `reportedColumns` is 0 if the terminal reports no width.
  init(isTerminal: Bool, reportedColumns: Int, environment: (String) -> String?) {
    guard isTerminal else {
      self = .none
      return
    }
    let noColour = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let said = environment("COLUMNS").flatMap { Int($0) }
    self.init(
      isTerminal: true, columns: [reportedColumns, said ?? 0].first { $0 > 0 },
      hasColour: !noColour && environment("TERM") != "dumb")
  }

  /// The width for wrapped text: that of the terminal, but 40 to 100 columns; 80 if there is no terminal.
  package var textWidth: Int { min(max(columns ?? 80, 40), 100) }
}

extension Terminal {
  /// A text style.
  package enum Style: String, CaseIterable, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  /// Returns the text in a style if the terminal has colour, else unchanged.
  package func styled(_ text: String, _ style: Style) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
