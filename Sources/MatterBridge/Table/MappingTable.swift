import HAPModel
import MatterModel
import MatterWire

/// What an accessory becomes in Matter: its endpoints with their clusters and attributes, where each value comes from, and
/// what has no Matter side.
package struct MappingTable: Sendable {
  /// A characteristic or a service, by its place.
  package struct Place: Hashable, Sendable {
    package var id: AttributeID
    package var type: TypeID
    /// The name in Apple's catalogue; without one, the UUID.
    package var name: String
    /// The place in the profile; nil: the profile does not mention it.
    package var path: String?
  }

  package struct Attribute: Hashable, Sendable {
    package var number: AttributeNumber
    /// nil: it is no attribute of the catalogue.
    package var name: String?
    package var sources: [Place]
    /// nil: `value` is a constant of the accessory.
    package var conversion: String?
    package var value: Element.Value?
    package var isWritable: Bool
  }

  /// A device type, a command or an event.
  package struct Named: Hashable, Sendable {
    package var number: UInt32
    package var name: String?
  }

  package struct Cluster: Hashable, Sendable {
    package var id: ClusterID
    package var name: String?
    /// The codes.
    package var features: [String]
    /// The service whose values it has; nil: the endpoint describes itself.
    package var service: Place?
    package var attributes: [Attribute]
    package var commands: [Named]
    package var events: [Named]
    /// The characteristics that only commands and events use.
    package var others: [Place]
  }

  package struct Endpoint: Hashable, Sendable {
    package var number: EndpointNumber
    /// nil: the aggregator.
    package var aid: UInt64?
    /// nil: an aggregator or a bridged accessory.
    package var service: Place?
    package var deviceTypes: [Named]
    package var parts: [EndpointNumber]
    package var clusters: [Cluster]
    /// The deviations from the catalogue.
    package var problems: [ConformanceProblem]
  }

  /// A service or a characteristic without a Matter side.
  package struct Omission: Hashable, Sendable {
    package var place: Place
    package var isService: Bool
    package var reason: String
  }

  /// Sorted by number.
  package internal(set) var endpoints: [Endpoint] = []
  /// In the order of the database. The characteristics of a service that is omitted are not listed.
  package internal(set) var omissions: [Omission] = []
  /// Services with the endpoint that shows them, in the order of the database.
  package internal(set) var services: [(place: Place, endpoint: EndpointNumber)] = []
}
