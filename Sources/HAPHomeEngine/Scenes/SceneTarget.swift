import HAPHome
import HAPModel

/// A characteristic that an execution writes.
struct SceneTarget {
  /// The accessory in the home.
  let accessory: HomeObjectID
  /// The name of the accessory, for messages.
  let accessoryName: HomeName
  /// Whether the accessory is behind a bridge.
  let isBridged: Bool
  let device: DeviceID
  let aid: UInt64
  let characteristic: HomeCharacteristic

  /// The accessory and the characteristic in a request.
  var id: AttributeID { AttributeID(aid: aid, iid: characteristic.iid) }

  func error(_ code: HomeError.Code, _ reason: String) -> HomeError {
    HomeError(code, nil, "write of \(characteristic.displayName) of \"\(accessoryName)\": \(reason)")
  }
}

extension Home {
  /// Returns the characteristics with these identifiers, in one pass.
  func targets(_ ids: Set<HomeObjectID>) -> [HomeObjectID: SceneTarget] {
    var found: [HomeObjectID: SceneTarget] = [:]
    for accessory in accessories {
      for service in accessory.services {
        for characteristic in service.characteristics where ids.contains(characteristic.id) {
          found[characteristic.id] = SceneTarget(
            accessory: accessory.id, accessoryName: accessory.name, isBridged: accessory.bridge != nil,
            device: accessory.deviceID, aid: accessory.aid, characteristic: characteristic)
        }
      }
      if found.count == ids.count { break }
    }
    return found
  }
}
