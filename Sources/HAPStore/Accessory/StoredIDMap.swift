/// The ids an accessory has given out, so that they stay the same over restarts and edits and a freed one is never reused.
///
/// A scope is a space of numbers with a counter of its own: one for the aids, one for the iids of each aid. Which scopes and
/// keys there are is the profile's business; here they are text.
package struct StoredIDMap: Equatable, Sendable {
  package struct Scope: Equatable, Sendable {
    package var ids: [String: UInt64]
    /// The next number to give out: above all that were given out by counting, also those freed since.
    package var next: UInt64

    package init(ids: [String: UInt64] = [:], next: UInt64 = 1) {
      self.ids = ids
      self.next = next
    }
  }
  package var scopes: [String: Scope]

  package init(scopes: [String: Scope] = [:]) { self.scopes = scopes }

  /// The id of `key`, given out now if it has none.
  ///
  /// - Returns: `nil` when all 2⁶⁴−1 numbers are spent.
  package mutating func assign(_ key: String, in name: String) -> UInt64? {
    var scope = scopes[name] ?? Scope()
    if let id = scope.ids[key] { return id }
    let taken = Set(scope.ids.values)  // explicit ids may lie above the counter
    var id = scope.next
    while id == 0 || taken.contains(id) {
      guard id < .max else { return nil }
      id += 1
    }
    guard id < .max else { return nil }
    scope.ids[key] = id
    scope.next = id + 1
    scopes[name] = scope
    return id
  }
}
