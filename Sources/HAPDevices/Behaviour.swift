import HAPAttributes
import HAPModel

/// The life of one service: how its current values follow the targets that are written. Same rules as for `Device`, of which
/// it is a part. Tokens of its timers are 0..<256, its own.
package protocol Behaviour: AnyObject {
  func start(_ context: inout DeviceContext)
  /// Whether writes to the service are of any consequence; where not, it isn't told of them, and they cost nothing.
  var mindsWrites: Bool { get }
  /// A controller's writes to the service were accepted: those of one request come together.
  func written(_ write: ServiceWrite, _ context: inout DeviceContext)
  /// One of them, for behaviours to whom it is all the same.
  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// Control points, whose write is answered by what it says here and not by the value written.
  var controlPoints: [AttributeID] { get }
  /// A control point is about to be written: what to answer, to whoever asks for it.
  func respond(to write: CharacteristicWrite, _ context: inout DeviceContext) -> Value?
  /// A person set a characteristic of the service; the context has the value already.
  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  func timerFired(_ token: Int, _ context: inout DeviceContext)
  /// What a person can do here besides setting values.
  var deeds: Set<Deed.Kind> { get }
  /// One of `deeds`. Nothing is changed when it throws.
  func perform(_ deed: Deed, _ context: inout DeviceContext) throws(CommandError)
  /// The behaviour of another service set a characteristic of this one: as if by hand, unless it says otherwise.
  func setByNeighbour(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// Characteristics of other services of the accessory that matter here.
  var watched: [AttributeID] { get }
  /// Characteristics of the service whose value is asked for at every read, such as a countdown.
  var live: [AttributeID] { get }
  /// The value of one of `live` at this moment, within the rules of the characteristic; nil: the one that was set last.
  func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value?
  /// One of `watched` was written, set by hand, or set by its own behaviour; perhaps to the value it had.
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
  package var deeds: Set<Deed.Kind> { [] }
  package func perform(_ deed: Deed, _ context: inout DeviceContext) throws(CommandError) {}
  package func setByNeighbour(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    setByHand(id, value, &context)
  }
  package var live: [AttributeID] { [] }
  package func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value? { nil }
  package var watched: [AttributeID] { [] }
  package func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {}
}
