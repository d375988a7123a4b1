import HAPAttributes
import HAPModel

/// The standard device. Each service has at most one behaviour; everything else can be set by hand.
package final class ComposedDevice: Device {
  private struct Part {
    package let behaviour: any Behaviour
    package let parameters: BehaviourParameters?
    package let tokenBase: Int
  }
  private static let tokensPerPart = 256

  private let parts: [Part]
  private let partOf: [AttributeID: Int]
  /// The part of each characteristic, only for parts that writes affect. Lights, which are written to most often, are
  /// usually not in this table.
  private let partToTell: [AttributeID: Int]
  /// The parts that watch a characteristic of another service, by characteristic.
  private let watchers: [AttributeID: [Int]]
  /// The services in order, with the actions that each supports.
  private let doable: [(service: AttributeID, actions: Set<PhysicalAction.Kind>, part: Int?)]
  /// Status Tampered by service, if the service's behaviour doesn't handle tampering.
  private let tampered: [AttributeID: AttributeID]
  private let controlPoints: Set<AttributeID>
  /// The author of each range of the context's actions, in order: the end of the range, and the part.
  private var authors: [(end: Int, part: Int?)] = []
  package let live: [AttributeID]
  /// The parts that continue a part of the previous device, by the number of that part.
  private let continued: [Int: Int]
  /// Obstruction Detected of each service that has it, by the service's address.
  private let obstructions: [(service: AttributeID, characteristic: AttributeID)]

  /// - Parameters:
  ///   - behaviours: at most one per service of the database.
  ///   - parameters: the parameters that the behaviours were made with.
  ///   - continued: for a behaviour that continues, the number of its part in the previous device. It is not started
  ///     again.
  package init(
    _ database: AttributeDatabase, behaviours: [AttributeID: any Behaviour],
    parameters: [AttributeID: BehaviourParameters] = [:], continued: [AttributeID: Int] = [:]
  ) {
    var parts: [Part] = []
    var continuedParts: [Int: Int] = [:]
    var partOf: [AttributeID: Int] = [:]
    var partToTell: [AttributeID: Int] = [:]
    var obstructions: [(AttributeID, AttributeID)] = []
    var watchers: [AttributeID: [Int]] = [:]
    var doable: [(AttributeID, Set<PhysicalAction.Kind>, Int?)] = []
    var live: [AttributeID] = []
    var tampered: [AttributeID: AttributeID] = [:]
    var controlPoints: Set<AttributeID> = []
    for entry in database.services {
      let service = DeviceService(entry, in: database)
      if let obstruction = service[.obstructionDetected] { obstructions.append((service.id, obstruction)) }
      let behaviour = behaviours[service.id]
      var actions = behaviour?.actions ?? []
      if let id = service[.statusTampered], actions.insert(.tamper).inserted { tampered[service.id] = id }
      if !actions.isEmpty { doable.append((service.id, actions, behaviour == nil ? nil : parts.count)) }
      guard let behaviour else { continue }
      for slot in entry.slots {
        let id = database.id(ofSlot: slot)
        partOf[id] = parts.count
        if behaviour.mindsWrites { partToTell[id] = parts.count }
      }
      controlPoints.formUnion(behaviour.controlPoints)
      live += behaviour.live
      for id in behaviour.watched { watchers[id, default: []].append(parts.count) }
      if let old = continued[service.id] { continuedParts[old] = parts.count }
      parts.append(
        Part(
          behaviour: behaviour, parameters: parameters[service.id], tokenBase: parts.count * Self.tokensPerPart))
    }
    self.parts = parts
    self.partOf = partOf
    self.partToTell = partToTell
    self.obstructions = obstructions
    self.watchers = watchers
    self.doable = doable
    self.tampered = tampered
    self.controlPoints = controlPoints
    self.live = live
    self.continued = continuedParts
  }

  package func start(_ context: inout DeviceContext) {
    let running = Set(continued.values)
    visit(&context) { device, context in
      for part in device.parts.indices where !running.contains(part) { device.run(part, &context) { $0.start(&$1) } }
    }
  }

  package func token(continuing old: Int) -> Int? {
    continued[old / Self.tokensPerPart].map { parts[$0].tokenBase + old % Self.tokensPerPart }
  }

  /// Returns each service's behaviour, with its parameters and the number of its part.
  package func parts(
    in database: AttributeDatabase
  ) -> [AttributeID: (behaviour: any Behaviour, parameters: BehaviourParameters?, number: Int)] {
    var found: [AttributeID: (any Behaviour, BehaviourParameters?, Int)] = [:]
    for entry in database.services {
      guard let slot = entry.slots.first, let number = partOf[database.id(ofSlot: slot)] else { continue }
      let id = AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid)
      found[id] = (parts[number].behaviour, parts[number].parameters, number)
    }
    return found
  }

  package func written(_ write: ServiceWrite, _ context: inout DeviceContext) {
    visit(&context) { device, context in
      if let part = device.partToTell[write.first.id] { device.run(part, &context) { $0.written(write, &$1) } }
      guard !device.watchers.isEmpty else { return }
      for entry in write.entries { device.notice(entry.id, entry.value, &context) }
    }
  }

  package var judgesWrites: Bool { !controlPoints.isEmpty }

  package func judge(_ write: CharacteristicWrite, _ context: inout DeviceContext) -> WriteVerdict {
    guard controlPoints.contains(write.id), let part = partOf[write.id] else { return .accepted() }
    var response: Value?
    visit(&context) { $0.run(part, &$1) { response = $0.respond(to: write, &$1) } }
    return .accepted(response: response)
  }

  package func read(_ ids: [AttributeID], ticket: Ticket, _ context: inout DeviceContext) {
    visit(&context) { device, context in
      for id in ids {
        var value: Value?
        if let part = device.partOf[id] { device.run(part, &context) { value = $0.read(id, &$1) } }
        if let value = value ?? context.value(id) { context.answerRead(id, .success(value), ticket: ticket) }
      }
    }
  }

  package func command(_ command: DeviceCommand, _ context: inout DeviceContext) throws(CommandError) {
    switch command {
    case .set(let id, let value): try set(id, value, &context)
    case .obstruct(let isObstructed, let service): try set(try obstruction(of: service), .bool(isObstructed), &context)
    case .physical(let action, let service): try perform(action, service, &context)
    }
  }

  package func services(for command: DeviceCommand) -> [AttributeID] {
    switch command {
    case .set: []
    case .obstruct: obstructions.map(\.service)
    case .physical(let action, _): doable.filter { $0.actions.contains(action.kind) }.map(\.service)
    }
  }

  package func timerFired(_ token: Int, _ context: inout DeviceContext) {
    let part = token / Self.tokensPerPart
    guard parts.indices.contains(part) else { return }
    visit(&context) { $0.run(part, &$1) { $0.timerFired(token % Self.tokensPerPart, &$1) } }
  }

  private func set(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) throws(CommandError) {
    guard let characteristic = context.characteristic(id) else {
      throw CommandError(.noSuchCharacteristic, "there is no characteristic \(id)")
    }
    let canonical = try characteristic.admitByHand(value)
    visit(&context) { device, context in
      context.set(id, canonical)
      // The characteristic's own behaviour is notified here, not as a neighbour.
      device.authors.append((context.actions.count, device.partOf[id]))
      if let part = device.partOf[id] { device.run(part, &context) { $0.setByHand(id, canonical, &$1) } }
    }
  }

  private func perform(
    _ action: PhysicalAction, _ service: AttributeID?, _ context: inout DeviceContext
  ) throws(CommandError) {
    let meant = doable.filter { $0.actions.contains(action.kind) && (service == nil || $0.service == service) }
    guard let first = meant.first else {
      let place = service.map { "service \($0)" } ?? "this accessory"
      throw CommandError(.notPossible, "\(place) does not support \(action.kind.rawValue)")
    }
    guard meant.count == 1 else {
      let choices = meant.map { "\($0.service)" }.joined(separator: ", ")
      throw CommandError(
        .ambiguous, "several services support \(action.kind.rawValue) (\(choices)): name one with \"service\"")
    }
    if case .tamper(let isOpen) = action, let id = tampered[first.service] {
      return try set(id, .integer(isOpen ? 1 : 0), &context)
    }
    guard let part = first.part else { return }
    var failure: CommandError?
    visit(&context) { device, context in
      device.run(part, &context) { behaviour, context in
        do throws(CommandError) { try behaviour.perform(action, &context) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  private func obstruction(of service: AttributeID?) throws(CommandError) -> AttributeID {
    let meant = obstructions.filter { service == nil || $0.service == service }
    guard let first = meant.first else {
      let place = service.map { "service \($0)" } ?? "this accessory"
      throw CommandError(.notPossible, "\(place) has no Obstruction Detected, so it can't be obstructed")
    }
    guard meant.count == 1 else {
      let choices = meant.map { "\($0.service)" }.joined(separator: ", ")
      throw CommandError(.ambiguous, "several services can be obstructed (\(choices)): name one with \"service\"")
    }
    return first.characteristic
  }

  /// Runs `body`, then notifies the parts concerned about each value that was set, and about the values that they set
  /// in turn.
  private func visit(_ context: inout DeviceContext, _ body: (ComposedDevice, inout DeviceContext) -> Void) {
    authors.removeAll(keepingCapacity: true)
    let before = context.actions.count
    body(self, &context)
    // Only the resulting actions are limited, not the requested ones: a device may have any number of services.
    let most = 10_000 + 100 * (context.actions.count - before)
    var next = before
    var author = 0
    while next < context.actions.count {
      precondition(next - before < most, "behaviours set each other's values without end")
      while author < authors.count, authors[author].end <= next { author += 1 }
      if case .set(let id, let value) = context.actions[next] {
        let setter = author < authors.count ? authors[author].part : nil
        if let owner = partOf[id], owner != setter { run(owner, &context) { $0.setByNeighbour(id, value, &$1) } }
        notice(id, value, &context)
      }
      next += 1
    }
  }

  private func notice(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for part in watchers[id] ?? [] where partOf[id] != part { run(part, &context) { $0.noticed(id, value, &$1) } }
  }

  private func run(_ part: Int, _ context: inout DeviceContext, _ body: (any Behaviour, inout DeviceContext) -> Void) {
    let before = context.actions.count
    context.tokenBase = parts[part].tokenBase
    body(parts[part].behaviour, &context)
    context.tokenBase = 0
    if context.actions.count > before { authors.append((context.actions.count, part)) }
  }
}
