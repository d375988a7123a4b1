import HAPWire

/// An entry of a library: a fault, or a defect.
package protocol LibraryEntry: Identifiable, Sendable where ID == String {
  /// "fault": for messages. The command that lists the entries has the plural as its name.
  static var kind: String { get }
}

/// The faults, or the defects, that can be chosen from.
package struct DeviationLibrary<Entry: LibraryEntry>: Sendable {
  package let entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  /// - Parameter problems: of the files that the program contains; there are none.
  init(builtIn entries: [Entry], problems: [String]) {
    precondition(problems.isEmpty, "built-in \(Entry.kind)s: \(problems.joined(separator: "\n"))")
    self.entries = entries
  }

  package subscript(_ id: String) -> Entry? { entries.first { $0.id == id } }

  /// "there is no fault …" with the nearest.
  package func unknown(_ id: String) -> String {
    let nearest = nearestName(to: id, in: entries.map(\.id)).map { ": did you mean \"\($0)\"?" }
    return "there is no \(Entry.kind) \"\(id)\"" + (nearest ?? "; hapsim \(Entry.kind)s lists them")
  }
}
