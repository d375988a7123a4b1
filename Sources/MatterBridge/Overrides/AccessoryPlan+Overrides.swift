import HAPModel
import HAPWire
import MatterModel

/// The choices of a profile in the plan. A choice that can't be followed is a problem, and has no effect.
extension AccessoryPlan {
  private func override(of service: Int) -> MappingOverrides.Service? {
    overrides.services[database.serviceID(at: service)]
  }

  func isLeftOut(_ service: Int) -> Bool { override(of: service)?.isLeftOut == true }

  /// The slots of the characteristics that the profile leaves out.
  mutating func takeLeftOut() -> Set<Int> {
    guard !overrides.isEmpty else { return [] }
    var leftOut: Set<Int> = []
    for service in database.services.indices {
      let isSilent = ServiceTable.silent[database.services[service].type] != nil
      if isSilent, let node = override(of: service)?.node { problems.append(node.problem(Self.silence)) }
      for slot in database.services[service].slots {
        guard let choice = overrides.characteristics[database.id(ofSlot: slot)] else { continue }
        if isSilent {
          problems.append(choice.node.problem(Self.silence))
        } else if choice.isLeftOut {
          leftOut.insert(slot)
        }
      }
    }
    return leftOut
  }

  private static let silence = "the service has no endpoint of its own, and Matter needs what it describes"

  /// The reason why a service is no endpoint, whatever its characteristics are; nil: it can be one.
  mutating func reasonAgainst(_ service: Int) -> String? {
    if isLeftOut(service) { return ServiceTable.leftOut }
    guard let reason = ServiceTable.refusals[database.services[service].type] else { return nil }
    refuseDeviceType(service, "the service has no Matter side, because \(reason)")
    return reason
  }

  mutating func refuseDeviceType(_ service: Int, _ reason: String) {
    if let choice = override(of: service)?.deviceType { problems.append(choice.node.problem(reason)) }
  }

  // MARK: Device types

  /// Follows the choice of a device type, and checks what characteristics that were left out have changed.
  /// - Parameter common: the clusters of each endpoint of a service.
  mutating func choose(
    _ service: Int, _ deviceTypes: inout [DeviceType], _ clusters: inout [ClusterPlan], _ common: [ClusterPlan]
  ) {
    if let choice = override(of: service)?.deviceType {
      let type = choice.definition
      let candidates = self.clusters(for: type, service, clusters)
      if let problem = Self.misfit(type, (candidates + common).map(\.shape.description)) {
        let names = fitting(service, clusters, common).map(\.name).joined(separator: ", ")
        let advice = names.isEmpty ? "no device type of the catalogue fits" : "these fit: \(names)"
        return problems.append(choice.node.problem("\(problem); \(advice)"))
      }
      clusters = candidates
      // It can be an additional type of the service already.
      deviceTypes =
        [DeviceType(type.id, revision: type.revision)] + deviceTypes.dropFirst().filter { $0.number != type.id }
    } else if database.services[service].slots.contains(where: leftOut.contains) {
      let found = Self.problems(deviceTypes, clusters + common)
      if !found.isEmpty { reportLosses(service, found) }
    }
  }

  /// Reports the first problem that each characteristic causes because it is left out.
  private mutating func reportLosses(_ service: Int, _ found: [ConformanceProblem]) {
    let slots = database.services[service].slots.filter(leftOut.contains)
    let before = deviations(of: service, with: slots)
    let withOne = slots.map { deviations(of: service, with: [$0]).filter { !before.contains($0) } }
    var reported: Set<Int> = []
    for problem in found where !before.contains(problem) {
      // With the characteristic that causes it, the problem is gone, and the service has no other ones instead.
      let causes = slots.indices.filter { !withOne[$0].contains(problem) }
      let cause = causes.min { withOne[$0].count < withOne[$1].count } ?? slots.startIndex
      let node = overrides.characteristics[database.id(ofSlot: slots[cause])]?.node
      if let node, reported.insert(cause).inserted { problems.append(node.problem("without it, \(problem)")) }
    }
  }

  private static func problems(_ types: [DeviceType], _ clusters: [ClusterPlan]) -> [ConformanceProblem] {
    EndpointConformance.problems(
      deviceTypes: types.map { ($0.number, $0.revision) }, clusters: clusters.map(\.shape.description))
  }

  /// Returns the deviations that a service would have if these characteristics were not left out.
  private mutating func deviations(of service: Int, with slots: [Int]) -> [ConformanceProblem] {
    let kept = leftOut
    leftOut.subtract(slots)
    defer { leftOut = kept }
    let (types, clusters) = usual(service)
    return Self.problems(types, clusters + commonClusters(service))
  }

  /// The device types of the catalogue that a service can have.
  mutating func fitting(
    _ service: Int, _ clusters: [ClusterPlan], _ common: [ClusterPlan]
  ) -> [DeviceTypeDefinition] {
    DeviceTypeDefinition.all.filter { type in
      Self.misfit(type, (self.clusters(for: type, service, clusters) + common).map(\.shape.description)) == nil
    }
  }

  /// The clusters of a service for a device type: the usual ones, and those that the type demands besides.
  private mutating func clusters(
    for type: DeviceTypeDefinition, _ service: Int, _ usual: [ClusterPlan]
  ) -> [ClusterPlan] {
    let present = usual.map(\.shape.description.id)
    let more = (ServiceTable.rows[database.services[service].type]?.onDemand ?? []) + [.groups]
    return usual
      + more.filter { type.clusters.contains($0.id) && !present.contains($0.id) }.compactMap { shape($0, service) }
      .map { ClusterPlan(shape: $0, service: service) }
  }

  /// The reason why clusters can't be an endpoint of a device type; nil: they can.
  static func misfit(_ type: DeviceTypeDefinition, _ clusters: [ClusterDescription]) -> String? {
    let ownClusters = type.clusters.filter { $0 != ClusterName.identify && $0 != ClusterName.groups }
    if ownClusters.isEmpty { return "the device type \(type.shown) is none of a service" }
    return EndpointConformance.problems(of: type, clusters: clusters).first?.description
  }

  // MARK: Places

  /// The clusters that the profile chooses for characteristics of a service, and the types of these characteristics.
  /// - Parameter used: the types that other clusters show.
  mutating func chosenClusters(
    _ service: Int, _ used: Set<TypeID>
  ) -> (types: Set<TypeID>, clusters: [ClusterPlan]) {
    var places: [ClusterID: [(number: UInt32, characteristic: Characteristic)]] = [:]
    var types: Set<TypeID> = []
    for slot in database.services[service].slots {
      guard let place = overrides.characteristics[database.id(ofSlot: slot)]?.place else { continue }
      let characteristic = database.characteristics[slot]
      let cluster = place.clusterID(of: vendor)
      if let obstacle = obstacle(to: place, of: characteristic, used) {
        problems.append(place.node.problem(obstacle))
      } else if hasEarlier(slot, of: service) {
        let kind = place.isCommand ? "command" : "attribute"
        problems.append(
          place.node.problem(
            "the \(kind) \(place.number.digits) of the cluster \(cluster.digits) can't be chosen, because an earlier "
              + "characteristic of the service has the same type; choose a place for that one only"))
      } else if places[cluster]?.contains(where: {
        $0.number == place.number && $0.characteristic.perms.contains(.pairedRead) != place.isCommand
      }) == true {
        problems.append(
          place.node.problem(
            "another characteristic of the service has the same place in the cluster \(cluster.digits)"))
      } else {
        types.insert(characteristic.type)
        places[cluster, default: []].append((place.number, characteristic))
      }
    }
    let view = view(of: service)
    let clusters = places.sorted { $0.key < $1.key }.compactMap { cluster, numbered in
      ClusterShape(VendorCluster.template(cluster, numbered), of: view).map { ClusterPlan(shape: $0, service: service) }
    }
    return (types, clusters)
  }

  /// Returns whether another characteristic of the type precedes one. Clusters use the first one.
  private func hasEarlier(_ slot: Int, of service: Int) -> Bool {
    let type = database.characteristics[slot].type
    return database.services[service].slots.prefix { $0 < slot }
      .contains { database.characteristics[$0].type == type && !leftOut.contains($0) }
  }

  private func obstacle(to place: ChosenPlace, of characteristic: Characteristic, _ used: Set<TypeID>) -> String? {
    if used.contains(characteristic.type) { return "a cluster of Matter shows the characteristic already" }
    if let reason = characteristic.obstacleInVendorCluster { return "it has no Matter side, because \(reason)" }
    let isReadable = characteristic.perms.contains(.pairedRead)
    if place.isCommand, isReadable { return "a characteristic that can be read is an \"attribute\"" }
    if !place.isCommand, !isReadable { return "a characteristic that can't be read is a \"command\"" }
    return nil
  }

  /// Reports that the cluster of a chosen place can't be added to an endpoint.
  mutating func refuse(_ cluster: ClusterPlan, _ reason: String) {
    let places = database.services[cluster.service].slots.compactMap { slot in
      overrides.characteristics[database.id(ofSlot: slot)]?.place
    }
    let place = places.first { $0.clusterID(of: vendor) == cluster.shape.description.id }
    if let place { problems.append(place.node.problem(reason)) }
  }
}
