/// The number of an endpoint: 0 is the root. Matter 1.4 §7.16.
package typealias EndpointNumber = UInt16
/// The identifier of a cluster: the vendor in the upper half, 0 for Matter's own. Matter 1.4 §7.19.2.
package typealias ClusterID = UInt32
/// The identifier of an attribute in its cluster.
package typealias AttributeNumber = UInt32
/// The identifier of a command in its cluster.
package typealias CommandNumber = UInt32
/// The identifier of an event in its cluster.
package typealias EventNumber = UInt32
/// The number of a fabric in one node: 1...254; 0 is none. Matter 1.4 §7.5.2.
package typealias FabricIndex = UInt8
/// The operational identifier of a node in its fabric. Matter 1.4 §2.5.5.
package typealias NodeID = UInt64
/// The identifier of a fabric, which is unique only together with its root key. Matter 1.4 §2.5.1.
package typealias FabricID = UInt64

/// One attribute of one cluster of one endpoint.
package struct AttributePath: Hashable, Sendable {
  package var endpoint: EndpointNumber
  package var cluster: ClusterID
  package var attribute: AttributeNumber

  package init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeNumber) {
    (self.endpoint, self.cluster, self.attribute) = (endpoint, cluster, attribute)
  }
}

/// One command of one cluster of one endpoint.
package struct CommandPath: Hashable, Sendable {
  package var endpoint: EndpointNumber
  package var cluster: ClusterID
  package var command: CommandNumber

  package init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ command: CommandNumber) {
    (self.endpoint, self.cluster, self.command) = (endpoint, cluster, command)
  }
}

/// One event of one cluster of one endpoint.
package struct EventPath: Hashable, Sendable {
  package var endpoint: EndpointNumber
  package var cluster: ClusterID
  package var event: EventNumber

  package init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ event: EventNumber) {
    (self.endpoint, self.cluster, self.event) = (endpoint, cluster, event)
  }
}

/// The sender of a request: how its session was made. Matter 1.4 §6.6.
package enum Subject: Hashable, Sendable {
  /// A commissioner that knows the passcode. `fabric` is 0 before AddNOC of this session.
  case passcode(fabric: FabricIndex)
  /// A node of a fabric, with the CASE authenticated tags of its certificate (at most three).
  case node(NodeID, fabric: FabricIndex, tags: [UInt32])

  /// 0 if there is none yet.
  package var fabric: FabricIndex {
    switch self {
    case .passcode(let fabric), .node(_, let fabric, _): fabric
    }
  }
}

extension Subject {
  /// The name in lists and reports.
  package var name: String {
    switch self {
    case .passcode: "Matter commissioner"
    case .node(let node, let fabric, _): "Matter fabric \(fabric) node \(node.hexadecimal)"
    }
  }
}

extension UInt64 {
  /// 16 upper-case hexadecimal digits, as Matter writes identifiers in names.
  package var hexadecimal: String {
    let digits = String(self, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension UInt32 {
  /// At least four upper-case hexadecimal digits, as the documentation writes identifiers of clusters, attributes and
  /// device types.
  package var digits: String {
    let digits = String(self, radix: 16, uppercase: true)
    return String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
  }
}
