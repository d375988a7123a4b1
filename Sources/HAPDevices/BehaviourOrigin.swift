import HAPModel
import Synchronization

/// Everything that a behaviour was made from: its service, its parameters, and the services that it looked up.
///
/// If the origin is the same in the new profile, the behaviour continues when the profile is replaced.
package struct BehaviourOrigin: Equatable {
  private let parameters: BehaviourParameters
  private let service: ServiceShape?
  private let lookedUp: [[ServiceShape?]]

  /// - Parameter shapes: the shapes of all services of the database.
  package init(
    _ service: DeviceService, _ parameters: BehaviourParameters, _ lookups: ServiceLookups,
    _ shapes: [AttributeID: ServiceShape]
  ) {
    self.parameters = parameters
    self.service = shapes[service.id]
    lookedUp = lookups.results.map { $0.map { shapes[$0.id] } }
  }
}

/// A service as behaviours see it. Names and descriptions are only displayed, so they may change.
package struct ServiceShape: Equatable {
  private struct Member: Equatable {
    let id: AttributeID
    let type: TypeID
    let format: Format
    let constraints: Constraints
    let value: Value
  }
  private let id: AttributeID
  private let type: TypeID
  private let linked: [UInt64]
  private let members: [Member]

  private static let names = [CharacteristicDefinition.name.type, CharacteristicDefinition.configuredName.type]

  private init(_ id: AttributeID, _ entry: AttributeDatabase.ServiceEntry, in database: AttributeDatabase) {
    self.id = id
    type = entry.type
    linked = entry.linked
    members = entry.slots.map { slot in
      let characteristic = database.characteristics[slot]
      return Member(
        id: database.id(ofSlot: slot), type: characteristic.type, format: characteristic.format,
        constraints: characteristic.constraints,
        value: Self.names.contains(characteristic.type) ? .null : characteristic.value)
    }
  }

  /// Returns the shapes of all services, by their addresses.
  package static func all(in database: AttributeDatabase) -> [AttributeID: ServiceShape] {
    var shapes: [AttributeID: ServiceShape] = [:]
    for entry in database.services {
      let id = AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid)
      shapes[id] = ServiceShape(id, entry, in: database)
    }
    return shapes
  }
}

/// Records which other services a behaviour looks up while it is made.
package final class ServiceLookups: Sendable {
  private let found = Mutex<[[DeviceService]]>([])

  /// The result of each lookup, in order.
  package var results: [[DeviceService]] { found.withLock { $0 } }

  package func record(_ services: [DeviceService]) { found.withLock { $0.append(services) } }
}
