import HAPModel

/// The addresses of a service's characteristics, for its behaviour.
package struct DeviceService: Sendable {
  /// The service's own address.
  package let id: AttributeID
  package let type: TypeID
  private let characteristics: [TypeID: AttributeID]
  /// The other services of the accessory, in its order. Each of these has an empty list here.
  ///
  /// Private: a behaviour must find other services by a method that records them. Otherwise it continues with
  /// addresses of removed services.
  private var others: [Neighbour] = []
  /// Records the results of `companions`, `linked` and `others(where:)`; `nil`: they are not recorded.
  package var lookups: ServiceLookups?

  /// Another service of the same accessory.
  private struct Neighbour: Sendable {
    package let service: DeviceService
    /// Whether the service that contains this entry links to `service`.
    package let isLinked: Bool
    /// Whether `service` links to the service that contains this entry.
    package let linksHere: Bool
  }

  package init(id: AttributeID, type: TypeID, characteristics: [TypeID: AttributeID]) {
    self.id = id
    self.type = type
    self.characteristics = characteristics
  }

  /// If the service has two characteristics of one type, the first one is used.
  package init(_ entry: AttributeDatabase.ServiceEntry, in database: AttributeDatabase) {
    self.init(
      id: AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid), type: entry.type,
      characteristics: Dictionary(
        entry.slots.map { (database.characteristics[$0].type, database.id(ofSlot: $0)) },
        uniquingKeysWith: { a, _ in a }))
  }

  /// Returns `nil` if the service has no such characteristic.
  package subscript(_ definition: CharacteristicDefinition) -> AttributeID? { self[definition.type] }

  /// Returns `nil` if the service has no such characteristic.
  package subscript(_ type: TypeID) -> AttributeID? { characteristics[type] }

  /// Returns all services of one accessory. Each has the others as neighbours.
  package static func all(
    of accessory: AttributeDatabase.AccessoryEntry, in database: AttributeDatabase
  ) -> [DeviceService] {
    let entries = database.services[accessory.services]
    let alone = entries.map { DeviceService($0, in: database) }
    return zip(entries, alone).map { entry, service in
      var service = service
      for (other, otherService) in zip(entries, alone) where other.iid != entry.iid {
        service.others.append(
          Neighbour(
            service: otherService, isLinked: entry.linked.contains(other.iid),
            linksHere: other.linked.contains(entry.iid)))
      }
      return service
    }
  }

  /// Returns the linked services of a type. If none is linked, returns all services of the type in the accessory.
  package func companions(_ definition: ServiceDefinition) -> [DeviceService] {
    let all = others.filter { $0.service.type == definition.type }
    let linked = all.filter { $0.isLinked || $0.linksHere }
    return recorded((linked.isEmpty ? all : linked).map(\.service))
  }

  /// Returns the services of a type that this service is linked to, or that are linked to it.
  package func linked(_ definition: ServiceDefinition) -> [DeviceService] {
    recorded(others.filter { $0.service.type == definition.type && ($0.isLinked || $0.linksHere) }.map(\.service))
  }

  /// Returns the other services of the accessory that satisfy a condition, in its order.
  package func others(where isIncluded: (DeviceService) -> Bool) -> [DeviceService] {
    recorded(others.map(\.service).filter(isIncluded))
  }

  private func recorded(_ services: [DeviceService]) -> [DeviceService] {
    lookups?.record(services)
    return services
  }
}
