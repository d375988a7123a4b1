import HAPWire
import MatterWire

/// A node as the interaction model uses it: its endpoints, their clusters, and the data in them.
///
/// The interaction model has checked that the path exists, the privilege, and whether the request had to be timed,
/// before it calls `read`, `write` or `invoke`. Confined to one loop.
package protocol InteractionTarget {
  /// Sorted.
  var endpoints: [EndpointNumber] { get }
  /// The clusters of an endpoint, sorted by identifier; empty for an endpoint that does not exist.
  func clusters(of endpoint: EndpointNumber) -> [ClusterDescription]
  /// The device types of an endpoint, for the targets of the access control list.
  func deviceTypes(of endpoint: EndpointNumber) -> [UInt32]
  /// Changes with each change of the cluster's data. Matter 1.4 §7.10.3.
  func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32

  /// Appends the value of an attribute as one element.
  /// - Parameter isFabricFiltered: whether entries of other fabrics are left out. Fabric-sensitive fields of other
  ///   fabrics are left out in any case.
  func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus)

  /// Writes an attribute.
  /// - Parameter change: the whole value, or one entry that is appended to a list. A list and its entries in one message
  ///   are one change.
  mutating func write(_ path: AttributePath, _ change: AttributeChange, for subject: Subject) throws(InteractionStatus)

  /// Executes a command.
  /// - Parameter fields: a structure; empty if the request had no fields.
  mutating func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome

  /// The entries of the access control list of a fabric.
  func accessEntries(of fabric: FabricIndex) -> [AccessEntry]
}

/// A change of an attribute.
package enum AttributeChange: Hashable, Sendable {
  case replace(Element.Value)
  case append(Element.Value)
}

/// The answer to a command.
package enum CommandOutcome: Hashable, Sendable {
  case status(InteractionStatus)
  /// The command of the response, with the members of its structure.
  case response(CommandNumber, [Element])
}

/// An entry of the access control list. Matter 1.4 §9.10.5.
package struct AccessEntry: Hashable, Sendable {
  package enum Mode: UInt8, Hashable, Sendable { case passcode = 1, node = 2, group = 3 }

  /// A part of the node. Parts that are nil match all.
  package struct Target: Hashable, Sendable {
    package var cluster: ClusterID?
    package var endpoint: EndpointNumber?
    package var deviceType: UInt32?

    package init(cluster: ClusterID? = nil, endpoint: EndpointNumber? = nil, deviceType: UInt32? = nil) {
      (self.cluster, self.endpoint, self.deviceType) = (cluster, endpoint, deviceType)
    }
  }

  package var privilege: Privilege
  package var mode: Mode
  /// Node identifiers, groups, or CASE authenticated tags in the form FFFFFFFD_xxxx_xxxx; empty: all.
  package var subjects: [UInt64]
  /// Empty: the whole node.
  package var targets: [Target]

  package init(_ privilege: Privilege, _ mode: Mode = .node, subjects: [UInt64] = [], targets: [Target] = []) {
    (self.privilege, self.mode, self.subjects, self.targets) = (privilege, mode, subjects, targets)
  }
}
