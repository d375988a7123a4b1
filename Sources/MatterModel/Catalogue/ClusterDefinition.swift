/// A cluster of the specification: its attributes, commands and events, with privileges, and which of them a server must
/// have. The rows are generated from `Catalogue/matter.json`.
package struct ClusterDefinition: Hashable, Sendable {
  package struct Feature: Hashable, Sendable {
    package var mask: UInt32
    /// Such as "LT"; the name if the source has no code.
    package var code: String
    package var name: String

    init(_ mask: UInt32, _ code: String, _ name: String) { (self.mask, self.code, self.name) = (mask, code, name) }
  }

  /// A choice of features: all of the first, none of the second.
  struct FeatureChoice: Hashable, Sendable {
    var all: UInt32
    var none: UInt32

    init(_ all: UInt32, not none: UInt32 = 0) { (self.all, self.none) = (all, none) }
  }

  /// When a server must have an element.
  enum Presence: Hashable, Sendable {
    case mandatory
    case optional
    /// Mandatory with one of the choices, otherwise optional.
    case with([FeatureChoice])

    func isMandatory(_ features: UInt32) -> Bool {
      switch self {
      case .mandatory: true
      case .optional: false
      case .with(let choices): choices.contains { features & $0.all == $0.all && features & $0.none == 0 }
      }
    }
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Attribute
    var presence: Presence

    init(
      _ number: AttributeNumber, _ name: String, read: Privilege? = .view, write: Privilege? = nil,
      isFabricScoped: Bool = false, _ presence: Presence = .mandatory
    ) {
      description = ClusterDescription.Attribute(number, read: read, write: write, isFabricScoped: isFabricScoped)
      (self.name, self.presence) = (name, presence)
    }
  }

  package struct Command: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Command
    var presence: Presence

    init(
      _ number: CommandNumber, _ name: String, invoke: Privilege = .operate, isTimed: Bool = false,
      response: CommandNumber? = nil, isFabricScoped: Bool = false, _ presence: Presence = .mandatory
    ) {
      description = ClusterDescription.Command(
        number, invoke: invoke, isTimed: isTimed, response: response, isFabricScoped: isFabricScoped)
      (self.name, self.presence) = (name, presence)
    }
  }

  package struct Event: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Event
    package var priority: EventPriority
    var presence: Presence

    init(
      _ number: EventNumber, _ name: String, priority: EventPriority = .info, read: Privilege = .view,
      _ presence: Presence = .mandatory
    ) {
      description = ClusterDescription.Event(number, read: read)
      (self.name, self.priority, self.presence) = (name, priority, presence)
    }
  }

  package var id: ClusterID
  package var name: String
  package var revision: UInt16
  package var features: [Feature]
  /// Sorted by number, without the global ones.
  package var attributes: [Attribute]
  /// The commands from the client, sorted by number.
  package var commands: [Command]
  package var events: [Event]

  init(
    _ id: ClusterID, _ name: String, revision: UInt16, features: [Feature] = [], attributes: [Attribute] = [],
    commands: [Command] = [], events: [Event] = []
  ) {
    (self.id, self.name, self.revision, self.features) = (id, name, revision, features)
    (self.attributes, self.commands, self.events) = (attributes, commands, events)
  }

  /// Returns the number of an attribute; traps if there is none of that name.
  package func attribute(_ name: String) -> AttributeNumber {
    guard let attribute = attributes.first(where: { $0.name == name }) else {
      preconditionFailure("\(self.name) has no attribute \(name)")
    }
    return attribute.description.number
  }

  /// Returns the mask of features; traps if there are none of these codes.
  package func mask(of codes: [String]) -> UInt32 {
    codes.reduce(0) { mask, code in
      guard let feature = features.first(where: { $0.code == code }) else {
        preconditionFailure("\(name) has no feature \(code)")
      }
      return mask | feature.mask
    }
  }
}

extension ClusterDescription {
  /// Creates the description of a cluster with what is mandatory, and with optional elements. Traps if the cluster has
  /// no element of a name.
  /// - Parameter features: codes, such as "LT". With them, more elements are mandatory.
  package init(
    _ definition: ClusterDefinition, features: [String] = [], attributes: Set<String> = [],
    commands: Set<String> = [], events: Set<String> = []
  ) {
    let mask = definition.mask(of: features)
    precondition(attributes.isSubset(of: definition.attributes.map(\.name)), "\(definition.name): attributes")
    precondition(commands.isSubset(of: definition.commands.map(\.name)), "\(definition.name): commands")
    precondition(events.isSubset(of: definition.events.map(\.name)), "\(definition.name): events")
    self.init(
      definition.id, revision: definition.revision, features: mask,
      attributes: definition.attributes.filter { attributes.contains($0.name) || $0.presence.isMandatory(mask) }
        .map(\.description),
      commands: definition.commands.filter { commands.contains($0.name) || $0.presence.isMandatory(mask) }
        .map(\.description),
      events: definition.events.filter { events.contains($0.name) || $0.presence.isMandatory(mask) }
        .map(\.description))
  }
}

/// A device type of the specification. The rows are generated from `Catalogue/matter.json`.
package struct DeviceTypeDefinition: Hashable, Sendable {
  package var id: UInt32
  package var name: String
  package var revision: UInt16
  /// The clusters that an endpoint of this type must serve.
  package var clusters: [ClusterID]

  init(_ id: UInt32, _ name: String, revision: UInt16, clusters: [ClusterID]) {
    (self.id, self.name, self.revision, self.clusters) = (id, name, revision, clusters)
  }
}
