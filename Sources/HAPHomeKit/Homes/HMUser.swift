import Foundation
import HAPHome

/// A user of a home. HMUser
public final class HMUser: NSObject, HomeKitObject {
  let handle: Handle<HomeUser>
  init(_ handle: Handle<HomeUser>) { self.handle = handle }

  /// The name.
  public var name: String { handle.record.name }
  /// The identifier, which stays the same after relaunches. A person has another one in each home.
  public var uniqueIdentifier: UUID { handle.uuid }
}
