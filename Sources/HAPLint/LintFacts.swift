import HAPModel

/// What a linter can't see in the database itself.
package struct LintFacts: Sendable {
  /// The category that is advertised (`ci`). Nil: not known, and nothing is said about it.
  package var category: Int?
  /// Which characteristics were null when they were read again. Nil: nobody read again, and a null is not judged.
  package var nullAgain: Set<AttributeID>?
  /// Whether the accessory itself sent this text over IP. A recording may be of a device on Thread or Bluetooth, which never wrote JSON.
  package var isReadOverIP: Bool

  package init(category: Int? = nil, nullAgain: Set<AttributeID>? = nil, isReadOverIP: Bool = false) {
    self.category = category
    self.nullAgain = nullAgain
    self.isReadOverIP = isReadOverIP
  }
}
