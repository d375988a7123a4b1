import HAPIP
import HAPModel
import HAPTransport

/// Characteristics of a new database that a session is not yet subscribed to.
package struct PendingSubscriptions {
  private(set) package var ids: [AttributeID] = []

  package init() {}

  /// Adds characteristics. Those that the database no longer has are removed.
  package mutating func add(_ new: [AttributeID], in database: AttributeDatabase) {
    ids = ids.filter { database.slot(of: $0) != nil }
    ids += new.filter { !ids.contains($0) }
  }

  /// Subscribes to all of them. After an error of the connection they stay pending, because the next connection may succeed.
  /// - Returns: the entries that the accessory refused, and such an error.
  package mutating func subscribe(
    by subscribe: ([AttributeID]) async throws -> [CharacteristicEntry]
  ) async throws -> (refused: [CharacteristicEntry], error: ClientError?) {
    guard !ids.isEmpty else { return ([], nil) }
    do {
      let refused = try await subscribe(ids)
      ids = []
      return (refused, nil)
    } catch let error as ClientError { return ([], error) }
  }
}
