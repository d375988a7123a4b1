import HAPModel
import HAPWire

/// Many accessories of few kinds: so many copies of each profile, which differ by what is drawn for each.
package struct Fleet: Equatable, Sendable {
  /// For people; empty where it has none.
  package var name = ""
  /// What is drawn for copies comes from it; nil: 0, or as the command line says.
  package var seed: UInt64?
  /// From which copies have their keys and ids; nil: as the command line says, or by chance.
  package var identity: String?
  package var groups: [FleetGroup] = []

  /// Copies of one profile.
  package static let mostCopies = 10_000
  /// Copies of all groups together.
  package static let mostAccessories = 100_000
}

/// Copies of one profile.
package struct FleetGroup: Equatable, Sendable {
  /// Where it stands.
  package var node: JSONNode
  /// What its copies are kept by, and draw by; nil: the key of the profile.
  package var id: String?
  /// A path as it is written: from where the file is.
  package var profile: JSONNode
  /// 1…10 000.
  package var count = 1
  /// nil: the profile's name and the number.
  package var name: NamePattern?
  /// nil: the profile's, or each has its own.
  package var setupCode: SetupCode?
  package var behaviours: [Behaviour] = []
  package var faults: [Fault] = []

  /// Parameters for every service of a type.
  package struct Behaviour: Equatable, Sendable {
    /// As it is written: "LightBulb".
    package var service: String
    package var place: JSONNode
    package var parameters: SpreadNode
  }

  /// A fault that a share of the copies has from its start.
  package struct Fault: Equatable, Sendable {
    /// As scenarios and profiles have it.
    package var choice: SpreadNode
    /// 0…1.
    package var share = 1.0
  }
}

/// What copies are called: a text with `{n}`, the number of the copy, or `{n:4}`, the same with zeros in front, in it.
package struct NamePattern: Equatable, Sendable {
  private let before: String
  private let after: String
  private let width: Int

  /// - Throws: a sentence about what is wrong, `PatternProblem`.
  package init(_ text: String) throws(PatternProblem) {
    let pieces = text.split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false)
    guard pieces.count == 2 else { throw PatternProblem("{n}, the number of the copy, is missing in it") }
    let rest = pieces[1].split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
    guard rest.count == 2, !rest[1].contains(where: { $0 == "{" || $0 == "}" }), !pieces[0].contains("}") else {
      throw PatternProblem("one {n} is expected in it, and no other braces")
    }
    let words = rest[0].split(separator: ":", omittingEmptySubsequences: false)
    guard words[0] == "n", words.count <= 2 else {
      throw PatternProblem("{n} or {n:4} is expected in it, not {\(rest[0])}")
    }
    width = words.count == 2 ? Int(words[1]) ?? 0 : 1
    guard (1...9).contains(width) else { throw PatternProblem("a width of 1 to 9 is expected in {n:4}") }
    before = String(pieces[0])
    after = String(rest[1])
  }

  /// A name and a number, the name cut so that all of them have room: a name has 64 bytes.
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
