import HAPModel
import HAPWire

/// A failure of an accessory or of its environment for a time, as data with parameters. See docs/reference/faults.md.
package struct FaultDefinition: Sendable {
  /// Lowercase letters, digits and `-`.
  package let name: String
  /// A description in one sentence.
  package let what: String
  /// The numbers of the field reports that it reproduces.
  package let reports: [Int]
  package let parameters: [FaultParameter]
  /// Whether it ends as soon as it has happened.
  package let isOneShot: Bool
  /// Its sections as written, with `$parameter` for the value of a parameter.
  let body: JSONNode

  /// Whether it can be limited to some connections. Rules and network faults can; changes to frames, the record or the
  /// device can't.
  package var isForConnections: Bool {
    if Self.alterations.contains(where: { $0 != "rules" && body[$0] != nil }) { return false }
    return body["rules"] != nil || body["network"].map { $0["refuse-beyond"] == nil } ?? false
  }

  package func parameter(_ name: String) -> FaultParameter? { parameters.first { $0.name == name } }
}

/// A parameter of a fault.
package struct FaultParameter: Sendable {
  package enum Kind: Sendable {
    /// A duration of at least this.
    case duration(from: Duration)
    /// A number in this range.
    case count(ClosedRange<Int128>)
    case text
    /// One of these words.
    case choice([String])
  }

  package let name: String
  package let kind: Kind
  package let what: String
  /// The default, as written.
  package let standard: Value
  /// The value of each choice in the fault's body.
  let meanings: [JSONNode]

  /// The default in the form for `--fault`.
  package var standardText: String { standard.word }

  /// The accepted values, for lists: "duration", "1 to 1000", "M2, M4 or M6".
  package var expectation: String {
    switch kind {
    case .duration(let least):
      least > .zero ? "a duration such as 2s, at least \(least.milliseconds)ms" : "a duration such as 500ms or 2s"
    case .count(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .text: "a text"
    case .choice(let choices):
      choices.count == 1
        ? choices[0] : "\(choices.dropLast().joined(separator: ", ")) or \(choices[choices.count - 1])"
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
