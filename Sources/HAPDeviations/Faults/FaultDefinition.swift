import HAPModel
import HAPWire

/// A way in which the world around an accessory goes wrong, or the accessory itself for a while: data, with parameters. See docs/faults.md.
package struct FaultDefinition: Sendable {
  /// Small letters, digits and `-`.
  package let name: String
  /// One sentence.
  package let what: String
  /// Numbers of the reports from the field that it repeats.
  package let reports: [Int]
  package let parameters: [FaultParameter]
  /// It is over as soon as it has happened.
  package let isOneShot: Bool
  /// Its sections as written, with `$parameter` where a parameter's value goes.
  let body: JSONNode

  /// Whether it can be limited to some connections. Rules and the network know connections; what is done to frames, to the record or to the device does not.
  package var isForConnections: Bool {
    if Self.alterations.contains(where: { $0 != "rules" && body[$0] != nil }) { return false }
    return body["rules"] != nil || body["network"].map { $0["refuse-beyond"] == nil } ?? false
  }

  package func parameter(_ name: String) -> FaultParameter? { parameters.first { $0.name == name } }
}

/// Something that can be said of a fault.
package struct FaultParameter: Sendable {
  package enum Kind: Sendable {
    /// At least so long.
    case duration(from: Duration)
    /// In this range.
    case count(ClosedRange<Int128>)
    case text
    /// One of these words.
    case choice([String])
  }

  package let name: String
  package let kind: Kind
  package let what: String
  /// As it is written.
  package let standard: Value
  /// The value of each choice in the fault's body.
  let meanings: [JSONNode]

  /// As `--fault` takes it.
  package var standardText: String { standard.word }

  /// "duration", "1 to 1000", "M2, M4 or M6", for lists.
  package var expectation: String {
    switch kind {
    case .duration(let least):
      least > .zero ? "a duration such as 2s, \(least.milliseconds)ms at least" : "a duration such as 500ms or 2s"
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
