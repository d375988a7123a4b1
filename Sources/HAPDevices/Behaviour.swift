import HAPAttributes
import HAPModel

/// The simulation of one service: how its current values follow the written targets. A behaviour is part of a
/// `Device`, so the same rules apply. Timer tokens are 0..<256 and private to the behaviour.
package protocol Behaviour: AnyObject {
  func start(_ context: inout DeviceContext)
  /// Whether writes to the service affect the behaviour. If not, `written` is not called, and writes cost nothing.
  var mindsWrites: Bool { get }
  /// Called after a controller's writes to the service were accepted. The writes of one request arrive together.
  func written(_ write: ServiceWrite, _ context: inout DeviceContext)
  /// Called once for each write, unless the behaviour implements the method above.
  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// Control points: `respond` supplies the write response instead of the written value.
  var controlPoints: [AttributeID] { get }
  /// Called before a control point is written. Returns the write response for a controller that requests one.
  func respond(to write: CharacteristicWrite, _ context: inout DeviceContext) -> Value?
  /// Called after a person set a characteristic of the service. The context already has the value.
  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  func timerFired(_ token: Int, _ context: inout DeviceContext)
  /// The physical actions that the service supports, other than setting values.
  var actions: Set<PhysicalAction.Kind> { get }
  /// Performs one of `actions`. If it throws, nothing is changed.
  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError)
  /// Called when the behaviour of another service set a characteristic of this service. By default it is treated as
  /// set by hand.
  func setByNeighbour(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// Characteristics of the accessory's other services that the behaviour depends on.
  var watched: [AttributeID] { get }
  /// Characteristics of the service that the behaviour is asked for at every read, such as a countdown.
  var live: [AttributeID] { get }
  /// Returns the present value of one of `live`, within the constraints of the characteristic. `nil`: the value that
  /// was set last.
  func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value?
  /// Called when one of `watched` was written, set by hand, or set by its own behaviour. The value may be unchanged.
  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
}

extension Behaviour {
  package var mindsWrites: Bool { true }
  package func written(_ write: ServiceWrite, _ context: inout DeviceContext) {
    written(write.first.id, write.first.value, &context)
    for entry in write.others { written(entry.id, entry.value, &context) }
  }

  package func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {}
  package var controlPoints: [AttributeID] { [] }
  package func respond(to write: CharacteristicWrite, _ context: inout DeviceContext) -> Value? { nil }
  package func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {}
  package func timerFired(_ token: Int, _ context: inout DeviceContext) {}
  package var actions: Set<PhysicalAction.Kind> { [] }
  package func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {}
  package func setByNeighbour(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    setByHand(id, value, &context)
  }
  package var live: [AttributeID] { [] }
  package func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value? { nil }
  package var watched: [AttributeID] { [] }
  package func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {}
}
