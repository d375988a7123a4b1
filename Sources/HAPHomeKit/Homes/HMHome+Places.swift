import Foundation
import HAPHome

extension HMHome {
  // MARK: Rooms

  /// The rooms, without the one for the entire home.
  public var rooms: [HMRoom] { objects(record.rooms) { $0.room($1, in: $2) } }

  /// Adds a room.
  /// - Throws: 31 for a name that something in the home has; 35, 36, 60 for characters; 49 for too many rooms.
  public func addRoom(
    withName roomName: String, completionHandler completion: @escaping (HMRoom?, (any Error)?) -> Void
  ) {
    let id = handle.id
    add(.addRoom(home: id, name: roomName), completion) {
      if case .roomAdded(let room) = $1 { $0.room(room, in: id) } else { nil }
    }
  }

  /// Adds a room.
  /// - Throws: as the form with a handler.
  public func addRoom(named roomName: String) async throws -> HMRoom {
    try await awaiting { addRoom(withName: roomName, completionHandler: $0) }
  }

  /// Removes a room. Its accessories come to the room for the entire home.
  public func removeRoom(_ room: HMRoom, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.removeRoom(room.handle.id), with: room.handle, completion)
  }

  /// Removes a room.
  /// - Throws: as the form with a handler.
  public func removeRoom(_ room: HMRoom) async throws {
    try await awaiting { removeRoom(room, completionHandler: $0) }
  }

  /// The room of accessories that are in no other room. It can be neither removed nor put into a zone.
  public func roomForEntireHome() -> HMRoom {
    guard let session else { return HMRoom(handle.detached(record.roomForEntireHome)) }
    return session.room(record.roomForEntireHome, in: handle.id)
  }

  // MARK: Zones

  /// The zones.
  public var zones: [HMZone] { objects(record.zones) { $0.zone($1, in: $2) } }

  /// Adds a zone: a group of rooms, such as a floor.
  /// - Throws: as ``addRoom(withName:completionHandler:)``.
  public func addZone(
    withName zoneName: String, completionHandler completion: @escaping (HMZone?, (any Error)?) -> Void
  ) {
    let id = handle.id
    add(.addZone(home: id, name: zoneName), completion) {
      if case .zoneAdded(let zone) = $1 { $0.zone(zone, in: id) } else { nil }
    }
  }

  /// Adds a zone.
  /// - Throws: as the form with a handler.
  public func addZone(named zoneName: String) async throws -> HMZone {
    try await awaiting { addZone(withName: zoneName, completionHandler: $0) }
  }

  /// Removes a zone. Its rooms stay.
  public func removeZone(_ zone: HMZone, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.removeZone(zone.handle.id), with: zone.handle, completion)
  }

  /// Removes a zone.
  /// - Throws: as the form with a handler.
  public func removeZone(_ zone: HMZone) async throws {
    try await awaiting { removeZone(zone, completionHandler: $0) }
  }

  // MARK: Service groups

  /// The service groups.
  public var serviceGroups: [HMServiceGroup] { objects(record.groups) { $0.group($1, in: $2) } }

  /// Adds a service group.
  /// - Throws: as ``addRoom(withName:completionHandler:)``.
  public func addServiceGroup(
    withName serviceGroupName: String,
    completionHandler completion: @escaping (HMServiceGroup?, (any Error)?) -> Void
  ) {
    let id = handle.id
    add(.addGroup(home: id, name: serviceGroupName), completion) {
      if case .groupAdded(let group) = $1 { $0.group(group, in: id) } else { nil }
    }
  }

  /// Adds a service group.
  /// - Throws: as the form with a handler.
  public func addServiceGroup(named serviceGroupName: String) async throws -> HMServiceGroup {
    try await awaiting { addServiceGroup(withName: serviceGroupName, completionHandler: $0) }
  }

  /// Removes a service group. Its services stay.
  public func removeServiceGroup(
    _ group: HMServiceGroup, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    perform(.removeGroup(group.handle.id), with: group.handle, completion)
  }

  /// Removes a service group.
  /// - Throws: as the form with a handler.
  public func removeServiceGroup(_ group: HMServiceGroup) async throws {
    try await awaiting { removeServiceGroup(group, completionHandler: $0) }
  }

  /// Returns the objects for records of the home; none after the end of the manager.
  func objects<Record, Object>(
    _ records: [Record], _ make: (AppSession, Record, HomeObjectID) -> Object
  ) -> [Object] {
    guard let session else { return [] }
    return records.map { make(session, $0, handle.id) }
  }
}
