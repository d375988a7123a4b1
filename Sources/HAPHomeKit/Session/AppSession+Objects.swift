import Foundation
import HAPHome
import HAPHubLink
import HAPModel

/// A class of HomeKit whose objects are parts of a home.
protocol HomeKitObject: NSObject, Sendable {
  associatedtype Record: HomeObject & Sendable
  init(_ handle: Handle<Record>)
}

extension AppSession {
  // MARK: The objects that the app has got

  /// Returns the one object for a record. It is made when the app first gets it.
  func object<Object: HomeKitObject>(_ type: Object.Type, _ record: Object.Record, _ path: HomePath) -> Object {
    state.withLock { state in
      if let known = state.objects[record.id]?.object as? Object { return known }
      // A change can have arrived after another thread read the record.
      let present = state.snapshot?.model.record(of: record.id, at: path) as? Object.Record
      let handle = Handle(present ?? record, path, self)
      let object = Object(handle)
      state.objects[record.id] = SessionObject(object: object, record: handle)
      return object
    }
  }

  /// Makes an object of the app, such as a new trigger, the one for a record.
  func adopt(_ object: any NSObject & Sendable, _ record: any SessionRecord, as id: HomeObjectID) {
    state.withLock { $0.objects[id] = SessionObject(object: object, record: record) }
  }

  /// Returns the object with an identifier, if the app has got it.
  func known<Object>(_ type: Object.Type, _ id: HomeObjectID) -> Object? {
    state.withLock { $0.objects[id]?.object as? Object }
  }

  // MARK: Homes

  var model: HomeModel { state.withLock { $0.snapshot?.model } ?? HomeModel() }

  func homeRecord(_ id: HomeObjectID) -> Home? { model.home(id) }

  func home(_ id: HomeObjectID) -> HMHome? {
    known(HMHome.self, id) ?? homeRecord(id).map { object(HMHome.self, $0, HomePath(home: id)) }
  }

  var homes: [HMHome] { model.homes.map { object(HMHome.self, $0, HomePath(home: $0.id)) } }

  // MARK: Parts of homes

  func room(_ record: Room, in home: HomeObjectID) -> HMRoom { object(HMRoom.self, record, HomePath(home: home)) }

  func zone(_ record: RoomZone, in home: HomeObjectID) -> HMZone { object(HMZone.self, record, HomePath(home: home)) }

  func group(_ record: ServiceGroup, in home: HomeObjectID) -> HMServiceGroup {
    object(HMServiceGroup.self, record, HomePath(home: home))
  }

  func accessory(_ record: HomeAccessory, in home: HomeObjectID) -> HMAccessory {
    object(HMAccessory.self, record, HomePath(home: home, accessory: record.id))
  }

  func service(_ record: HomeService, of accessory: HomeObjectID, in home: HomeObjectID) -> HMService {
    object(HMService.self, record, HomePath(home: home, accessory: accessory, service: record.id))
  }

  func characteristic(_ record: HomeCharacteristic, _ path: HomePath) -> HMCharacteristic {
    object(HMCharacteristic.self, record, path)
  }

  func actionSet(_ record: ActionSet, in home: HomeObjectID) -> HMActionSet {
    object(HMActionSet.self, record, HomePath(home: home))
  }

  func trigger(_ record: Trigger, in home: HomeObjectID) -> HMTrigger {
    if let known = known(HMTrigger.self, record.id) { return known }
    switch record.kind {
    case .timer: return object(HMTimerTrigger.self, record, HomePath(home: home))
    case .event: return object(HMEventTrigger.self, record, HomePath(home: home))
    }
  }

  func user(_ record: HomeUser, in home: HomeObjectID) -> HMUser { object(HMUser.self, record, HomePath(home: home)) }

  /// Returns a room of a home, also the one for the entire home.
  func room(_ id: HomeObjectID, in home: Home) -> HMRoom? { home.room(id).map { room($0, in: home.id) } }

  func accessory(_ id: HomeObjectID, in home: Home) -> HMAccessory? {
    home.accessories.find(id).map { accessory($0, in: home.id) }
  }

  /// Returns a characteristic of a home.
  func characteristic(_ id: HomeObjectID, in home: Home) -> HMCharacteristic? {
    if let known = known(HMCharacteristic.self, id) { return known }
    for accessory in home.accessories {
      for service in accessory.services {
        guard let record = service.characteristics.find(id) else { continue }
        return characteristic(record, HomePath(home: home.id, accessory: accessory.id, service: service.id))
      }
    }
    return nil
  }

  /// Returns a service of a home.
  func service(_ id: HomeObjectID, in home: Home) -> HMService? {
    if let known = known(HMService.self, id) { return known }
    for accessory in home.accessories {
      if let record = accessory.services.find(id) { return service(record, of: accessory.id, in: home.id) }
    }
    return nil
  }
}

extension HomeModel {
  /// The record of an object; nil: it does not exist any more.
  fileprivate func record(of id: HomeObjectID, at path: HomePath) -> (any HomeObject)? {
    guard let home = home(path.home) else { return nil }
    if id == path.home { return home }
    guard let accessory = path.accessory else { return home.part(id) }
    let device = home.accessories.find(accessory)
    if id == path.accessory { return device }
    let service = path.service.flatMap { device?.services.find($0) }
    return id == path.service ? service : service?.characteristics.find(id)
  }
}

extension Home {
  /// The room, zone, group, action set, trigger or user with this identifier.
  func part(_ id: HomeObjectID) -> (any HomeObject & Sendable)? {
    if let room = room(id) { return room }
    let lists: [[any HomeObject & Sendable]] = [zones, groups, actionSets, triggers, users]
    for list in lists { if let part = list.first(where: { $0.id == id }) { return part } }
    return nil
  }

  /// The room with this identifier, also the one for the entire home.
  func room(_ id: HomeObjectID) -> Room? { id == roomForEntireHome.id ? roomForEntireHome : rooms.find(id) }
}
