import Foundation
import HAPHome

/// A room of a home. HMRoom
public final class HMRoom: NSObject, HomeKitObject {
  let handle: Handle<Room>
  init(_ handle: Handle<Room>) { self.handle = handle }

  /// The name, unique in the home.
  public var name: String { handle.record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }

  /// The accessories in the room.
  public var accessories: [HMAccessory] {
    guard let session = handle.liveSession, let home = handle.homeRecord else { return [] }
    return home.accessories.filter { $0.room == handle.id }.map { session.accessory($0, in: home.id) }
  }

  /// Renames the room.
  /// - Throws: 29 for the room for the entire home; 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the room.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }
}
