import MatterWire

/// The limits of access control lists. Matter 1.4 §9.10.6.
package enum AccessLimits {
  package static let entriesPerFabric = 4
  package static let subjectsPerEntry = 4
  package static let targetsPerEntry = 3
}

extension AccessEntry {
  /// Whether it makes nodes administrators. A fabric without such an entry can't be managed.
  package var isAdministrator: Bool { privilege == .administer && mode == .node }

  /// Reads a structure of the attribute. Its fabric index is ignored. Matter 1.4 §9.10.5.6.
  package init(written value: Element.Value) throws(InteractionStatus) {
    let reader = try FieldReader(written: value)
    guard let privilege = Privilege(rawValue: try reader.number(1)),
      let mode = Mode(rawValue: try reader.number(2)), mode != .passcode,
      mode != .group || privilege != .administer
    else { throw InteractionStatus(.constraintError) }
    self.init(privilege, mode)
    for subject in try reader.optionalItems(3) ?? [] {
      subjects.append(try Self.subject(try FieldReader.number(subject), mode))
    }
    for target in try reader.optionalItems(4) ?? [] { targets.append(try Target(written: target)) }
    guard subjects.count <= AccessLimits.subjectsPerEntry, targets.count <= AccessLimits.targetsPerEntry else {
      throw InteractionStatus(.resourceExhausted)
    }
  }

  private static func subject(_ subject: UInt64, _ mode: Mode) throws(InteractionStatus) -> UInt64 {
    let isValid =
      switch mode {
      case .group: (1...0xFFFF).contains(subject)
      case .node, .passcode: NodeSubject.isOperational(subject) || NodeSubject.isTag(subject)
      }
    guard isValid else { throw InteractionStatus(.constraintError) }
    return subject
  }

  /// The members without the fabric index.
  package var members: [(UInt8, Element.Value)] {
    [
      (1, .number(privilege.rawValue)), (2, .number(mode.rawValue)),
      (3, subjects.isEmpty ? .null : .items(subjects.map { .unsigned($0) })),
      (4, targets.isEmpty ? .null : .items(targets.map(\.value))),
    ]
  }
}

extension AccessEntry.Target {
  /// Endpoint and device type exclude each other. Matter 1.4 §9.10.5.5.
  fileprivate init(written value: Element.Value) throws(InteractionStatus) {
    let reader = try FieldReader(written: value)
    self.init(
      cluster: try reader.optionalNumber(0), endpoint: try reader.optionalNumber(1, in: 0...0xFFFE),
      deviceType: try reader.optionalNumber(2))
    let hasPart = cluster != nil || endpoint != nil || deviceType != nil
    guard hasPart, endpoint == nil || deviceType == nil else { throw InteractionStatus(.constraintError) }
  }

  fileprivate var value: Element.Value {
    .fields([(0, .optional(cluster)), (1, .optional(endpoint)), (2, .optional(deviceType))])
  }
}

/// The numbers that a subject of an entry can have. Matter 1.4 §2.5.5, §6.6.2.1.
package enum NodeSubject {
  /// The identifiers that a node can have. Matter 1.4 §2.5.5.
  package static let operationalNodes: ClosedRange<NodeID> = 1...0xFFFF_FFEF_FFFF_FFFF

  package static func isOperational(_ subject: UInt64) -> Bool { operationalNodes.contains(subject) }

  /// A CASE authenticated tag. Its version, the lower half, is not 0.
  package static func isTag(_ subject: UInt64) -> Bool { subject >> 32 == 0xFFFF_FFFD && subject & 0xFFFF != 0 }
}
