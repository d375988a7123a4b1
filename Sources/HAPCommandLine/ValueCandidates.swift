/// The candidates that a shell offers for an operand or for the value of an option.
package enum ValueCandidates: Equatable, Sendable {
  /// No candidates: names, numbers, addresses.
  case nothing
  case words([String])
  case files
  case folders
  /// The names of the profiles that come with hapsim, and files.
  case profiles
  /// The lines that a command of the program prints for the words of the line: ["home", "complete"].
  case printed([String])

  /// The placeholders of all programs. A placeholder of small letters is no entry: it is a word of the command line.
  private static let table: [String: ValueCandidates] = {
    var table: [String: ValueCandidates] = ["PROFILE": .profiles]
    for name in ["FILE", "EVIDENCE", "NEW", "OLD", "REPORT", "SUITE"] { table[name] = .files }
    for name in ["DIR"] { table[name] = .folders }
    let others = [
      "\"TIME EVENT\"", "ACCESSORY", "ACTION", "ADDR", "ADDR:PORT", "ALIAS", "AREA", "CASE", "CMD", "CODE", "COMMAND",
      "CONDITION", "DAYS", "DEVICE", "EVENT", "EXPR", "FORMAT", "GROUP", "HEX", "HOME", "HOST:PORT", "I/N", "ID", "IF",
      "KEY=VALUE", "LAT,LON", "LISTEN", "M", "N", "NAME", "OBJECT", "PATH", "PATH VALUE", "PERIOD", "PERMS", "ROLE",
      "ROOM", "RULE", "SCENE", "SEC", "SERVICE", "SLUG", "TARGET", "TARGET/CHARACTERISTIC", "TEXT", "TIME", "TOKEN",
      "TRIGGER", "TYPE", "USER", "VALUE", "WHAT", "WORD", "X-HM://", "XXX-XX-XXX", "XXXX", "ZONE",
    ]
    for name in others { table[name] = .nothing }
    return table
  }()

  /// Returns the candidates for a placeholder of help, such as "FILE", "auto|off", "[NAME…]" or
  /// "TARGET[/CHARACTERISTIC]…"; nil if a part of it is not in the table.
  package init?(placeholder: String) {
    var result = ValueCandidates.nothing
    for part in Self.bare(placeholder).split(separator: "|", omittingEmptySubsequences: false) {
      if isWord(part) {
        result = result.united(with: .words([String(part)]))
      } else if let candidates = Self.table[String(part)] {
        result = result.united(with: candidates)
      } else {
        return nil
      }
    }
    self = result
  }

  /// Returns the placeholder without "…", and without brackets and text in brackets after it.
  static func bare(_ placeholder: String) -> String {
    var text = placeholder[...]
    while text.hasPrefix("[") { text.removeFirst() }
    while text.hasSuffix("…") || text.hasSuffix("]") { text.removeLast() }
    return String(text.prefix { $0 != "[" })
  }

  /// Returns the candidates of two alternatives. Files and folders include every word, because no placeholder of a
  /// program has both.
  func united(with other: ValueCandidates) -> ValueCandidates {
    switch (self, other) {
    case (.nothing, _): other
    case (.words(let first), .words(let second)): .words(first + second.filter { !first.contains($0) })
    case (.words, .nothing): self
    case (.words, _): other
    default: self
    }
  }
}

/// Whether the part of a placeholder is a word of the command line: "auto", "add-to".
private func isWord(_ part: some StringProtocol) -> Bool {
  part.first?.isLowercase == true && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
}

/// The place of the profiles that come with hapsim, relative to a folder above the program.
package enum ProfileFolder {
  /// The folder of an installation, then that of a checkout.
  package static let paths = ["share/hapsim/Profiles", "Profiles"]
  /// The file by which the folder is recognized.
  package static let mark = "schema.json"
  package static let suffix = ".hasaccessory"
}
