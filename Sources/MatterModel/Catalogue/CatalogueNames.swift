/// The names of the catalogue, with numbers as in the documentation: "0006 OnOff".
extension ClusterDefinition {
  package var shown: String { "\(id.digits) \(name)" }

  private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

  package static func find(_ id: ClusterID) -> ClusterDefinition? { byID[id] }
}

extension ClusterDescription {
  /// nil: the catalogue does not know it.
  package var definition: ClusterDefinition? { .find(id) }
}

extension ClusterID {
  /// The number, with the name if the catalogue knows it.
  package var clusterName: String { ClusterDefinition.find(self)?.shown ?? digits }
}

extension DeviceTypeDefinition {
  package var shown: String { "\(id.digits) \(name)" }
}

extension ClusterDefinition.Feature {
  package var shown: String { code == name ? name : "\(code) \(name)" }
}

extension ClusterDefinition.Attribute {
  package var shown: String { "\(description.number.digits) \(name)" }
}

extension ClusterDefinition.Command {
  package var shown: String { "\(description.number.digits) \(name)" }
}

extension ClusterDefinition.Event {
  package var shown: String { "\(description.number.digits) \(name)" }
}
