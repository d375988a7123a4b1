/// A cluster of the specification: its attributes, commands and events, with privileges, and which of them a server must
/// have. The rows are generated from `Catalogue/matter.json`.
package struct ClusterDefinition: Hashable, Sendable {
  package struct Feature: Hashable, Sendable {
    package var mask: UInt32
    /// Such as "LT"; the name if the source has no code.
    package var code: String
    package var name: String
    package var conformance: Conformance

    init(_ mask: UInt32, _ code: String, _ name: String, _ conformance: Conformance = "O") {
      (self.mask, self.code, self.name, self.conformance) = (mask, code, name, conformance)
    }
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Attribute
    package var conformance: Conformance

    init(
      _ number: AttributeNumber, _ name: String, read: Privilege? = .view, write: Privilege? = nil,
      isFabricScoped: Bool = false, _ conformance: Conformance = "M"
    ) {
      description = ClusterDescription.Attribute(number, read: read, write: write, isFabricScoped: isFabricScoped)
      (self.name, self.conformance) = (name, conformance)
    }
  }

  package struct Command: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Command
    package var conformance: Conformance

    init(
      _ number: CommandNumber, _ name: String, invoke: Privilege = .operate, isTimed: Bool = false,
      response: CommandNumber? = nil, isFabricScoped: Bool = false, _ conformance: Conformance = "M"
    ) {
      description = ClusterDescription.Command(
        number, invoke: invoke, isTimed: isTimed, response: response, isFabricScoped: isFabricScoped)
      (self.name, self.conformance) = (name, conformance)
    }
  }

  package struct Event: Hashable, Sendable {
    package var name: String
    package var description: ClusterDescription.Event
    package var priority: EventPriority
    package var conformance: Conformance

    init(
      _ number: EventNumber, _ name: String, priority: EventPriority = .info, read: Privilege = .view,
      _ conformance: Conformance = "M"
    ) {
      description = ClusterDescription.Event(number, read: read)
      (self.name, self.priority, self.conformance) = (name, priority, conformance)
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

extension ClusterDefinition {
  /// The codes and the names of features by their masks, such as "LT Lighting".
  package func names(ofFeatures mask: UInt32) -> [String] {
    features.filter { mask & $0.mask != 0 }.map(\.shown)
  }

  /// The conditions of the elements of all kinds, by name.
  private var conditions: [String: Conformance] {
    let elements =
      attributes.map { ($0.name, $0.conformance) } + commands.map { ($0.name, $0.conformance) }
      + events.map { ($0.name, $0.conformance) }
    return Dictionary(elements) { first, _ in first }
  }

  /// Returns a function that decides whether a cluster must have an element, if it has nothing optional except what is
  /// named.
  fileprivate func demands(_ mask: UInt32, named: Set<String>) -> (Conformance) -> Bool {
    let conditions = conditions
    func isDemanded(_ conformance: Conformance, _ depth: Int) -> Bool {
      conformance.isMandatory { name in
        if let feature = features.first(where: { $0.code == name }) { return mask & feature.mask != 0 }
        if named.contains(name) { return true }
        // Elements can refer to each other.
        guard depth > 0, let condition = conditions[name] else { return nil }
        return isDemanded(condition, depth - 1)
      }
    }
    return { isDemanded($0, 2) }
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
    let isDemanded = definition.demands(mask, named: attributes.union(commands).union(events))
    self.init(
      definition.id, revision: definition.revision, features: mask,
      attributes: definition.attributes.filter { attributes.contains($0.name) || isDemanded($0.conformance) }
        .map(\.description),
      commands: definition.commands.filter { commands.contains($0.name) || isDemanded($0.conformance) }
        .map(\.description),
      events: definition.events.filter { events.contains($0.name) || isDemanded($0.conformance) }.map(\.description))
  }
}
