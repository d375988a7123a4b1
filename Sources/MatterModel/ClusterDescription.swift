/// The privilege that an access needs, each including those below it. Matter 1.4 §9.10.5.3.
package enum Privilege: UInt8, Hashable, Sendable, Comparable {
  case view = 1, proxyView, operate, manage, administer

  package static func < (a: Privilege, b: Privilege) -> Bool { a.rawValue < b.rawValue }
}

/// The attributes that each cluster has. Matter 1.4 §7.13.
package enum GlobalAttribute: AttributeNumber, Hashable, Sendable, CaseIterable {
  case generatedCommandList = 0xFFF8
  case acceptedCommandList = 0xFFF9
  case attributeList = 0xFFFB
  case featureMap = 0xFFFC
  case clusterRevision = 0xFFFD
}

/// A cluster of an endpoint as the interaction model sees it: its attributes and commands, and the privileges that they
/// need. The global attributes (FFF8...FFFD) are not listed: the interaction model answers them from this.
package struct ClusterDescription: Hashable, Sendable {
  package struct Attribute: Hashable, Sendable {
    package var number: AttributeNumber
    /// nil: it can't be read.
    package var read: Privilege?
    /// nil: it can't be written.
    package var write: Privilege?
    /// Whether writes must be timed.
    package var isTimed = false
    /// Whether it is a list whose entries belong to fabrics: each entry is a structure with the index in tag FE.
    package var isFabricScoped = false

    package init(
      _ number: AttributeNumber, read: Privilege? = .view, write: Privilege? = nil, isTimed: Bool = false,
      isFabricScoped: Bool = false
    ) {
      (self.number, self.read, self.write) = (number, read, write)
      (self.isTimed, self.isFabricScoped) = (isTimed, isFabricScoped)
    }
  }

  package struct Command: Hashable, Sendable {
    package var number: CommandNumber
    package var invoke: Privilege
    package var isTimed = false
    /// The command of the response; nil: only a status is sent.
    package var response: CommandNumber?
    /// Whether the sender must belong to a fabric.
    package var isFabricScoped = false

    package init(
      _ number: CommandNumber, invoke: Privilege = .operate, isTimed: Bool = false, response: CommandNumber? = nil,
      isFabricScoped: Bool = false
    ) {
      (self.number, self.invoke, self.isTimed) = (number, invoke, isTimed)
      (self.response, self.isFabricScoped) = (response, isFabricScoped)
    }
  }

  package struct Event: Hashable, Sendable {
    package var number: EventNumber
    package var read: Privilege

    package init(_ number: EventNumber, read: Privilege = .view) { (self.number, self.read) = (number, read) }
  }

  package var id: ClusterID
  package var revision: UInt16
  package var features: UInt32
  /// Sorted by number.
  package var attributes: [Attribute]
  /// Sorted by number.
  package var commands: [Command]
  package var events: [Event]

  package init(
    _ id: ClusterID, revision: UInt16, features: UInt32 = 0, attributes: [Attribute], commands: [Command] = [],
    events: [Event] = []
  ) {
    (self.id, self.revision, self.features) = (id, revision, features)
    (self.attributes, self.commands, self.events) = (attributes, commands, events)
  }
}
