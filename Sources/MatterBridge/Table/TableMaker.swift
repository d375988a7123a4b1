import HAPModel
import MatterModel

/// Makes the table of a node. Reads its constants.
struct TableMaker {
  private let node: MappedAccessory
  private let path: (AttributeID) -> String?

  /// - Parameter path: returns the place of a service or a characteristic in the profile.
  init(_ node: MappedAccessory, path: @escaping (AttributeID) -> String?) { (self.node, self.path) = (node, path) }

  var table: MappingTable {
    var table = MappingTable()
    table.endpoints = node.endpoints.compactMap { node.parts[$0] }.map { endpoint($0) }
    for mapping in node.services {
      if case .endpoint(let number, _, _) = mapping.result {
        table.services.append((place(of: AttributeID(aid: mapping.aid, iid: mapping.iid), mapping.type), number))
      }
    }
    table.omissions = omissions
    return table
  }

  private var database: AttributeDatabase { node.server.database }

  // MARK: Places

  private func place(of id: AttributeID, _ service: TypeID) -> MappingTable.Place {
    MappingTable.Place(
      id: id, type: service, name: Catalogue.service(service)?.identifier ?? service.wireForm, path: path(id))
  }

  private func place(ofService service: Int) -> MappingTable.Place {
    place(of: database.serviceID(at: service), database.services[service].type)
  }

  private func place(ofSlot slot: Int) -> MappingTable.Place {
    let (id, type) = (database.id(ofSlot: slot), database.characteristics[slot].type)
    return MappingTable.Place(id: id, type: type, name: type.shown, path: path(id))
  }

  private func places(_ types: some Sequence<TypeID>, inService service: Int) -> [MappingTable.Place] {
    let types = Set(types)
    var seen: Set<TypeID> = []
    return database.services[service].slots.filter { slot in
      let type = database.characteristics[slot].type
      return types.contains(type) && !node.leftOut.contains(slot) && seen.insert(type).inserted
    }.map { place(ofSlot: $0) }
  }

  // MARK: Endpoints

  private func endpoint(_ part: MappedEndpoint) -> MappingTable.Endpoint {
    let types = part.plan.deviceTypes
    return MappingTable.Endpoint(
      number: part.number, aid: part.plan.aid, service: part.plan.service.map { place(ofService: $0) },
      deviceTypes: types.map { type in
        MappingTable.Named(number: type.number, name: DeviceTypeDefinition.all.first { $0.id == type.number }?.name)
      },
      parts: part.plan.parts, clusters: part.clusters.map { cluster($0, in: part) },
      problems: EndpointConformance.problems(
        deviceTypes: types.map { ($0.number, $0.revision) }, clusters: part.clusters.map(\.shape.description)))
  }

  private func cluster(_ cluster: MappedCluster, in part: MappedEndpoint) -> MappingTable.Cluster {
    let (description, template) = (cluster.shape.description, cluster.shape.template)
    let definition = description.definition
    let attributes = description.attributes.compactMap { attribute in
      cluster.shape.attribute(attribute.number).map { binding in
        row(binding, attribute, definition, ClusterAccess(accessory: node, endpoint: part, cluster: cluster))
      }
    }
    let listed = Set(attributes.flatMap(\.sources).map(\.type))
    let used = cluster.shape.used.union(template.events.map(\.source)).subtracting(listed)
    let isDescriptor = description.id == ClusterName.descriptor
    return MappingTable.Cluster(
      id: description.id, name: definition?.name,
      features: (definition?.features ?? []).filter { description.features & $0.mask != 0 }.map(\.code),
      service: isDescriptor && part.plan.service == nil ? nil : place(ofService: cluster.service),
      attributes: attributes,
      commands: description.commands.map { command in
        MappingTable.Named(
          number: command.number,
          name: definition?.commands.first { $0.description.number == command.number }?.name)
      },
      events: description.events.map { event in
        MappingTable.Named(
          number: event.number, name: definition?.events.first { $0.description.number == event.number }?.name)
      }, others: places(used, inService: cluster.service))
  }

  private func row(
    _ binding: AttributeBinding, _ attribute: ClusterDescription.Attribute, _ definition: ClusterDefinition?,
    _ access: ClusterAccess
  ) -> MappingTable.Attribute {
    MappingTable.Attribute(
      number: attribute.number,
      name: definition?.attributes.first { $0.description.number == attribute.number }?.name,
      sources: places(binding.characteristics, inService: access.cluster.service), conversion: binding.conversion,
      value: binding.conversion == nil ? binding.read.flatMap { try? $0(access) } : nil,
      isWritable: attribute.write != nil)
  }

  // MARK: Omissions

  private var omissions: [MappingTable.Omission] {
    var omissions: [MappingTable.Omission] = []
    var shown: [Int: Set<TypeID>] = [:]
    for part in node.parts.values {
      for cluster in part.clusters {
        let sources = cluster.shape.template.events.map(\.source)
        shown[cluster.service, default: []].formUnion(cluster.shape.used.union(sources))
      }
    }
    var reasons: [AttributeID: String] = [:]
    for mapping in node.services {
      if case .none(let reason) = mapping.result { reasons[AttributeID(aid: mapping.aid, iid: mapping.iid)] = reason }
    }
    for service in database.services.indices {
      let place = place(ofService: service)
      if let reason = reasons[place.id] ?? ServiceTable.silent[place.type] {
        omissions.append(MappingTable.Omission(place: place, isService: true, reason: reason))
        continue
      }
      for slot in database.services[service].slots {
        let characteristic = database.characteristics[slot]
        let isLeftOut = node.leftOut.contains(slot)
        guard isLeftOut || shown[service]?.contains(characteristic.type) != true else { continue }
        let reason = isLeftOut ? ServiceTable.leftOut : characteristic.obstacleInVendorCluster
        omissions.append(
          MappingTable.Omission(
            place: self.place(ofSlot: slot), isService: false, reason: reason ?? ServiceTable.noVendorNumber))
      }
    }
    return omissions
  }
}

extension AttributeBinding {
  /// The characteristics of which it is computed, or that a write writes.
  var characteristics: [TypeID] { sources + alsoOf + mentions + targets }
}
