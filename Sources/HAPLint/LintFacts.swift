import HAPModel

/// Facts that the database itself does not show.
package struct LintFacts: Sendable {
  /// The advertised category (`ci`). `nil`: not known; the rules about it are skipped.
  package var category: Int?
  /// The characteristics that were null in a second read. `nil`: there was no second read, and a null is not judged.
  package var nullAgain: Set<AttributeID>?
  /// Whether the accessory itself sent this text over IP. A recording may be of a Thread or Bluetooth device, which never wrote JSON.
  package var isReadOverIP: Bool

  package init(category: Int? = nil, nullAgain: Set<AttributeID>? = nil, isReadOverIP: Bool = false) {
    self.category = category
    self.nullAgain = nullAgain
    self.isReadOverIP = isReadOverIP
  }
}
