import HAPModel
import MatterModel

/// What one service becomes, for tables and logs.
package struct ServiceMapping: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    /// An endpoint, or a part of an endpoint. The clusters leave out Descriptor, Identify and Groups.
    case endpoint(EndpointNumber, DeviceType, clusters: [ClusterID])
    /// Nothing, with the reason.
    case none(String)
  }

  package var aid: UInt64
  package var iid: UInt64
  package var type: TypeID
  package var result: Result
}

extension ServiceMapping: CustomStringConvertible {
  /// "1.8 Light Bulb: endpoint 1, device type 0101, clusters 0006 0008"
  package var description: String {
    let name = "\(aid).\(iid) \(Catalogue.service(type)?.name ?? type.wireForm)"
    switch result {
    case .endpoint(let number, let deviceType, let clusters):
      let list = clusters.map { $0.digits }.joined(separator: " ")
      return "\(name): endpoint \(number), device type \(deviceType.number.digits), clusters \(list)"
    case .none(let reason): return "\(name): no endpoint, because \(reason)"
    }
  }
}
