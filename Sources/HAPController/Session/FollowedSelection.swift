import HAPIP
import HAPModel
import HAPTransport

/// The subscriptions that a selection yields in each database of an accessory.
package struct FollowedSelection {
  private let select: @Sendable (AttributeDatabase) -> [AttributeID]
  private var database: AttributeDatabase
  /// The characteristics of a new database that have no subscription yet.
  private(set) package var pending: [AttributeID] = []

  /// - Parameters:
  ///   - database: the database of the present subscriptions.
  ///   - select: returns the characteristics of a database to subscribe to.
  package init(in database: AttributeDatabase, _ select: @escaping @Sendable (AttributeDatabase) -> [AttributeID]) {
    self.database = database
    self.select = select
  }

  /// Receives a database that was read again. Its new characteristics are pending.
  /// - Returns: whether its structure has changed.
  package mutating func take(_ new: AttributeDatabase) -> Bool {
    let known = Set(select(database))
    let isOther = !database.hasStructure(of: new)
    database = new
    guard isOther else { return false }
    pending = pending.filter { new.slot(of: $0) != nil }
    pending += select(new).filter { !known.contains($0) && !pending.contains($0) }
    return true
  }

  /// Subscribes to all pending characteristics. After a connection error they stay pending, because the next connection
  /// may succeed.
  /// - Returns: the characteristics that the accessory refused, and the connection error.
  package mutating func subscribe(
    by subscribe: ([AttributeID]) async throws(ControllerError) -> [CharacteristicResult]
  ) async -> (refused: [CharacteristicResult], error: ControllerError?) {
    guard !pending.isEmpty else { return ([], nil) }
    do throws(ControllerError) {
      let refused = try await subscribe(pending)
      pending = []
      return (refused, nil)
    } catch { return ([], error) }
  }
}
