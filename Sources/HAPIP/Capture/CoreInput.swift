import HAPAttributes
import HAPModel
import HAPWire

/// An input of an `AccessoryCore`. Together with the random bytes, a list of inputs defines a run: the same inputs
/// give the same outputs, byte by byte.
package enum CoreInput: Equatable, Sendable {
  case opened(ConnectionID, peer: String)
  case received(ConnectionID, [UInt8])
  case resumed(ConnectionID)
  case closed(ConnectionID)
  /// Slow work is done. Its result is not recorded, because a replay computes it again.
  case computed(Ticket)
  case stored(Ticket, succeeded: Bool)
  case advanced
  case changed([AttributeID: Value])
  case read(AttributeID, Result<Value, HAPStatus>, Ticket)
  case judged(UInt64, WriteVerdict)
  /// The device's immediate verdict on a write, given while the request was handled.
  case verdict(WriteVerdict)
  /// An accessory behind the bridge became unreachable, or reachable again.
  case reachable(aid: UInt64, Bool)
  /// Pairings were removed manually; the values are their identifiers.
  case unpaired([[UInt8]])
  case replaced(
    [Accessory], model: String, configurationNumber: UInt16, live: [AttributeID], judges: Bool, matter: MatterChoices)
  /// The accessory is also a Matter node, whose session subscribes to all characteristics with events.
  case joined(MatterEndpointState, MatterChoices)
  /// The session of Matter wrote values, in this order.
  case wrote([WrittenValue])
  /// The session of Matter asked the device for values.
  case asked([AttributeID])
}

/// The choices of a profile about its Matter side, by the service or the characteristic.
package typealias MatterChoices = [AttributeID: JSONNode]

/// A value that Matter writes, before the rules of the characteristic convert it.
package struct WrittenValue: Equatable, Sendable {
  package var id: AttributeID
  package var value: Value

  package init(_ id: AttributeID, _ value: Value) { (self.id, self.value) = (id, value) }
}

/// Records the inputs and outputs of a core.
package protocol CoreRecorder: AnyObject {
  func note(_ input: CoreInput, at now: Duration)
  func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration)
  /// A connection was closed before the core received it. This is not an input of the core.
  func turnedAway(peer: String, at now: Duration)
  /// The controller has ended its sending side, or reset the connection. This is not an input of the core.
  func ended(_ connection: ConnectionID, withReset: Bool, at now: Duration)
}
