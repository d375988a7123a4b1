import HAPModel
import HAPWire

// Differences between the copies of one profile.
extension AccessoryProfile {
  /// Appends a number to serial numbers that the profile states. Serial numbers from the device ID already differ.
  /// - Parameter number: the number of the copy.
  package mutating func numberSerials(_ number: Int) {
    let tail = "-\(number)"
    changeInformation { draft in
      guard draft.characteristic.type == .serialNumber, !draft.isDerivedSerial,
        var serial = draft.characteristic.value.stringValue
      else { return }
      while serial.utf8.count + tail.utf8.count > 64 { serial.removeLast() }
      draft.characteristic.value = .string(serial + tail)
    }
  }

  private mutating func changeInformation(_ change: (inout CharacteristicDraft) -> Void) {
    for accessory in accessories.indices {
      for service in accessories[accessory].services.indices
      where accessories[accessory].services[service].type == .accessoryInformation {
        for index in accessories[accessory].services[service].characteristics.indices {
          change(&accessories[accessory].services[service].characteristics[index])
        }
      }
    }
  }

  /// The types of its services that can have a behaviour, without duplicates.
  package var behavingServices: [TypeID] {
    var types: [TypeID] = []
    for service in accessories.flatMap(\.services)
    where service.type != .accessoryInformation && service.type != .protocolInformation && !types.contains(service.type)
    {
      types.append(service.type)
    }
    return types
  }

  /// Returns the characteristics of each service of a type, and its behaviour after `parameters` override its own parameters.
  package func behaviours(
    of type: TypeID, with parameters: JSONNode
  ) -> [(node: JSONNode, characteristics: [Characteristic])] {
    accessories.flatMap(\.services).filter { $0.type == type }.map { service in
      (Self.joined(service.behaviour, parameters), service.characteristics.map(\.characteristic))
    }
  }

  /// Adds these behaviour parameters to every service of a type. They override the service's own ones.
  package mutating func setBehaviour(_ parameters: JSONNode, of type: TypeID) {
    for accessory in accessories.indices {
      for service in accessories[accessory].services.indices
      where accessories[accessory].services[service].type == type {
        let own = accessories[accessory].services[service].behaviour
        accessories[accessory].services[service].behaviour = Self.joined(own, parameters)
      }
    }
  }

  private static func joined(_ own: JSONNode?, _ other: JSONNode) -> JSONNode {
    guard let members = own?.members, let others = other.members else { return other }
    var joined = other
    joined.kind = .object(members.filter { member in !others.contains { $0.name == member.name } } + others)
    return joined
  }
}
