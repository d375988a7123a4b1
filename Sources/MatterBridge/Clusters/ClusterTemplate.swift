import HAPModel
import MatterModel
import MatterWire

/// An attribute of a cluster: how it is computed of characteristics, and what a write does.
struct AttributeBinding: Sendable {
  typealias Reader = @Sendable (ClusterAccess) throws(InteractionStatus) -> Element.Value
  typealias Writer = @Sendable (ClusterAccess, Element.Value) throws(InteractionStatus) -> Void

  let number: AttributeNumber
  /// How the value is computed, for tables; x is the value of the only or first characteristic. nil: it is a constant of
  /// the service.
  let conversion: String?
  /// The features that the cluster must have, so that it has this attribute.
  let features: UInt32
  /// The characteristics of which it is computed. The service must have all of them, so that the cluster has this
  /// attribute.
  let sources: [TypeID]
  /// Characteristics whose changes change it, if the service has them.
  let alsoOf: [TypeID]
  /// Other characteristics that it is about, for tables: those of whose limits it is computed, for example.
  let mentions: [TypeID]
  /// The characteristics that a write writes.
  let targets: [TypeID]
  /// nil: it can't be read.
  let read: Reader?
  let readPrivilege: Privilege
  /// nil: it can't be written.
  let write: Writer?
  let writePrivilege: Privilege

  /// - Parameter read: nil: it can't be read.
  init(
    _ number: AttributeNumber, _ conversion: String?, of sources: [TypeID] = [], alsoOf: [TypeID] = [],
    about mentions: [TypeID] = [], features: UInt32 = 0, readPrivilege: Privilege = .view,
    writing targets: [TypeID] = [],
    writePrivilege: Privilege = .operate, write: Writer? = nil, read: Reader?
  ) {
    (self.number, self.conversion, self.features) = (number, conversion, features)
    (self.sources, self.alsoOf, self.mentions) = (sources, alsoOf, mentions)
    (self.read, self.readPrivilege) = (read, readPrivilege)
    (self.targets, self.write, self.writePrivilege) = (targets, write, writePrivilege)
  }

  static func constant(_ number: AttributeNumber, _ value: Element.Value, features: UInt32 = 0) -> AttributeBinding {
    fixed(number, features: features) { _ throws(InteractionStatus) in value }
  }

  /// A value that depends on the service and its place, not on values of characteristics.
  static func fixed(
    _ number: AttributeNumber, features: UInt32 = 0, read: @escaping Reader
  ) -> AttributeBinding {
    AttributeBinding(number, nil, features: features, read: read)
  }

  /// A value that only the node knows.
  static func stored(
    _ number: AttributeNumber, default value: Element.Value, _ rule: StoredRule, features: UInt32 = 0,
    writePrivilege: Privilege = .operate
  ) -> AttributeBinding {
    AttributeBinding(
      number, "stored by the node, at first \(value.shown)", features: features, writePrivilege: writePrivilege,
      write: { access, written throws(InteractionStatus) in access.store(number, try rule.admit(written)) },
      read: { access throws(InteractionStatus) in access.stored(number) ?? value })
  }

  /// Returns whether a change of a characteristic can change this.
  func depends(on type: TypeID) -> Bool { sources.contains(type) || alsoOf.contains(type) }
}

/// The values that a stored attribute accepts.
enum StoredRule: Sendable {
  case unsigned(ClosedRange<UInt64>)
  case nullable(ClosedRange<UInt64>)
  /// A text with a maximum number of bytes.
  case text(Int)

  func admit(_ value: Element.Value) throws(InteractionStatus) -> Element.Value {
    switch (self, value) {
    case (.nullable, .null): return value
    case (.unsigned(let range), _), (.nullable(let range), _): return .unsigned(try value.unsigned(in: range))
    case (.text(let limit), .text(let text)):
      guard text.utf8.count <= limit else { throw InteractionStatus(.constraintError) }
      return value
    case (.text, _): throw InteractionStatus(.invalidDataType)
    }
  }
}

/// A command of a cluster.
struct CommandBinding: Sendable {
  typealias Handler = @Sendable (ClusterAccess, CommandFields) throws(InteractionStatus) -> CommandOutcome

  let number: CommandNumber
  /// The features that the cluster must have, so that it has this command.
  let features: UInt32
  /// The characteristics that it writes. The service must have all of them, so that the cluster has this command.
  let targets: [TypeID]
  let privilege: Privilege
  let isTimed: Bool
  let response: CommandNumber?
  let isFabricScoped: Bool
  let perform: Handler

  /// A command that is answered with a status.
  init(
    _ number: CommandNumber, features: UInt32 = 0, writing targets: [TypeID] = [], privilege: Privilege = .operate,
    isTimed: Bool = false, isFabricScoped: Bool = false,
    perform: @escaping @Sendable (ClusterAccess, CommandFields) throws(InteractionStatus) -> Void
  ) {
    (self.number, self.features, self.targets, self.privilege) = (number, features, targets, privilege)
    (self.isTimed, self.isFabricScoped, response) = (isTimed, isFabricScoped, nil)
    self.perform = { access, fields throws(InteractionStatus) in
      try perform(access, fields)
      return .status(.success)
    }
  }

  /// A command that is answered with a command.
  init(
    _ number: CommandNumber, response: CommandNumber, privilege: Privilege = .operate, isFabricScoped: Bool = false,
    perform: @escaping @Sendable (ClusterAccess, CommandFields) throws(InteractionStatus) -> [Element]
  ) {
    (self.number, features, targets, self.privilege) = (number, 0, [], privilege)
    (isTimed, self.isFabricScoped, self.response) = (false, isFabricScoped, response)
    self.perform = { access, fields throws(InteractionStatus) in .response(response, try perform(access, fields)) }
  }
}

/// The events of a cluster that a changed characteristic causes.
struct EventBinding: Sendable {
  /// Returns the events of a new value, with the members of their structures.
  typealias Occurrence = @Sendable (ClusterAccess, Value) -> [(number: EventNumber, fields: [Element])]

  let source: TypeID
  /// The events that can occur.
  let numbers: [EventNumber]
  let priority: EventPriority
  let occur: Occurrence

  init(
    of source: TypeID, _ numbers: [EventNumber], _ priority: EventPriority = .info,
    occur: @escaping Occurrence
  ) {
    (self.source, self.numbers, self.priority, self.occur) = (source, numbers, priority, occur)
  }
}

/// One kind of cluster, with everything that services of one type can give it.
struct ClusterTemplate: Sendable {
  let id: ClusterID
  let revision: UInt16
  /// The characteristics that a service must have, so that it becomes this cluster.
  var needs: [TypeID] = []
  /// nil: the service does not become this cluster.
  var features: @Sendable (ServiceView) -> UInt32? = { _ in 0 }
  let attributes: [AttributeBinding]
  var commands: [CommandBinding] = []
  var events: [EventBinding] = []
  /// The features that the cluster must have, so that it has an event; without an entry: none.
  var eventFeatures: [EventNumber: UInt32] = [:]
  /// Events that the catalogue demands, and that no characteristic causes.
  var idleEvents: [EventNumber] = []
  /// Called when a characteristic of the service has changed, before its attributes are marked.
  var changed: (@Sendable (ClusterAccess, TypeID) -> Void)?
  /// Called when the countdown of an attribute has ended.
  var expired: (@Sendable (ClusterAccess, AttributeNumber) -> Void)?
}

/// A service without its place in a database.
struct ServiceView {
  let characteristics: ArraySlice<Characteristic>

  /// - Parameter leftOut: slots of characteristics that it has not.
  init(_ service: AttributeDatabase.ServiceEntry, in database: AttributeDatabase, without leftOut: Set<Int> = []) {
    if leftOut.isEmpty {
      characteristics = ArraySlice(database.characteristics[service.slots])
    } else {
      let slots = service.slots.filter { !leftOut.contains($0) }
      characteristics = ArraySlice(slots.map { database.characteristics[$0] })
    }
  }

  func has(_ type: TypeID) -> Bool { characteristics.contains { $0.type == type } }
  func hasAll(_ types: [TypeID]) -> Bool { types.allSatisfy(has) }
}

/// A template with what one service gives it. Equal services have the same shape.
///
/// It has no copies of the bindings, because a fleet has thousands of shapes: the numbers of the description choose them.
final class ClusterShape: Sendable {
  let description: ClusterDescription
  let template: ClusterTemplate
  /// The characteristics of the service that attributes do not need, but use.
  let optionalSources: [TypeID]

  /// - Returns: nil if the service can't become this cluster.
  init?(_ template: ClusterTemplate, of service: ServiceView) {
    guard service.hasAll(template.needs), let features = template.features(service) else { return nil }
    func needsTimedWrite(_ targets: [TypeID]) -> Bool {
      service.characteristics.contains { targets.contains($0.type) && $0.perms.contains(.timedWrite) }
    }
    let attributes = template.attributes.filter { $0.features & ~features == 0 && service.hasAll($0.sources) }
    let commands = template.commands.filter { $0.features & ~features == 0 && service.hasAll($0.targets) }
    description = ClusterDescription(
      template.id, revision: template.revision, features: features,
      attributes: attributes.sorted { $0.number < $1.number }.map { attribute in
        .init(
          attribute.number, read: attribute.read == nil ? nil : attribute.readPrivilege,
          write: attribute.write != nil && service.hasAll(attribute.targets) ? attribute.writePrivilege : nil,
          isTimed: needsTimedWrite(attribute.targets))
      },
      commands: commands.sorted { $0.number < $1.number }.map { command in
        .init(
          command.number, invoke: command.privilege, isTimed: command.isTimed || needsTimedWrite(command.targets),
          response: command.response, isFabricScoped: command.isFabricScoped)
      },
      events: Self.events(template, features, service).map { .init($0) })
    optionalSources = attributes.flatMap { $0.alsoOf + $0.mentions }.filter(service.has)
    self.template = template
  }

  private static func events(_ template: ClusterTemplate, _ features: UInt32, _ service: ServiceView) -> [EventNumber] {
    let caused = template.events.filter { service.has($0.source) }.flatMap(\.numbers)
    return Set(caused + template.idleEvents).filter { (template.eventFeatures[$0] ?? 0) & ~features == 0 }.sorted()
  }

  func attribute(_ number: AttributeNumber) -> AttributeBinding? {
    guard description.attributes.contains(where: { $0.number == number }) else { return nil }
    return template.attributes.first { $0.number == number }
  }

  func command(_ number: CommandNumber) -> CommandBinding? {
    guard description.commands.contains(where: { $0.number == number }) else { return nil }
    return template.commands.first { $0.number == number }
  }

  /// The attributes that a changed characteristic can change.
  func attributes(of type: TypeID) -> [AttributeNumber] {
    description.attributes.map(\.number).filter { attribute($0)?.depends(on: type) == true }
  }

  /// Returns the attributes that the other shape computes of other characteristics. Both have the same description.
  func attributes(differingFrom other: ClusterShape) -> [AttributeNumber] {
    let numbers = description.attributes.map(\.number)
    // The number of a mode, for example, can depend on whether there is a characteristic.
    if optionalSources != other.optionalSources { return numbers }
    return numbers.filter { attribute($0)?.characteristics != other.attribute($0)?.characteristics }
  }

  /// The characteristics that the cluster shows or writes.
  var used: Set<TypeID> {
    let attributes = description.attributes.compactMap { attribute($0.number) }
    let commands = description.commands.compactMap { command($0.number) }
    let types = attributes.flatMap { $0.sources + $0.alsoOf + $0.targets } + commands.flatMap(\.targets)
    return Set(types + template.needs)
  }
}
