import HAPModel

/// A behaviour that regulates a room's temperature at intervals and whenever a value is set. The conforming type
/// chooses the limits.
protocol RoomRegulation: Behaviour {
  /// The machine's state, and the room temperature.
  var current: AttributeID? { get }
  var temperature: AttributeID? { get }
  /// Must include those of `ClimateParameters`.
  var parameters: BehaviourParameters { get }
  var room: RegulatedRoom { get set }

  /// Switches the machine as needed, and sets `current`.
  func regulate(_ context: inout DeviceContext)
}

extension RoomRegulation {
  private func look(_ context: inout DeviceContext) {
    regulate(&context)
    context.schedule(0, after: max(.seconds(1), parameters.duration("report")))
  }

  package func start(_ context: inout DeviceContext) {
    room = RegulatedRoom(context.value(temperature)?.doubleValue ?? 20, parameters, at: context.now)
    look(&context)
  }

  package func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    room.pass(to: context.now)
    regulate(&context)
  }

  package func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == current { return }
    if id == temperature { room.set(value.doubleValue ?? room.value, at: context.now) }
    written(id, value, &context)
  }

  package func timerFired(_ token: Int, _ context: inout DeviceContext) {
    room.pass(to: context.now)
    context.tell(temperature, room.value)
    look(&context)
  }
}
