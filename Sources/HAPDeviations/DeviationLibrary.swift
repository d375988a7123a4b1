import HAPWire

/// An entry of a library: a fault, or a defect.
package protocol LibraryEntry: Identifiable, Sendable where ID == String {
  /// "fault", used in messages. The command that lists the entries is named by its plural.
  static var kind: String { get }
}

/// The faults or the defects to choose from.
package struct DeviationLibrary<Entry: LibraryEntry>: Sendable {
  package let entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  /// - Parameter problems: the problems of the built-in files; must be empty.
  init(builtIn entries: [Entry], problems: [String]) {
    precondition(problems.isEmpty, "built-in \(Entry.kind)s: \(problems.joined(separator: "\n"))")
    self.entries = entries
  }

  package subscript(_ id: String) -> Entry? { entries.first { $0.id == id } }

  /// Returns "there is no fault …" with the nearest name.
  package func unknown(_ id: String) -> String {
    let nearest = nearestName(to: id, in: entries.map(\.id)).map { ": did you mean \"\($0)\"?" }
    return "there is no \(Entry.kind) \"\(id)\"" + (nearest ?? "; hapsim \(Entry.kind)s lists them")
  }
}
