import HAPModel
import HAPProtocol

/// The life of one service: how its current values follow the targets that are written. Same rules as for `Device`, of which
/// it is a part. Tokens of its timers are 0..<256, its own.
package protocol Behaviour: AnyObject {
  func start(_ context: inout DeviceContext)
  /// A controller's writes to the service were accepted: those of one request come together.
  func written(_ write: ServiceWrite, _ context: inout DeviceContext)
  /// One of them, for behaviours to whom it is all the same.
  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// A person set a characteristic of the service; the context has the value already.
  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  func timerFired(_ token: Int, _ context: inout DeviceContext)
}

extension Behaviour {
  package func written(_ write: ServiceWrite, _ context: inout DeviceContext) {
    written(write.first.id, write.first.value, &context)
    for entry in write.others { written(entry.id, entry.value, &context) }
  }

  package func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {}
}

/// Where a behaviour finds its characteristics.
package struct DeviceService: Sendable {
  /// The service's own address.
  package let id: AttributeID
  package let type: TypeID
  private let characteristics: [TypeID: AttributeID]

  package init(id: AttributeID, type: TypeID, characteristics: [TypeID: AttributeID]) {
    self.id = id
    self.type = type
    self.characteristics = characteristics
  }

  /// Of two characteristics of one type it is the first.
  package init(_ entry: AttributeDatabase.ServiceEntry, in database: AttributeDatabase) {
    self.init(
      id: AttributeID(aid: database.accessoryEntries[entry.accessory].aid, iid: entry.iid), type: entry.type,
      characteristics: Dictionary(
        entry.slots.map { (database.characteristics[$0].type, database.id(ofSlot: $0)) },
        uniquingKeysWith: { a, _ in a }))
  }

  /// `nil` when the service has none of this type.
  package subscript(_ definition: CharacteristicDefinition) -> AttributeID? { characteristics[definition.type] }
}
