import HAPModel
import HAPWire

/// Many accessories from a few profiles: a number of copies of each profile, with parameters drawn at random for each copy.
package struct Fleet: Equatable, Sendable {
  /// A name for the user; empty if there is none.
  package var name = ""
  /// The random seed for the copies; nil: the seed of the command line, or 0.
  package var seed: UInt64?
  /// The text that the keys and ids of copies are derived from; nil: the text of the command line, or they are random.
  package var identity: String?
  package var groups: [FleetGroup] = []

  /// The limit for copies of one profile.
  package static let mostCopies = 10_000
  /// The limit for copies of all groups together.
  package static let mostAccessories = 100_000
}

/// Copies of one profile.
package struct FleetGroup: Equatable, Sendable {
  /// Its place in the document.
  package var node: JSONNode
  /// The key under which the state of its copies is stored, and part of the random seed; nil: the key of the profile.
  package var id: String?
  /// The path as written, relative to the file.
  package var profile: JSONNode
  /// 1…10 000.
  package var count = 1
  /// nil: the profile's name and the number.
  package var name: NamePattern?
  /// nil: the profile's code, or a different one for each copy.
  package var setupCode: SetupCode?
  package var behaviours: [Behaviour] = []
  package var faults: [Fault] = []

  /// Parameters for every service of a type.
  package struct Behaviour: Equatable, Sendable {
    /// The type as written: "LightBulb".
    package var service: String
    package var place: JSONNode
    package var parameters: Distribution
  }

  /// A fault that is active from the start in a share of the copies.
  package struct Fault: Equatable, Sendable {
    /// In the form used by scenarios and profiles.
    package var choice: Distribution
    /// 0…1.
    package var share = 1.0
  }
}

/// A pattern for the names of copies: a text with `{n}`, the number of the copy, or `{n:4}`, the number with leading zeros.
package struct NamePattern: Equatable, Sendable {
  private let before: String
  private let after: String
  private let width: Int

  /// - Throws: `PatternProblem`, with a sentence about the error.
  package init(_ text: String) throws(PatternProblem) {
    let pieces = text.split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false)
    guard pieces.count == 2 else { throw PatternProblem("{n}, the number of the copy, is missing") }
    let rest = pieces[1].split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
    guard rest.count == 2, !rest[1].contains(where: { $0 == "{" || $0 == "}" }), !pieces[0].contains("}") else {
      throw PatternProblem("exactly one {n} and no other braces are expected")
    }
    let words = rest[0].split(separator: ":", omittingEmptySubsequences: false)
    guard words[0] == "n", words.count <= 2 else {
      throw PatternProblem("{n} or {n:4} is expected, not {\(rest[0])}")
    }
    width = words.count == 2 ? Int(words[1]) ?? 0 : 1
    guard (1...9).contains(width) else { throw PatternProblem("a width of 1 to 9 is expected in {n:4}") }
    before = String(pieces[0])
    after = String(rest[1])
  }

  /// A name and a number. The name is shortened so that each result fits into the 64 bytes of a name.
  package init(of name: String, count: Int) {
    var name = name
    while name.utf8.count + 1 + "\(count)".utf8.count > 64 { name.removeLast() }
    before = name + " "
    after = ""
    width = 1
  }

  package func name(_ number: Int) -> String {
    let digits = "\(number)"
    return before + String(repeating: "0", count: max(0, width - digits.count)) + digits + after
  }

  package struct PatternProblem: Error, Equatable {
    package let message: String
    init(_ message: String) { self.message = message }
  }
}
