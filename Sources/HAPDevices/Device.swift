import HAPAttributes
import HAPModel

/// What stands behind an accessory core: the physical side. It is told what a controller wrote or a person did, and when its
/// timers fire, and answers with actions in the context.
///
/// It lives on the accessory's loop, has no clock and no chance of its own, and never sees a session or a pairing; the core
/// never knows which device is there.
package protocol Device: AnyObject {
  /// Called once, before the first controller is served. If the device takes the place of another one while the accessory runs, the parts that
  /// continue are not started.
  func start(_ context: inout DeviceContext)
  /// The token here of a timer that the device before this one set; `nil`: its part does not continue, so the timer is forgotten.
  func token(continuing old: Int) -> Int?
  /// Controllers' writes to one service were accepted; the values stand in the database already, and may be what stood there before.
  func written(_ write: ServiceWrite, _ context: inout DeviceContext)
  /// Characteristics that the device is asked for at every read, since it alone knows them. Those of others stand in the database.
  var live: [AttributeID] { get }
  /// Tell these values with `context.answerRead`, now or later. What is not told within 9 seconds is answered as timed out.
  func read(_ ids: [AttributeID], ticket: Ticket, _ context: inout DeviceContext)
  /// Whether `judge` is to be called before a write takes effect.
  var judgesWrites: Bool { get }
  /// Take a write or refuse it, or say `.later` and answer with `context.answerWrite` within 9 seconds.
  func judge(_ write: CharacteristicWrite, _ context: inout DeviceContext) -> WriteVerdict
  /// A person does something at the device. Nothing is changed when it throws.
  func command(_ command: DeviceCommand, _ context: inout DeviceContext) throws(CommandError)
  /// The services to which a command could be done, whatever service it names.
  func services(for command: DeviceCommand) -> [AttributeID]
  /// A timer set with `context.schedule` is due.
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

/// What a person can do at a device.
package enum DeviceCommand: Equatable, Sendable {
  /// Turn, press or move something: a characteristic takes a value, also one that controllers can only read. The value may
  /// be as it came off the wire: the device makes it canonical or refuses it.
  case set(AttributeID, Value)
  /// Put something in the way of a door, or take it away. `service` is needed where several could be meant.
  case obstruct(Bool, service: AttributeID?)
  /// Anything else that is done to a service. `service` is needed where several could be meant.
  case deed(Deed, service: AttributeID?)
}

/// What a device asks of the shell that runs it, in the order in which it is to be done.
package enum DeviceAction: Equatable, Sendable {
  /// Give a characteristic a value, and tell those who subscribed. May be the value it has.
  case set(AttributeID, Value)
  /// Call `timerFired` with this token after a time ≥ 0. Replaces a timer of the same token.
  case schedule(token: Int, after: Duration)
  /// The value that a `read` asked for, within the rules of the characteristic; or why there is none.
  case answerRead(AttributeID, Result<Value, HAPStatus>, ticket: Ticket)
  /// What becomes of a write that `judge` had put off, by the write's number.
  case answerWrite(UInt64, WriteVerdict)
  /// Forget the timer with this token, if there is one.
  case cancel(token: Int)
}
