import HAPModel
import HAPWire
import MatterModel

/// A cluster that an endpoint will have.
struct ClusterPlan {
  let shape: ClusterShape
  /// The service, as a position in the database.
  let service: Int
}

/// An endpoint that the node will have.
struct EndpointPlan {
  let number: EndpointNumber
  /// nil: the aggregator.
  var aid: UInt64?
  /// The service, as a position in the database; nil: an aggregator or an accessory.
  var service: Int?
  var deviceTypes: [DeviceType] = []
  /// Sorted.
  var parts: [EndpointNumber] = []
  /// The endpoints that the battery of this endpoint powers.
  var powered: [EndpointNumber] = []
  var clusters: [ClusterPlan] = []
}

/// The endpoints of a database: which services become which endpoints and clusters.
package struct AccessoryPlan {
  /// Sorted by number.
  private(set) var endpoints: [EndpointPlan] = []
  /// All services except those that describe the accessory itself, in the order of the database.
  package private(set) var services: [ServiceMapping] = []
  /// The characteristics that the profile leaves out, as slots.
  var leftOut: Set<Int> = []
  /// The choices of the profile that can't be followed.
  package internal(set) var problems: [JSONProblem]

  let database: AttributeDatabase
  let overrides: MappingOverrides
  /// The vendor of device types and clusters that Matter does not know.
  let vendor: UInt16
  private var shapes: [ShapeKey: ClusterShape] = [:]

  /// Services with equal characteristics share their shapes.
  private struct ShapeKey: Hashable {
    var cluster: ClusterID
    var service: TypeID
    var types: [TypeID]
    var perms: [Permissions]
    var constraints: [Constraints]
  }

  /// - Parameter numbers: receives the numbers of new endpoints, clusters and attributes.
  package init(
    _ database: AttributeDatabase, _ overrides: MappingOverrides = MappingOverrides(), vendor: UInt16,
    numbers: inout EndpointNumbers
  ) {
    (self.database, self.overrides, self.vendor) = (database, overrides, vendor)
    problems = overrides.problems
    leftOut = takeLeftOut()
    let isBridge = database.accessoryEntries.count > 1 || numbers.endpoints[.aggregator] != nil
    var aggregator: EndpointPlan?
    if isBridge, let number = numbers.endpoint(for: .aggregator) {
      aggregator = EndpointPlan(number: number, deviceTypes: [.aggregator])
    }
    for (index, entry) in database.accessoryEntries.enumerated() {
      var planned = plan(entry, &numbers)
      if index > 0 { bridge(&planned, entry, &numbers) }
      if index > 0 { aggregator?.parts += planned.map(\.number) }
      endpoints += planned
    }
    if var aggregator {
      aggregator.parts.sort()
      endpoints.append(aggregator)
    }
    endpoints = endpoints.map { finished($0) }.sorted { $0.number < $1.number }
    shapes = [:]
  }

  // MARK: One accessory

  /// The endpoints of the services of an accessory, the primary service first.
  private mutating func plan(
    _ entry: AttributeDatabase.AccessoryEntry, _ numbers: inout EndpointNumbers
  ) -> [EndpointPlan] {
    var planned: [EndpointPlan] = []
    var mappings: [Int: ServiceMapping.Result] = [:]
    let services = entry.services.filter { ServiceTable.silent[database.services[$0].type] == nil }
    let primary = services.filter { database.services[$0].isPrimary }
    let ordered = primary + services.filter { !database.services[$0].isPrimary }
    for service in ordered where ServiceTable.attachments[database.services[service].type] == nil {
      mappings[service] = add(service, of: entry, to: &planned, &numbers)
    }
    for service in ordered {
      guard let attachment = ServiceTable.attachments[database.services[service].type] else { continue }
      mappings[service] = attach(service, attachment, of: entry, to: &planned, &numbers)
    }
    link(&planned)
    self.services += services.map { service in
      let described = database.services[service]
      return ServiceMapping(
        aid: entry.aid, iid: described.iid, type: described.type, result: mappings[service] ?? .none("it is empty"))
    }
    return planned
  }

  /// Adds the endpoint of a service.
  private mutating func add(
    _ service: Int, of entry: AttributeDatabase.AccessoryEntry, to planned: inout [EndpointPlan],
    _ numbers: inout EndpointNumbers
  ) -> ServiceMapping.Result {
    if let reason = reasonAgainst(service) { return .none(reason) }
    let described = database.services[service]
    var (deviceTypes, clusters) = usual(service)
    let common = commonClusters(service)
    if !overrides.isEmpty { choose(service, &deviceTypes, &clusters, common) }
    let hasBattery = entry.services.contains {
      database.services[$0].type == ServiceTable.battery && !isLeftOut($0)
    }
    if !hasBattery, let shape = shape(.battery, service) {
      clusters.append(ClusterPlan(shape: shape, service: service))
      deviceTypes.append(.powerSource)
    }
    clusters += vendorClusters(service, without: clusters, &numbers)
    guard !clusters.isEmpty else { return .none(ServiceTable.nothingToShow) }
    guard let number = numbers.endpoint(for: .service(AttributeID(aid: entry.aid, iid: described.iid))) else {
      return .none(ServiceTable.noNumber)
    }
    let shown = clusters.map(\.shape.description.id).filter { $0 != ClusterName.groups }.sorted()
    clusters += common
    var endpoint = EndpointPlan(
      number: number, aid: entry.aid, service: service, deviceTypes: deviceTypes, clusters: clusters)
    if deviceTypes.contains(.powerSource) { endpoint.powered = [number] }
    planned.append(endpoint)
    return .endpoint(number, deviceTypes[0], clusters: shown)
  }

  /// Adds a service to the first endpoint that can have it, or as an endpoint of its own if there is none.
  private mutating func attach(
    _ service: Int, _ attachment: Attachment, of entry: AttributeDatabase.AccessoryEntry,
    to planned: inout [EndpointPlan], _ numbers: inout EndpointNumbers
  ) -> ServiceMapping.Result {
    if isLeftOut(service) { return .none(ServiceTable.leftOut) }
    let host = planned.firstIndex { endpoint in
      guard let owner = endpoint.service else { return false }
      return attachment.hosts.isEmpty || attachment.hosts.contains(database.services[owner].type)
    }
    guard let host, let shape = shape(attachment.cluster, service),
      !planned[host].clusters.contains(where: { $0.shape.description.id == shape.description.id })
    else { return add(service, of: entry, to: &planned, &numbers) }
    refuseDeviceType(service, "the service is a part of another service's endpoint")
    var clusters = [ClusterPlan(shape: shape, service: service)]
    clusters += vendorClusters(service, without: clusters, &numbers).filter { cluster in
      let isNew = !planned[host].clusters.contains { $0.shape.description.id == cluster.shape.description.id }
      if !isNew { refuse(cluster, "another service of the endpoint has this cluster") }
      return isNew
    }
    planned[host].clusters += clusters
    if let type = attachment.deviceType { planned[host].deviceTypes.append(type) }
    if attachment.deviceType == .powerSource { planned[host].powered = planned.map(\.number).sorted() }
    let shown = clusters.map(\.shape.description.id)
    return .endpoint(planned[host].number, attachment.deviceType ?? planned[host].deviceTypes[0], clusters: shown)
  }

  /// Makes linked services the parts of their parents.
  private func link(_ planned: inout [EndpointPlan]) {
    for index in planned.indices {
      guard let service = planned[index].service, ServiceTable.parents.contains(database.services[service].type)
      else { continue }
      let linked = database.services[service].linked
      let parts = planned.filter { part in
        part.number != planned[index].number && part.service.map { linked.contains(database.services[$0].iid) } == true
      }
      planned[index].parts = parts.map(\.number).sorted()
    }
  }

  /// Makes the endpoints of a bridged accessory one endpoint with its description: the only one, or a parent.
  private mutating func bridge(
    _ planned: inout [EndpointPlan], _ entry: AttributeDatabase.AccessoryEntry, _ numbers: inout EndpointNumbers
  ) {
    let description = informationShape(.bridgedInformation, of: entry).map { [$0] } ?? []
    if planned.count == 1 {
      planned[0].deviceTypes.append(.bridgedNode)
      planned[0].clusters += description
    } else if let number = numbers.endpoint(for: .accessory(aid: entry.aid)) {
      let nested = Set(planned.flatMap(\.parts))
      planned.append(
        EndpointPlan(
          number: number, aid: entry.aid, deviceTypes: [.bridgedNode],
          parts: planned.map(\.number).filter { !nested.contains($0) }.sorted(), clusters: description))
    }
  }

  // MARK: Clusters

  func view(of service: Int) -> ServiceView {
    ServiceView(database.services[service], in: database, without: leftOut)
  }

  mutating func shape(_ template: ClusterTemplate, _ service: Int) -> ClusterShape? {
    let view = view(of: service)
    let characteristics = view.characteristics
    let key = ShapeKey(
      cluster: template.id, service: database.services[service].type, types: characteristics.map(\.type),
      perms: characteristics.map(\.perms), constraints: characteristics.map(\.constraints))
    if let shape = shapes[key] { return shape }
    let shape = ClusterShape(template, of: view)
    shapes[key] = shape
    return shape
  }

  /// The device types and the clusters of a service by the table.
  mutating func usual(_ service: Int) -> (deviceTypes: [DeviceType], clusters: [ClusterPlan]) {
    let row = ServiceTable.rows[database.services[service].type]
    let clusters = (row?.clusters ?? []).compactMap { shape($0, service) }
      .map { ClusterPlan(shape: $0, service: service) }
    return ((clusters.isEmpty ? nil : row?.deviceTypes(view(of: service))) ?? [.own(of: vendor)], clusters)
  }

  /// The clusters of each endpoint of a service, besides those of its values.
  mutating func commonClusters(_ service: Int) -> [ClusterPlan] {
    let entry = database.accessoryEntries[database.services[service].accessory]
    let descriptor = shape(.descriptor, service).map { ClusterPlan(shape: $0, service: service) }
    return [informationShape(.identify, of: entry), descriptor].compactMap(\.self)
  }

  /// A cluster of the accessory information.
  private mutating func informationShape(
    _ template: ClusterTemplate, of entry: AttributeDatabase.AccessoryEntry
  ) -> ClusterPlan? {
    guard let service = entry.services.first(where: { database.services[$0].type == ServiceTable.information }) else {
      return nil
    }
    return shape(template, service).map { ClusterPlan(shape: $0, service: service) }
  }

  /// The clusters of the characteristics that other clusters leave: those that the profile chooses, and the numbered one.
  private mutating func vendorClusters(
    _ service: Int, without clusters: [ClusterPlan], _ numbers: inout EndpointNumbers
  ) -> [ClusterPlan] {
    let described = database.services[service]
    let view = view(of: service)
    let used = clusters.reduce(into: Set<TypeID>()) { $0.formUnion($1.shape.used) }
    let chosen = overrides.isEmpty ? (types: [], clusters: []) : chosenClusters(service, used)
    let rest = view.characteristics.filter {
      !used.contains($0.type) && !chosen.types.contains($0.type) && $0.obstacleInVendorCluster == nil
    }
    guard !rest.isEmpty,
      let template = VendorCluster.template(for: rest, of: described.type, vendor: vendor, numbers: &numbers),
      let shape = ClusterShape(template, of: view)
    else { return chosen.clusters }
    return chosen.clusters + [ClusterPlan(shape: shape, service: service)]
  }

  /// Returns the endpoint with its descriptor, and with its clusters in order.
  private mutating func finished(_ endpoint: EndpointPlan) -> EndpointPlan {
    var endpoint = endpoint
    // An endpoint without a service of its own shows no label, so its descriptor can be that of any service.
    if endpoint.service == nil, !database.services.isEmpty, let shape = shape(.descriptor, 0) {
      endpoint.clusters.append(ClusterPlan(shape: shape, service: 0))
    }
    endpoint.clusters.sort { $0.shape.description.id < $1.shape.description.id }
    return endpoint
  }
}

extension AttributeDatabase {
  /// Returns the identifiers of a service.
  /// - Parameter service: the position.
  func serviceID(at service: Int) -> AttributeID {
    AttributeID(aid: accessoryEntries[services[service].accessory].aid, iid: services[service].iid)
  }
}

extension Characteristic {
  /// The reason why a controller of another system can't use it; nil: it can.
  var obstacleInVendorCluster: String? {
    if let reason = ServiceTable.omittedCharacteristics[type] { return reason }
    if perms.isDisjoint(with: [.pairedRead, .pairedWrite]) { return ServiceTable.neitherReadNorWritten }
    return type.isAppleDefined && format.isBytes ? ServiceTable.messages : nil
  }
}
