/// The ids that were given out, by what they were given to, so that they stay over restarts and edits (DB.14).
///
/// A scope is a space of numbers: "aid", and one for the iids of each accessory ("iid " and the accessory's key). What the keys are made of,
/// and how numbers are chosen, is the profile's business; the store keeps the map from one build to the next.
public struct IDMap: Hashable, Sendable {
  /// One space of numbers.
  public struct Scope: Hashable, Sendable {
    /// Who has which number.
    public var ids: [String: UInt64]
    /// The next number to give out: above all that were given out by counting, those freed since too.
    public var next: UInt64

    /// An empty one counts from 1.
    public init(ids: [String: UInt64] = [:], next: UInt64 = 1) {
      self.ids = ids
      self.next = next
    }
  }

  /// By name.
  public var scopes: [String: Scope]

  /// An empty one for an accessory that was never served.
  public init(scopes: [String: Scope] = [:]) { self.scopes = scopes }
}
