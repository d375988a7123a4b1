import HAPModel
import HAPSimulatorCore

/// Something that happened to a running accessory.
public struct AccessoryEvent: Sendable {
  /// What kind of thing happened. The raw value is the `event` of ``AccessoryEvent/json``.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// `wrote`.
    public let rawValue: String

    /// Any text; those that there are, are constants of this type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Somebody opened a connection.
    public static let connected = Kind(rawValue: "connected")
    /// A connection has ended.
    public static let disconnected = Kind(rawValue: "disconnected")
    /// A controller paired, or was added by an admin.
    public static let paired = Kind(rawValue: "paired")
    /// A pairing was removed.
    public static let unpaired = Kind(rawValue: "unpaired")
    /// A request came; what becomes of it is told apart. Only where the simulator was asked to tell requests.
    public static let requested = Kind(rawValue: "requested")
    /// A paired controller proved itself: its session is secured.
    public static let verified = Kind(rawValue: "verified")
    /// A controller wrote a value.
    public static let wrote = Kind(rawValue: "wrote")
    /// A controller asked to be told of changes.
    public static let subscribed = Kind(rawValue: "subscribed")
    /// A controller wants to be told no more.
    public static let unsubscribed = Kind(rawValue: "unsubscribed")
    /// A controller was told a value that changed.
    public static let told = Kind(rawValue: "told")
    /// The device, or somebody at it, changed a value.
    public static let changed = Kind(rawValue: "changed")
    /// The accessory identified itself.
    public static let identified = Kind(rawValue: "identify")
    /// A request was refused, or a connection cut off.
    public static let refused = Kind(rawValue: "refused")
    /// The device has not answered for three seconds.
    public static let slow = Kind(rawValue: "slow")
    /// Another profile is served from now on.
    public static let reconfigured = Kind(rawValue: "reconfigured")
    /// A fault was switched on or off.
    public static let fault = Kind(rawValue: "fault")
    /// The accessory went off the network, or came back.
    public static let radio = Kind(rawValue: "radio")
    /// An accessory behind the bridge was lost, or found again.
    public static let reachable = Kind(rawValue: "reachable")
    /// The accessory is back, as if its process had started anew.
    public static let restarted = Kind(rawValue: "restarted")
    /// The accessory is visible on the network.
    public static let advertised = Kind(rawValue: "advertised")
    /// Its name was taken by somebody else on the network.
    public static let renamed = Kind(rawValue: "renamed")
    /// It is visible at other addresses now.
    public static let moved = Kind(rawValue: "addresses")
    /// Whether looking for it on the network found it.
    public static let selfCheck = Kind(rawValue: "self-check")
    /// Something is wrong that the accessory goes on with.
    public static let trouble = Kind(rawValue: "trouble")
    /// No event of the accessory: this many were dropped here for want of room.
    public static let dropped = Kind(rawValue: "dropped")
  }

  private let recorded: RecordedEvent

  init(_ recorded: RecordedEvent) { self.recorded = recorded }

  /// The simulator's time when it happened.
  public var time: Duration { recorded.time }
  /// The machine's time when it happened, since the simulator was made.
  public var uptime: Duration { recorded.uptime }
  /// What kind of thing happened.
  public var kind: Kind { Kind(rawValue: recorded.name) }
  /// The name of the accessory, or of the bridge.
  public var accessory: String { recorded.accessory }
  /// The address of the characteristic that it is about, where it is about one.
  public var characteristic: AttributeID? { recorded.characteristic?.id }
  /// The name of that characteristic: "Target Door State", with the accessory's in front behind a bridge.
  public var characteristicName: String? { recorded.characteristic?.name }
  /// The value that was written, changed or told.
  public var value: Value? { recorded.value?.value }
  /// The catalogue's word for the value, where it has one: "open".
  public var word: String? { recorded.value?.word }
  /// The identifier of the controller that did it, or that was told.
  public var controller: String? { recorded.controller }
  /// One line for people: "Target Door State (1.12): open (0)".
  public var text: String { recorded.text }
  /// All that is known of it, as `hapsim run --json` writes it: one JSON object, with members for each kind of event.
  public var json: String { recorded.json }
}

extension AccessoryEvent: CustomStringConvertible {
  /// The simulator's time, the machine's in brackets, and what happened: "0:00:04.000 (+1.25 s)  Target Door State (1.12): open (0)".
  public var description: String { recorded.description }
}

extension AccessoryEvent.Kind: CustomStringConvertible {
  /// The raw value.
  public var description: String { rawValue }
}
