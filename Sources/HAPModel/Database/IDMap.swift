/// The assigned IDs by key, so that they stay the same across restarts and edits (DB.14).
///
/// A scope is a number space: "aid", and one for the iids of each accessory ("iid " and the accessory's key). The
/// profile defines the keys and chooses the numbers; the store keeps the map from one build to the next.
public struct IDMap: Hashable, Sendable {
  /// A number space.
  public struct Scope: Hashable, Sendable {
    /// The assigned numbers by key.
    public var ids: [String: UInt64]
    /// The next number to assign: above all numbers that were assigned by counting, including those that were freed.
    public var next: UInt64

    /// Creates a scope; an empty one counts from 1.
    public init(ids: [String: UInt64] = [:], next: UInt64 = 1) {
      self.ids = ids
      self.next = next
    }
  }

  /// The scopes by name.
  public var scopes: [String: Scope]

  /// Creates a map; an empty one is for an accessory that was never served.
  public init(scopes: [String: Scope] = [:]) { self.scopes = scopes }
}
