import Foundation
import HAPHome

/// A zone of a home: any number of rooms, such as a floor. HMZone
public final class HMZone: NSObject, HomeKitObject {
  let handle: Handle<RoomZone>
  init(_ handle: Handle<RoomZone>) { self.handle = handle }

  /// The name, unique in the home.
  public var name: String { handle.record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }

  /// The rooms, in the order in which they were added.
  public var rooms: [HMRoom] {
    guard let session = handle.liveSession, let home = handle.homeRecord else { return [] }
    return handle.record.rooms.compactMap { session.room($0, in: home) }
  }

  /// Renames the zone.
  /// - Throws: 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the zone.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Adds a room, which can be in several zones.
  /// - Throws: 24 for the room for the entire home; 1 for a room that is in the zone; 11 for a room of another home.
  public func addRoom(_ room: HMRoom, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.addRoomToZone(room: room.handle.id, zone: handle.id), with: room, completion)
  }

  /// Adds a room.
  /// - Throws: as the form with a handler.
  public func addRoom(_ room: HMRoom) async throws { try await awaiting { addRoom(room, completionHandler: $0) } }

  /// Removes a room from the zone. It stays in the home.
  /// - Throws: 2 for a room that is not in the zone.
  public func removeRoom(_ room: HMRoom, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.removeRoomFromZone(room: room.handle.id, zone: handle.id), with: room, completion)
  }

  /// Removes a room from the zone.
  /// - Throws: as the form with a handler.
  public func removeRoom(_ room: HMRoom) async throws { try await awaiting { removeRoom(room, completionHandler: $0) } }

  private func perform(_ command: HomeCommand, with room: HMRoom, _ done: @escaping ((any Error)?) -> Void) {
    if let problem = handle.home?.problem(with: room.handle) { return AppSession.refuse(problem) { done($0.error) } }
    handle.perform(command, done)
  }
}
