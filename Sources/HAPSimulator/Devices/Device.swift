import HAPModel

/// What stands behind an accessory core: the physical side. It is told what a controller wrote or a person did, and when its
/// timers fire, and answers with actions in the context.
///
/// It lives on the accessory's loop, has no clock and no chance of its own, and never sees a session or a pairing; the core
/// never knows which device is there.
package protocol Device: AnyObject {
  /// Called once, before the first controller is served.
  func start(_ context: inout DeviceContext)
  /// A controller's write was accepted, and `value` stands in the database already; it may be what stood there before.
  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext)
  /// A person does something at the device. Nothing is changed when it throws.
  func command(_ command: DeviceCommand, _ context: inout DeviceContext) throws(CommandError)
  /// A timer set with `context.schedule` is due.
  func timerFired(_ token: Int, _ context: inout DeviceContext)
}

/// What a person can do at a device.
package enum DeviceCommand: Equatable, Sendable {
  /// Turn, press or move something: a characteristic takes a value, also one that controllers can only read. The value may
  /// be as it came off the wire: the device makes it canonical or refuses it.
  case set(AttributeID, Value)
  /// Put something in the way of a door, or take it away. `service` is needed where several could be meant.
  case obstruct(Bool, service: AttributeID?)
}

/// What a device asks of the shell that runs it, in the order in which it is to be done.
package enum DeviceAction: Equatable, Sendable {
  /// Give a characteristic a value, and tell those who subscribed. May be the value it has.
  case set(AttributeID, Value)
  /// Call `timerFired` with this token after a time ≥ 0. Replaces a timer of the same token.
  case schedule(token: Int, after: Duration)
  /// Forget the timer with this token, if there is one.
  case cancel(token: Int)
}
