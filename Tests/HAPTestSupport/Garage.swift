import HAPModel

extension Characteristic {
  package static func make(_ iid: UInt64, _ definition: CharacteristicDefinition, _ value: Value) -> Characteristic {
    Characteristic(
      iid: iid, type: definition.type, format: definition.format, perms: definition.perms, value: value,
      unit: definition.unit, constraints: definition.constraints)
  }
}

/// A garage with a door (iid 8…), a lamp (20…), a lock (30…) and a door behind a bridge (aid 2).
package enum Garage {
  package static let door = AttributeID(aid: 1, iid: 8), current = AttributeID(aid: 1, iid: 9)
  package static let target = AttributeID(aid: 1, iid: 10), obstruction = AttributeID(aid: 1, iid: 11)
  package static let lamp = AttributeID(aid: 1, iid: 20), on = AttributeID(aid: 1, iid: 21),
    fadeRate = AttributeID(aid: 1, iid: 22)
  package static let lock = AttributeID(aid: 1, iid: 30), lockCurrent = AttributeID(aid: 1, iid: 31)
  package static let lockTarget = AttributeID(aid: 1, iid: 32)
  package static let otherDoor = AttributeID(aid: 2, iid: 8), otherObstruction = AttributeID(aid: 2, iid: 11)

  package static func database(
    current: Value = 1, target: Value = 1, obstruction: Value = false, lockCurrent: Value = 1, lockTarget: Value = 1,
    isBridge: Bool = false
  ) -> AttributeDatabase {
    let door = Service(
      iid: 8, type: ServiceDefinition.garageDoorOpener.type,
      characteristics: [
        .make(9, .currentDoorState, current), .make(10, .targetDoorState, target),
        .make(11, .obstructionDetected, obstruction), .make(12, .name, "Big Door"),
      ])
    let lamp = Service(
      iid: 20, type: ServiceDefinition.lightBulb.type,
      characteristics: [
        .make(21, .on, false),
        Characteristic(
          iid: 22, type: TypeID("7E536242-341C-4862-BE90-272CE15BD633")!, format: .float,
          perms: [.pairedRead, .pairedWrite, .events], value: 1.5, description: "Fade Rate",
          constraints: Constraints(minValue: 0, maxValue: 10, minStep: 0.1)),
        .make(23, .name, "Lamp"),
      ])
    let lock = Service(
      iid: 30, type: ServiceDefinition.lockMechanism.type,
      characteristics: [.make(31, .lockCurrentState, lockCurrent), .make(32, .lockTargetState, lockTarget)])
    var accessories = [Accessory(aid: 1, services: [door, lamp, lock])]
    if isBridge { accessories.append(Accessory(aid: 2, services: [door])) }
    return try! AttributeDatabase(accessories)
  }
}
