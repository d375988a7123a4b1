import MatterModel
import MatterWire

/// The values of the attributes of the root endpoint. nil: there is no such attribute.
extension MatterNode {
  func value(
    _ cluster: RootCluster, _ attribute: AttributeNumber, for subject: Subject, isFabricFiltered: Bool
  ) -> Element.Value? {
    switch cluster {
    case .descriptor: descriptorValue(attribute)
    case .accessControl: accessControlValue(attribute, for: subject, isFabricFiltered: isFabricFiltered)
    case .basicInformation: basicInformationValue(attribute)
    case .generalCommissioning: generalCommissioningValue(attribute)
    case .networkCommissioning: networkCommissioningValue(attribute)
    case .generalDiagnostics: generalDiagnosticsValue(attribute)
    case .administratorCommissioning: administratorCommissioningValue(attribute)
    case .operationalCredentials:
      operationalCredentialsValue(attribute, for: subject, isFabricFiltered: isFabricFiltered)
    case .groupKeyManagement: groupKeyManagementValue(attribute, for: subject, isFabricFiltered: isFabricFiltered)
    }
  }

  /// The fabrics whose entries a list shows.
  func fabrics(for subject: Subject, isFabricFiltered: Bool) -> [Fabric] {
    isFabricFiltered ? state.fabrics.filter { $0.index == subject.fabric } : state.fabrics
  }

  private func descriptorValue(_ attribute: AttributeNumber) -> Element.Value? {
    let type = RootEndpoint.deviceType
    return switch attribute {
    case 0: .items([.fields([(0, .number(type.number)), (1, .number(type.revision))])])
    case 1: .items(RootEndpoint.clusters.map { .number($0.id) })
    case 2: .items([])
    case 3: .items(endpoints.dropFirst().map { .number($0) })
    default: nil
    }
  }

  private func basicInformationValue(_ attribute: AttributeNumber) -> Element.Value? {
    let (own, session) = (configuration, SessionParameters())
    return switch attribute {
    case 0: .number(session.dataModelRevision)
    case 1: .text(own.vendorName)
    case 2: .number(own.vendor)
    case 3: .text(own.productName)
    case 4: .number(own.product)
    case 5: .text(state.label)
    case 6: .text(state.location)
    case 7: .number(own.hardwareVersion)
    case 8: .text(own.hardwareVersionText)
    case 9: .number(own.softwareVersion)
    case 10: .text(own.softwareVersionText)
    case 15: .text(own.serialNumber)
    case 18: .text(own.uniqueID)
    // The least numbers of sessions and subscriptions of a fabric.
    case 19: .fields([(0, .unsigned(3)), (1, .unsigned(3))])
    case 21: .number(session.specification)
    case 22: .number(session.mostPathsPerInvoke)
    default: nil
    }
  }

  private func networkCommissioningValue(_ attribute: AttributeNumber) -> Element.Value? {
    switch attribute {
    case 0: .unsigned(1)
    case 1: .items([.fields([(0, .octets(Array(configuration.interface.name.utf8))), (1, .bool(true))])])
    case 4: .bool(true)
    case 5, 6, 7: .null
    default: nil
    }
  }

  private func generalDiagnosticsValue(_ attribute: AttributeNumber) -> Element.Value? {
    switch attribute {
    case 0: .items([interfaceValue])
    case 1: .number(state.rebootCount)
    case 2: .unsigned(UInt64(max(0, upTime / .seconds(1))))
    case 8: .bool(false)
    default: nil
    }
  }

  private var interfaceValue: Element.Value {
    let interface = configuration.interface
    let ethernet: UInt8 = 2
    return .fields([
      (0, .text(interface.name)), (1, .bool(true)), (2, .null), (3, .null), (4, .octets(interface.hardwareAddress)),
      (5, .items(interface.ipv4Addresses.map { .octets($0) })),
      (6, .items(interface.ipv6Addresses.map { .octets($0) })), (7, .number(ethernet)),
    ])
  }

  func invokeGeneralDiagnostics(
    _ command: CommandNumber, _ fields: FieldReader
  ) throws(InteractionStatus) -> CommandOutcome {
    switch command {
    case 0:
      _ = try fields.octets(0, count: 16...16)
      _ = try fields.number(1) as UInt64
      // No key enables the triggers.
      throw InteractionStatus(.constraintError)
    case 1:
      let milliseconds = UInt64(max(0, upTime / .milliseconds(1)))
      return .response(2, [Element(.context(0), .unsigned(milliseconds)), Element(.context(1), .null)])
    default: throw InteractionStatus(.unsupportedCommand)
    }
  }

  // MARK: Writes

  /// The only interface of a node can't be disabled.
  static func writeInterfaceEnabled(_ change: AttributeChange) throws(InteractionStatus) {
    guard case .bool(let isEnabled) = try change.whole else { throw InteractionStatus(.invalidDataType) }
    guard isEnabled else { throw InteractionStatus(.invalidInState) }
  }

  mutating func writeLabel(_ change: AttributeChange, for subject: Subject) throws(InteractionStatus) {
    guard case .text(let label) = try change.whole else { throw InteractionStatus(.invalidDataType) }
    guard label.utf8.count <= NodeState.mostLabelBytes else { throw InteractionStatus(.constraintError) }
    self.change(by: subject) { $0.label = label }
  }

  mutating func writeLocation(_ change: AttributeChange, for subject: Subject) throws(InteractionStatus) {
    guard case .text(let location) = try change.whole else { throw InteractionStatus(.invalidDataType) }
    guard location.utf8.count == NodeState.locationBytes else { throw InteractionStatus(.constraintError) }
    self.change(by: subject) { $0.location = location }
  }
}
