import HAPModel
import MatterModel
import MatterWire

/// A cluster of an endpoint, with the service that it shows.
final class MappedCluster {
  let shape: ClusterShape
  /// The service, as a position in the database.
  let service: Int
  /// The service, by its identifiers, which other services of a new database do not have.
  let serviceID: AttributeID
  var dataVersion: UInt32

  init(_ shape: ClusterShape, service: Int, _ serviceID: AttributeID, dataVersion: UInt32) {
    (self.shape, self.service, self.serviceID, self.dataVersion) = (shape, service, serviceID, dataVersion)
  }

  var id: ClusterID { shape.description.id }
}

/// An endpoint of the node.
final class MappedEndpoint {
  let number: EndpointNumber
  /// Without its clusters.
  let plan: EndpointPlan
  /// Sorted by identifier.
  let clusters: [MappedCluster]
  /// The values that only the node knows, and that are kept over a restart.
  var stored: [AttributePath: Element.Value]
  /// The values of attributes that count down, while they stand still.
  var held: [AttributePath: UInt64]

  /// The sender of the last command, until the device has done what it asks for.
  var commander: Subject?

  init(
    _ plan: EndpointPlan, clusters: [MappedCluster], stored: [AttributePath: Element.Value],
    held: [AttributePath: UInt64]
  ) {
    var plan = plan
    plan.clusters = []
    (number, self.plan, self.clusters, self.stored, self.held) = (plan.number, plan, clusters, stored, held)
  }

  func cluster(_ id: ClusterID) -> MappedCluster? { clusters.first { $0.id == id } }
}

/// An event of the node, to be numbered and stored by the front end. Matter 1.4 §7.14.
package struct MappedEvent: Hashable, Sendable {
  package var endpoint: EndpointNumber
  package var cluster: ClusterID
  package var event: EventNumber
  package var priority: EventPriority
  /// The members of the event's structure.
  package var fields: [Element]
}
