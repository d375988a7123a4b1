import HAPWire

/// The procedures that a case judges for other cases, and the cases that may be the cause when it fails.
package struct CaseCauses: Equatable, Sendable {
  /// A case whose failure explains a failure of this one, because both send the same stimulus.
  package struct Precursor: Equatable, Sendable {
    /// "PV-06".
    package var id: String
    /// Why this case fails as well, in one sentence.
    package var reason: String
  }

  /// Procedures that this case judges: other cases that use them are blocked when it fails.
  package var owns: [Procedure] = []
  /// Procedures that each step of this case may use, besides those that the steps show.
  package var uses: [Procedure] = []
  /// Precursors in the order of the suite.
  package var after: [Precursor] = []

  /// Whether a faulty accessory can be in another state after this case. If so, a case that runs later is not taken
  /// as the cause of this case's failure.
  package var isLasting = false

  package init() {}

  static let members = [
    ShapeMember(
      "owns", .list(.word(Procedure.allCases.map(\.rawValue))),
      "procedures that this case judges; if this case fails, it blocks cases that fail in one of these procedures"),
    ShapeMember(
      "uses", .list(.word(Procedure.allCases.map(\.rawValue))),
      "procedures that the case uses, besides those that its steps show"),
    ShapeMember(
      "after", .map(.text),
      "cases whose stimulus this one contains, each with the reason; when one of them fails, this one is blocked by it"
    ),
    ShapeMember(
      "lasting", .bool,
      "whether this case can change the state of a faulty accessory; then only cases that ran before it can block it"
    ),
  ]

  /// Reads the members from a case that fits the description in `members`.
  init(_ node: JSONNode) {
    owns = (node["owns"]?.elements ?? []).compactMap { $0.stringValue.flatMap(Procedure.init(rawValue:)) }
    uses = (node["uses"]?.elements ?? []).compactMap { $0.stringValue.flatMap(Procedure.init(rawValue:)) }
    isLasting = node["lasting"]?.boolValue ?? false
    after = (node["after"]?.members ?? []).map { Precursor(id: $0.name, reason: $0.value.stringValue ?? "") }
  }
}

/// The behaviour of a known stack in a case.
package struct KnownStack: Equatable, Sendable {
  /// "HomeKitADK".
  package var name: String
  /// "Error 6".
  package var behaviour: String
  /// The place in its source that shows this: "fb201f9 HAP/HAPPairingPairings.c:210"; `nil`: not checked against a source.
  package var source: String?

  static let shape = Shape.either([
    .text,
    .object([
      ShapeMember("does", .text, required: true, "how it behaves"),
      ShapeMember(
        "at", .either([.text, .list(.text)]), required: true,
        "the place in its source that shows this: file and line, at the revision that the suite's `revisions` name"),
    ]),
  ])

  /// - Parameters:
  ///   - member: a member of `stacks` that fits `shape`.
  ///   - revisions: the suite's `revisions`, by stack.
  /// - Returns: `nil` if the member does not fit.
  init?(_ member: JSONNode.Member, _ revisions: JSONNode?) {
    name = member.name
    if let text = member.value.stringValue {
      behaviour = text
      return
    }
    guard let text = member.value["does"]?.stringValue, let at = member.value["at"] else { return nil }
    behaviour = text
    let places = (at.elements ?? [at]).compactMap(\.stringValue)
    source = ([revisions?[name]?.stringValue ?? ""] + places).filter { !$0.isEmpty }.joined(separator: " ")
  }
}
