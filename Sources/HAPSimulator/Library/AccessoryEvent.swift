import HAPModel
import HAPSimulatorCore

/// An event of a running accessory.
public struct AccessoryEvent: Sendable {
  /// The kind of an event. The raw value is the `event` of ``AccessoryEvent/json``.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The word in JSON, such as `wrote`.
    public let rawValue: String

    /// Creates a kind from any text. The known kinds are constants of this type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A client opened a connection.
    public static let connected = Kind(rawValue: "connected")
    /// A connection has ended.
    public static let disconnected = Kind(rawValue: "disconnected")
    /// A controller paired, or was added by an admin.
    public static let paired = Kind(rawValue: "paired")
    /// A pairing was removed.
    public static let unpaired = Kind(rawValue: "unpaired")
    /// A request arrived. Its effect is a separate event. Only reported by a simulator with `tellsRequests`.
    public static let requested = Kind(rawValue: "requested")
    /// A paired controller was verified: its session is secured.
    public static let verified = Kind(rawValue: "verified")
    /// A controller wrote a value.
    public static let wrote = Kind(rawValue: "wrote")
    /// A controller subscribed to a characteristic.
    public static let subscribed = Kind(rawValue: "subscribed")
    /// A controller unsubscribed from a characteristic.
    public static let unsubscribed = Kind(rawValue: "unsubscribed")
    /// A changed value was sent to a controller.
    public static let told = Kind(rawValue: "told")
    /// The device, or a person at it, changed a value.
    public static let changed = Kind(rawValue: "changed")
    /// The accessory identified itself.
    public static let identified = Kind(rawValue: "identify")
    /// A request was refused, or a connection cut.
    public static let refused = Kind(rawValue: "refused")
    /// The device has not answered for three seconds.
    public static let slow = Kind(rawValue: "slow")
    /// Another profile is served from now on.
    public static let reconfigured = Kind(rawValue: "reconfigured")
    /// A fault was switched on or off.
    public static let fault = Kind(rawValue: "fault")
    /// The accessory's radio was switched off or on.
    public static let radio = Kind(rawValue: "radio")
    /// A bridged accessory became unreachable, or reachable again.
    public static let reachable = Kind(rawValue: "reachable")
    /// The accessory has restarted, as if its process had.
    public static let restarted = Kind(rawValue: "restarted")
    /// The accessory is visible on the network.
    public static let advertised = Kind(rawValue: "advertised")
    /// Another host on the network has the name, so the accessory has another name now.
    public static let renamed = Kind(rawValue: "renamed")
    /// The accessory has other addresses now.
    public static let moved = Kind(rawValue: "addresses")
    /// The result of a search for the accessory on the network.
    public static let selfCheck = Kind(rawValue: "self-check")
    /// A commissioning window of Matter was opened.
    public static let windowOpened = Kind(rawValue: "window-opened")
    /// The commissioning window of Matter was closed, or its time is over.
    public static let windowClosed = Kind(rawValue: "window-closed")
    /// A controller of Matter has subscribed to attributes or events.
    public static let subscriptionBegan = Kind(rawValue: "subscription-began")
    /// A subscription of Matter has ended.
    public static let subscriptionEnded = Kind(rawValue: "subscription-ended")
    /// A Matter node has received or sent a message. Only reported by a simulator with `tellsRequests`.
    public static let message = Kind(rawValue: "message")
    /// An error after which the accessory continues.
    public static let trouble = Kind(rawValue: "trouble")
    /// Not an event of the accessory: earlier events were dropped because the record was full.
    public static let dropped = Kind(rawValue: "dropped")
  }

  private let recorded: RecordedEvent

  init(_ recorded: RecordedEvent) { self.recorded = recorded }

  /// The simulator's time of the event.
  public var time: Duration { recorded.time }
  /// The machine's time of the event, since the simulator was made.
  public var uptime: Duration { recorded.uptime }
  /// The kind of the event.
  public var kind: Kind { Kind(rawValue: recorded.name) }
  /// The name of the accessory, or of the bridge.
  public var accessory: String { recorded.accessory }
  /// The address of the event's characteristic, if it has one.
  public var characteristic: AttributeID? { recorded.characteristic?.id }
  /// The name of that characteristic: "Target Door State". On a bridge, the accessory's name precedes it.
  public var characteristicName: String? { recorded.characteristic?.name }
  /// The value that was written, changed or sent.
  public var value: Value? { recorded.value?.value }
  /// The catalogue's name for the value, if there is one: "open".
  public var word: String? { recorded.value?.word }
  /// The identifier of the controller that caused the event, or that was notified.
  public var controller: String? { recorded.controller }
  /// One line for users: "Target Door State (1.12): open (0)".
  public var text: String { recorded.text }
  /// All data of the event, as `hapsim run --json` writes it: one JSON object, whose members depend on the kind.
  public var json: String { recorded.json }
}

extension AccessoryEvent: CustomStringConvertible {
  /// The simulator's time, the machine's time in parentheses, and the event: "0:00:04.000 (+1.25 s)  Target Door State
  /// (1.12): open (0)".
  public var description: String { recorded.description }
}

extension AccessoryEvent.Kind: CustomStringConvertible {
  /// The raw value.
  public var description: String { rawValue }
}
