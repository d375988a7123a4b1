/// A device type of the specification. The rows are generated from `Catalogue/matter.json`.
package struct DeviceTypeDefinition: Hashable, Sendable {
  /// The demand on a cluster, and the demands on elements of it that go beyond the cluster's own.
  package struct Requirement: Hashable, Sendable {
    package var cluster: ClusterID
    package var conformance: Conformance
    package var elements: [Element]

    init(_ cluster: ClusterID, _ conformance: Conformance = "M", elements: [Element] = []) {
      (self.cluster, self.conformance, self.elements) = (cluster, conformance, elements)
    }
  }

  package struct Element: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable { case feature, attribute, command, event }

    package var kind: Kind
    /// The code of a feature.
    package var name: String
    package var conformance: Conformance

    init(_ kind: Kind, _ name: String, _ conformance: Conformance) {
      (self.kind, self.name, self.conformance) = (kind, name, conformance)
    }
  }

  package var id: UInt32
  package var name: String
  package var revision: UInt16
  /// Whether it must use clusters of other devices, as a light switch does.
  package var isClient: Bool
  /// The clusters of a server, sorted by number.
  package var requirements: [Requirement]

  init(
    _ id: UInt32, _ name: String, revision: UInt16, isClient: Bool = false, requirements: [Requirement] = []
  ) {
    (self.id, self.name, self.revision) = (id, name, revision)
    (self.isClient, self.requirements) = (isClient, requirements)
  }

  /// The clusters that an endpoint of this type must serve in any case.
  package var clusters: [ClusterID] { requirements.filter { $0.conformance == "M" }.map(\.cluster) }
}
