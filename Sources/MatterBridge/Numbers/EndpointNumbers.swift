import HAPModel
import MatterModel

/// The numbers of endpoints, vendor clusters and vendor attributes. A number is given once, stays the same over restarts
/// and changes of the profile, and is never used for another thing. Matter 1.4 §7.16.
package struct EndpointNumbers: Hashable, Sendable {
  /// The thing that an endpoint represents.
  enum Key: Hashable, Sendable {
    /// The parent of all bridged accessories.
    case aggregator
    /// A bridged accessory with several services, or with none.
    case accessory(aid: UInt64)
    case service(AttributeID)
  }

  /// The vendor's clusters for services of one type.
  struct VendorCluster: Hashable, Sendable {
    /// 1...`clusterLimit`.
    var number: UInt32
    /// The numbers of attributes and commands by the type of the characteristic.
    var attributes: [TypeID: UInt32] = [:]
    var nextAttribute: UInt32 = 0
  }

  /// The highest number of an endpoint. 65535 is reserved.
  static let endpointLimit: EndpointNumber = 65534
  /// Cluster identifiers of a vendor end at FFFE. Matter 1.4 §7.19.2.
  static let clusterLimit: UInt32 = 0x2FE
  /// The attribute that describes the others.
  static let descriptionAttribute: AttributeNumber = 0x4000

  var endpoints: [Key: EndpointNumber] = [:]
  /// The next number; above all that were given.
  var nextEndpoint: EndpointNumber = 1
  var clusters: [TypeID: VendorCluster] = [:]
  var nextCluster: UInt32 = 1

  /// No numbers: for an accessory that was never served.
  package init() {}

  /// Returns the number of an endpoint; nil: all were given.
  mutating func endpoint(for key: Key) -> EndpointNumber? {
    if let number = endpoints[key] { return number }
    guard nextEndpoint <= Self.endpointLimit else { return nil }
    defer { nextEndpoint += 1 }
    endpoints[key] = nextEndpoint
    return nextEndpoint
  }

  /// Returns the number of the vendor's cluster for services of a type; nil: all were given.
  mutating func vendorCluster(for service: TypeID) -> UInt32? {
    if let cluster = clusters[service] { return cluster.number }
    guard nextCluster <= Self.clusterLimit else { return nil }
    defer { nextCluster += 1 }
    clusters[service] = VendorCluster(number: nextCluster)
    return nextCluster
  }

  /// Returns the number of an attribute or a command in the vendor's cluster for a service; nil: all were given.
  mutating func vendorAttribute(for characteristic: TypeID, in service: TypeID) -> AttributeNumber? {
    guard let number = clusters[service]?.nextAttribute else { return nil }
    if let number = clusters[service]?.attributes[characteristic] { return number }
    guard number < Self.descriptionAttribute else { return nil }
    clusters[service]?.attributes[characteristic] = number
    clusters[service]?.nextAttribute += 1
    return number
  }
}
