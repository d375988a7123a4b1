import HAPModel
import HAPProtocol

/// The standard device: a behaviour for each service that has one, and hands that can set everything else.
package final class ComposedDevice: Device {
  private struct Part {
    let behaviour: any Behaviour
    let tokenBase: Int
  }
  private static let tokensPerPart = 256

  private let parts: [Part]
  private let partOf: [AttributeID: Int]
  /// Obstruction Detected of each service that has it, by the service's address.
  private let obstructions: [(service: AttributeID, characteristic: AttributeID)]

  /// - Parameter behaviours: at most one for a service of the database.
  package init(_ database: AttributeDatabase, behaviours: [AttributeID: any Behaviour]) {
    var parts: [Part] = []
    var partOf: [AttributeID: Int] = [:]
    var obstructions: [(AttributeID, AttributeID)] = []
    for entry in database.services {
      let service = DeviceService(entry, in: database)
      if let obstruction = service[.obstructionDetected] { obstructions.append((service.id, obstruction)) }
      guard let behaviour = behaviours[service.id] else { continue }
      for slot in entry.slots { partOf[database.id(ofSlot: slot)] = parts.count }
      parts.append(Part(behaviour: behaviour, tokenBase: parts.count * Self.tokensPerPart))
    }
    self.parts = parts
    self.partOf = partOf
    self.obstructions = obstructions
  }

  package func start(_ context: inout DeviceContext) {
    for part in parts { with(part, &context) { $0.start(&$1) } }
  }

  package func written(_ write: ServiceWrite, _ context: inout DeviceContext) {
    guard let part = partOf[write.first.id] else { return }
    with(parts[part], &context) { $0.written(write, &$1) }
  }

  package func command(_ command: DeviceCommand, _ context: inout DeviceContext) throws(CommandError) {
    switch command {
    case .set(let id, let value): try set(id, value, &context)
    case .obstruct(let isObstructed, let service): try set(try obstruction(of: service), .bool(isObstructed), &context)
    }
  }

  package func timerFired(_ token: Int, _ context: inout DeviceContext) {
    let part = token / Self.tokensPerPart
    guard parts.indices.contains(part) else { return }
    with(parts[part], &context) { $0.timerFired(token % Self.tokensPerPart, &$1) }
  }

  private func set(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) throws(CommandError) {
    guard let characteristic = context.characteristic(id) else {
      throw CommandError(.noSuchCharacteristic, "there is no characteristic \(id)")
    }
    let canonical = try characteristic.admitByHand(value)
    context.set(id, canonical)
    guard let part = partOf[id] else { return }
    with(parts[part], &context) { $0.setByHand(id, canonical, &$1) }
  }

  private func obstruction(of service: AttributeID?) throws(CommandError) -> AttributeID {
    let meant = obstructions.filter { service == nil || $0.service == service }
    guard let first = meant.first else {
      let place = service.map { "service \($0)" } ?? "this accessory"
      throw CommandError(.notPossible, "\(place) has no Obstruction Detected, so nothing can be in its way")
    }
    guard meant.count == 1 else {
      let choices = meant.map { "\($0.service)" }.joined(separator: ", ")
      throw CommandError(.ambiguous, "several services can be obstructed (\(choices)): say which with \"service\"")
    }
    return first.characteristic
  }

  private func with(_ part: Part, _ context: inout DeviceContext, _ body: (any Behaviour, inout DeviceContext) -> Void)
  {
    context.tokenBase = part.tokenBase
    body(part.behaviour, &context)
    context.tokenBase = 0
  }
}
