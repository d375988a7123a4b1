import HAPAttributes
import HAPModel

/// The physical side of an accessory. The accessory core passes it controllers' writes, people's commands and due
/// timers; the device answers with actions in the context.
///
/// A device runs on the accessory's loop and has no clock or randomness of its own. It never sees a session or a
/// pairing, and the core doesn't depend on the kind of device.
package protocol Device: AnyObject {
  /// Called once, before the first controller is served. If the device replaces another one while the accessory runs,
  /// the parts that continue are not started.
  func start(_ context: inout DeviceContext)
  /// Returns this device's token for a timer that the previous device set. `nil`: the part does not continue, so the
  /// timer is cancelled.
  func token(continuing old: Int) -> Int?
  /// Called after controllers' writes to one service were accepted. The database already has the values, which may
  /// equal the previous ones.
  func written(_ write: ServiceWrite, _ context: inout DeviceContext)
  /// The characteristics that the device is asked for at every read. The values of all others are read from the
  /// database.
  var live: [AttributeID] { get }
  /// Answers with `context.answerRead`, now or later. A value that is not answered within 9 seconds is reported as
  /// timed out.
  func read(_ ids: [AttributeID], ticket: Ticket, _ context: inout DeviceContext)
  /// Whether `judge` is called before a write takes effect.
  var judgesWrites: Bool { get }
  /// Accepts or refuses a write, or returns `.later` and answers with `context.answerWrite` within 9 seconds.
  func judge(_ write: CharacteristicWrite, _ context: inout DeviceContext) -> WriteVerdict
  /// Performs a person's command at the device. If it throws, nothing is changed.
  func command(_ command: DeviceCommand, _ context: inout DeviceContext) throws(CommandError)
  /// Returns the services that support a command, regardless of the service that it names.
  func services(for command: DeviceCommand) -> [AttributeID]
  /// Called when a timer that was set with `context.schedule` is due.
  func timerFired(_ token: Int, _ context: inout DeviceContext)
}

extension Device {
  package func token(continuing old: Int) -> Int? { nil }
  package var live: [AttributeID] { [] }
  package func read(_ ids: [AttributeID], ticket: Ticket, _ context: inout DeviceContext) {}
  package var judgesWrites: Bool { false }
  package func judge(_ write: CharacteristicWrite, _ context: inout DeviceContext) -> WriteVerdict { .accepted() }
  package func services(for command: DeviceCommand) -> [AttributeID] { [] }
}

/// A person's command at a device.
package enum DeviceCommand: Equatable, Sendable {
  /// Sets a characteristic's value, for example by turning, pressing or moving something. It can also set
  /// characteristics that controllers can only read. The value may be as received on the wire: the device makes it
  /// canonical or refuses it.
  case set(AttributeID, Value)
  /// Puts an obstacle in the way of a door, or removes it. `service` is required if several services qualify.
  case obstruct(Bool, service: AttributeID?)
  /// Any other physical action on a service. `service` is required if several services qualify.
  case physical(PhysicalAction, service: AttributeID?)
}

/// An action that a device requests from the shell that runs it. Actions are performed in the order of the requests.
package enum DeviceAction: Equatable, Sendable {
  /// Sets a characteristic's value and notifies the subscribers. The value may equal the present one.
  case set(AttributeID, Value)
  /// Calls `timerFired` with this token after a time ≥ 0. Replaces a timer with the same token.
  case schedule(token: Int, after: Duration)
  /// The result of a `read`: a value within the constraints of the characteristic, or the reason why there is none.
  case answerRead(AttributeID, Result<Value, HAPStatus>, ticket: Ticket)
  /// The verdict on a write that `judge` deferred, by the write's number.
  case answerWrite(UInt64, WriteVerdict)
  /// Cancels the timer with this token, if there is one.
  case cancel(token: Int)
}
