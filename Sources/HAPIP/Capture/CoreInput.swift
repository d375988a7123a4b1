import HAPAttributes
import HAPModel

/// Everything that is told to an `AccessoryCore`. With the bytes of chance it drew, a list of these is a run: the same inputs give the same
/// outputs, byte by byte.
package enum CoreInput: Equatable, Sendable {
  case opened(ConnectionID, peer: String)
  case received(ConnectionID, [UInt8])
  case resumed(ConnectionID)
  case closed(ConnectionID)
  /// Slow work is done. Its result is not noted: it is computed again.
  case computed(Ticket)
  case stored(Ticket, succeeded: Bool)
  case advanced
  case changed([AttributeID: Value])
  case read(AttributeID, Result<Value, HAPStatus>, Ticket)
  case judged(UInt64, WriteVerdict)
  /// What the device said of a write at once, while the request was worked off.
  case verdict(WriteVerdict)
  /// An accessory behind the bridge was lost, or found again.
  case reachable(aid: UInt64, Bool)
  /// Pairings were removed by hand, by their identifiers.
  case unpaired([[UInt8]])
  case replaced([Accessory], model: String, configurationNumber: UInt16, live: [AttributeID], judges: Bool)
}

/// Notes what goes into a core and what comes out.
package protocol CoreRecorder: AnyObject {
  func note(_ input: CoreInput, at now: Duration)
  func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration)
  /// A connection was cut off before the core had it. The core doesn't hear of it.
  func turnedAway(peer: String, at now: Duration)
  /// The controller has ended its sending, or reset the connection. The core doesn't hear of it.
  func ended(_ connection: ConnectionID, withReset: Bool, at now: Duration)
}
