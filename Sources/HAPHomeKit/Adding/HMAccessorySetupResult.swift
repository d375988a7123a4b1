import Foundation

/// The accessories that were added. HMAccessorySetupResult
public final class HMAccessorySetupResult: NSObject, NSCopying, Sendable {
  /// The identifier of the home.
  public let homeUniqueIdentifier: UUID
  /// The identifiers of the accessories, a bridge before its bridged ones.
  public let accessoryUniqueIdentifiers: [UUID]

  init(home: UUID, accessories: [UUID]) {
    (homeUniqueIdentifier, accessoryUniqueIdentifiers) = (home, accessories)
  }

  /// Returns the result itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
