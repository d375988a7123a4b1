/// The ids an accessory has given out, so that they stay the same over restarts and edits and a freed one is never reused.
///
/// A scope is a space of numbers with a counter of its own: one for the aids, one for the iids of each aid. Which scopes and
/// keys there are and how numbers are chosen, is the profile's business; here they are kept.
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
}
