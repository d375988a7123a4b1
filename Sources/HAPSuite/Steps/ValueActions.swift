import HAPWire

/// A value that a pattern judges.
package struct ValueCheck: Equatable, Sendable {
  package var that: JSONNode
  package var pattern: JSONNode
  /// The text before the problem in a failure.
  package var reason: String?
  /// The stacks that behave otherwise. A value that does not fit is then accepted, but as not strict.
  package var deviation: String?

  /// - Parameter node: one check, or a list of them; resolved.
  static func list(_ node: JSONNode) throws(StepError) -> [ValueCheck] {
    var checks: [ValueCheck] = []
    for entry in node.elements ?? [node] {
      checks.append(
        ValueCheck(
          that: entry["that"] ?? JSONNode(.null), pattern: try entry.required("is"),
          reason: entry.optionalText("because"),
          deviation: entry.optionalText("deviation")))
    }
    return checks
  }
}

/// Rules of the lint that a database must follow.
package struct DatabaseRules: Equatable, Sendable {
  /// Rules by id or name.
  package var rules: [String]
  /// The bytes of the database; `nil`: the last database read.
  package var database: ByteRecipe?
  /// The bytes of a second reading.
  package var again: ByteRecipe?

  init(_ node: JSONNode) throws(StepError) {
    rules = try node.texts("rules")
    database = try node.bytes("of")
    again = try node.bytes("again")
  }
}

/// Two databases that are compared.
package struct DatabaseComparison: Equatable, Sendable {
  package enum Aspect: String, CaseIterable, Sendable {
    /// Ids, types and metadata.
    case structure
    /// Ids that have changed their meaning.
    case reusedIDs = "reused-ids"
    case values
  }

  package var old: ByteRecipe
  package var new: ByteRecipe
  package var aspect: Aspect
  /// For `values`: a later reading. Only values that are equal in it and in `old` are judged.
  package var again: ByteRecipe?
  /// A variable for the list of differences. `nil`: a difference is a failure.
  package var save: String?

  init(_ node: JSONNode) throws(StepError) {
    old = try ByteRecipe(node.required("old"))
    new = try ByteRecipe(node.required("new"))
    aspect = try node.word("what") ?? .structure
    again = try node.bytes("again")
    save = node.optionalText("save")
  }
}
