import MatterModel

/// The clusters of the root endpoint.
package enum RootCluster: ClusterID, Sendable {
  case descriptor = 0x1D
  case accessControl = 0x1F
  case basicInformation = 0x28
  case generalCommissioning = 0x30
  case networkCommissioning = 0x31
  case generalDiagnostics = 0x33
  case administratorCommissioning = 0x3C
  case operationalCredentials = 0x3E
  case groupKeyManagement = 0x3F
}

/// The descriptions of the clusters of the root endpoint. Matter 1.4 §9.5, §9.10, §11.1, §11.2, §11.9...§11.12, §11.18,
/// §11.19.
enum RootEndpoint {
  /// The device type of a root node, with its revision.
  static let deviceType: (number: UInt32, revision: UInt16) = (0x16, 3)

  /// Sorted by identifier.
  static let clusters: [ClusterDescription] = [
    descriptor, accessControl, basicInformation, generalCommissioning, networkCommissioning, generalDiagnostics,
    administratorCommissioning, operationalCredentials, groupKeyManagement,
  ]

  private static let descriptor = cluster(.descriptor, revision: 2, attributes: readable(0, 1, 2, 3))

  private static let accessControl = cluster(
    .accessControl, revision: 2,
    attributes: [.init(0, read: .administer, write: .administer, isFabricScoped: true)] + readable(2, 3, 4),
    events: [.init(0, read: .administer)])

  private static let basicInformation = cluster(
    .basicInformation, revision: 4,
    attributes: readable(0, 1, 2, 3, 4) + [.init(5, write: .manage), .init(6, write: .administer)]
      + readable(7, 8, 9, 10, 15, 18, 19, 21, 22),
    events: [.init(0), .init(1), .init(2)])

  private static let generalCommissioning = cluster(
    .generalCommissioning, revision: 2, attributes: [.init(0, write: .administer)] + readable(1, 2, 3, 4),
    commands: [
      .init(0, invoke: .administer, response: 1), .init(2, invoke: .administer, response: 3),
      .init(4, invoke: .administer, response: 5, isFabricScoped: true),
    ])

  private static let networkCommissioning = cluster(
    .networkCommissioning, revision: 2, features: 0x04,
    attributes: [
      .init(0, read: .administer), .init(1, read: .administer), .init(4, write: .administer),
      .init(5, read: .administer),
      .init(6, read: .administer), .init(7, read: .administer),
    ])

  private static let generalDiagnostics = cluster(
    .generalDiagnostics, revision: 2, attributes: readable(0, 1, 2, 8),
    commands: [.init(0, invoke: .manage), .init(1, invoke: .operate, response: 2)], events: [.init(3)])

  private static let administratorCommissioning = cluster(
    .administratorCommissioning, revision: 1, features: 0x01, attributes: readable(0, 1, 2),
    commands: [
      .init(0, invoke: .administer, isTimed: true), .init(1, invoke: .administer, isTimed: true),
      .init(2, invoke: .administer, isTimed: true),
    ])

  private static let operationalCredentials = cluster(
    .operationalCredentials, revision: 1,
    attributes: [.init(0, read: .administer, isFabricScoped: true), .init(1, isFabricScoped: true)]
      + readable(2, 3, 4, 5),
    commands: [
      .init(0, invoke: .administer, response: 1), .init(2, invoke: .administer, response: 3),
      .init(4, invoke: .administer, response: 5), .init(6, invoke: .administer, response: 8),
      .init(7, invoke: .administer, response: 8, isFabricScoped: true),
      .init(9, invoke: .administer, response: 8, isFabricScoped: true),
      .init(10, invoke: .administer, response: 8), .init(11, invoke: .administer),
    ])

  private static let groupKeyManagement = cluster(
    .groupKeyManagement, revision: 2,
    attributes: [.init(0, write: .manage, isFabricScoped: true), .init(1, isFabricScoped: true)] + readable(2, 3),
    commands: [
      .init(0, invoke: .administer, isFabricScoped: true),
      .init(1, invoke: .administer, response: 2, isFabricScoped: true),
      .init(3, invoke: .administer, isFabricScoped: true),
      .init(4, invoke: .administer, response: 5, isFabricScoped: true),
    ])

  private static func cluster(
    _ id: RootCluster, revision: UInt16, features: UInt32 = 0, attributes: [ClusterDescription.Attribute],
    commands: [ClusterDescription.Command] = [], events: [ClusterDescription.Event] = []
  ) -> ClusterDescription {
    ClusterDescription(
      id.rawValue, revision: revision, features: features, attributes: attributes, commands: commands, events: events)
  }

  private static func readable(_ numbers: AttributeNumber...) -> [ClusterDescription.Attribute] {
    numbers.map { ClusterDescription.Attribute($0) }
  }
}
