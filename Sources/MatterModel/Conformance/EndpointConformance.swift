/// A deviation of an endpoint from the catalogue.
package struct ConformanceProblem: Hashable, Sendable, CustomStringConvertible {
  /// The cluster that it is about; nil: a device type.
  package var cluster: ClusterID?
  /// A clause without a full stop, such as "the cluster 0006 OnOff has no command 02 Toggle, which …".
  package var description: String
}

/// An endpoint compared with the catalogue: the clusters and elements that its device types demand, and the elements that
/// its clusters demand. Device types and clusters of vendors have no rules.
package struct EndpointConformance {
  private var problems: [ConformanceProblem] = []
  private let clusters: [ClusterDescription]

  private init(_ clusters: [ClusterDescription]) { self.clusters = clusters }

  /// - Parameter deviceTypes: with their revisions.
  package static func problems(
    deviceTypes: [(number: UInt32, revision: UInt16)], clusters: [ClusterDescription]
  ) -> [ConformanceProblem] {
    var conformance = EndpointConformance(clusters)
    if deviceTypes.isEmpty { conformance.report(nil, "the endpoint has no device type") }
    for type in deviceTypes where type.number <= UInt32(UInt16.max) { conformance.check(type.number, type.revision) }
    for cluster in clusters where cluster.id <= UInt32(UInt16.max) { conformance.check(cluster) }
    return conformance.problems
  }

  /// Returns the demands of a device type that clusters do not meet.
  package static func problems(of type: DeviceTypeDefinition, clusters: [ClusterDescription]) -> [ConformanceProblem] {
    var conformance = EndpointConformance(clusters)
    conformance.check(type.id, type.revision)
    return conformance.problems
  }

  private mutating func report(_ cluster: ClusterID?, _ description: String) {
    problems.append(ConformanceProblem(cluster: cluster, description: description))
  }

  // MARK: Device types

  private mutating func check(_ number: UInt32, _ revision: UInt16) {
    guard let type = DeviceTypeDefinition.all.first(where: { $0.id == number }) else {
      return report(nil, "the catalogue has no device type \(number.digits)")
    }
    let title = "the device type \(type.shown)"
    if type.revision != revision { report(nil, "\(title) has the revision \(revision), not \(type.revision)") }
    if type.isClient { report(nil, "\(title) demands clusters of a client, and a HAP accessory has none") }
    let ids = Set(clusters.map(\.id))
    let demands = type.requirements.map { row in
      Demanded(
        name: "the cluster \(row.cluster.clusterName)", demand: row.conformance.demand(where: Self.condition),
        isPresent: ids.contains(row.cluster))
    }
    for deviation in Demanded.deviations(demands) { report(nil, "\(title) \(deviation)") }
    for row in type.requirements { checkElements(row, title) }
  }

  /// The conditions of device types are about the device, and the catalogue does not define them; that it speaks Matter,
  /// and no older protocol, is the only one that is known.
  private static func condition(_ name: String) -> Bool? { name == "Matter" ? true : nil }

  private mutating func checkElements(_ row: DeviceTypeDefinition.Requirement, _ title: String) {
    guard let cluster = clusters.first(where: { $0.id == row.cluster }), let definition = cluster.definition else {
      return
    }
    let there = Elements(cluster, definition)
    let demands = row.elements.map { element in
      Demanded(
        name: "the \(element.kind.rawValue) \(element.name) of the cluster \(row.cluster.clusterName)",
        demand: element.conformance.demand { there.holds($0) ?? Self.condition($0) },
        isPresent: there.has(element.kind, element.name))
    }
    for deviation in Demanded.deviations(demands) { report(row.cluster, "\(title) \(deviation)") }
  }

  // MARK: Clusters

  private mutating func check(_ cluster: ClusterDescription) {
    guard let definition = cluster.definition else {
      return report(cluster.id, "the catalogue has no cluster \(cluster.id.digits)")
    }
    let title = "the cluster \(cluster.id.clusterName)"
    if cluster.revision != definition.revision {
      report(cluster.id, "\(title) has the revision \(cluster.revision), not \(definition.revision)")
    }
    let there = Elements(cluster, definition)
    func demanded(_ what: String, _ rows: [(name: String, conformance: Conformance, isPresent: Bool)]) -> [String] {
      Demanded.deviations(
        rows.map { row in
          Demanded(
            name: "the \(what) \(row.name)", demand: row.conformance.demand(where: there.holds),
            isPresent: row.isPresent)
        })
    }
    let deviations =
      demanded(
        "feature", definition.features.map { ($0.shown, $0.conformance, cluster.features & $0.mask != 0) })
      + demanded(
        "attribute", definition.attributes.map { ($0.shown, $0.conformance, there.has(.attribute, $0.name)) })
      + demanded("command", definition.commands.map { ($0.shown, $0.conformance, there.has(.command, $0.name)) })
      + demanded("event", definition.events.map { ($0.shown, $0.conformance, there.has(.event, $0.name)) })
    for deviation in deviations { report(cluster.id, "\(title) \(deviation)") }
    for name in unknown(cluster, definition) { report(cluster.id, "\(title) does not allow \(name)") }
  }

  /// The elements that the catalogue does not know. Those above FFFF are a vendor's, and global attributes are not listed.
  private func unknown(_ cluster: ClusterDescription, _ definition: ClusterDefinition) -> [String] {
    func others(_ what: String, _ numbers: [UInt32], _ known: [UInt32]) -> [String] {
      numbers.filter { $0 <= UInt32(UInt16.max) && !known.contains($0) }.map { "the \(what) \($0.digits)" }
    }
    let features = cluster.features & ~definition.features.reduce(0) { $0 | $1.mask }
    return others("attribute", cluster.attributes.map(\.number), definition.attributes.map(\.description.number))
      + others("command", cluster.commands.map(\.number), definition.commands.map(\.description.number))
      + others("event", cluster.events.map(\.number), definition.events.map(\.description.number))
      + (features == 0 ? [] : ["the features \(features.digits)"])
  }
}

/// A cluster or an element with the demand on it.
private struct Demanded {
  let name: String
  let demand: Conformance.Demand
  let isPresent: Bool

  /// Returns the missing and the disallowed ones: "demands the cluster 0006 OnOff".
  static func deviations(_ rows: [Demanded]) -> [String] {
    var groups: [Character: (atLeastOne: Bool, rows: [Demanded])] = [:]
    var deviations: [String] = []
    for row in rows {
      switch row.demand {
      case .mandatory: if !row.isPresent { deviations.append("demands \(row.name)") }
      case .notAllowed: if row.isPresent { deviations.append("does not allow \(row.name)") }
      case .choice(let group, let atLeastOne): groups[group, default: (atLeastOne, [])].rows.append(row)
      case .optional: break
      }
    }
    for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
      let count = group.rows.count { $0.isPresent }
      // A member that another condition makes mandatory is no longer in the group, and there already.
      guard count != 1, !(group.atLeastOne && count > 1) else { continue }
      let names = group.rows.map(\.name).joined(separator: ", ")
      deviations.append("demands \(group.atLeastOne ? "at least" : "exactly") one of \(names)")
    }
    return deviations
  }
}

/// The features and elements that a cluster has, by name.
private struct Elements {
  private let definition: ClusterDefinition
  private let features: UInt32
  private let names: [DeviceTypeDefinition.Element.Kind: Set<String>]

  init(_ cluster: ClusterDescription, _ definition: ClusterDefinition) {
    (self.definition, features) = (definition, cluster.features)
    let attributes = Set(cluster.attributes.map(\.number))
    let commands = Set(cluster.commands.map(\.number))
    let events = Set(cluster.events.map(\.number))
    names = [
      .feature: Set(definition.features.filter { cluster.features & $0.mask != 0 }.map(\.code)),
      .attribute: Set(definition.attributes.filter { attributes.contains($0.description.number) }.map(\.name)),
      .command: Set(definition.commands.filter { commands.contains($0.description.number) }.map(\.name)),
      .event: Set(definition.events.filter { events.contains($0.description.number) }.map(\.name)),
    ]
  }

  func has(_ kind: DeviceTypeDefinition.Element.Kind, _ name: String) -> Bool { names[kind]?.contains(name) == true }

  /// - Returns: nil: the cluster has no feature and no element of this name.
  func holds(_ name: String) -> Bool? {
    if definition.features.contains(where: { $0.code == name }) { return has(.feature, name) }
    let isKnown =
      definition.attributes.contains { $0.name == name } || definition.commands.contains { $0.name == name }
      || definition.events.contains { $0.name == name }
    guard isKnown else { return nil }
    return has(.attribute, name) || has(.command, name) || has(.event, name)
  }
}
