import HAPIP
import HAPModel
import HAPTransport

/// Subscriptions to what a selection means in each database of an accessory.
package struct FollowedSelection {
  private let select: @Sendable (AttributeDatabase) -> [AttributeID]
  private var database: AttributeDatabase
  /// Characteristics of a new database without a subscription yet.
  private(set) package var pending: [AttributeID] = []

  /// - Parameters:
  ///   - database: the one with the present subscriptions.
  ///   - select: the characteristics to subscribe to in a database.
  package init(in database: AttributeDatabase, _ select: @escaping @Sendable (AttributeDatabase) -> [AttributeID]) {
    self.database = database
    self.select = select
  }

  /// Takes a database that was read again. Its new characteristics are pending.
  /// - Returns: whether its structure is another one.
  package mutating func take(_ new: AttributeDatabase) -> Bool {
    let known = Set(select(database))
    let isOther = database.structure != new.structure
    database = new
    guard isOther else { return false }
    pending = pending.filter { new.slot(of: $0) != nil }
    pending += select(new).filter { !known.contains($0) && !pending.contains($0) }
    return true
  }

  /// Subscribes to all that are pending. After an error of the connection they stay pending, because the next connection may succeed.
  /// - Returns: what the accessory refused, and such an error.
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
