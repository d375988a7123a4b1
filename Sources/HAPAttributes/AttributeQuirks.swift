import HAPModel

/// How an accessory handles its attributes, where stacks differ. The default follows HomeKitADK, except for the
/// fields that docs/reference/quirks.md lists.
public struct AttributeQuirks: Hashable, Sendable {
  /// How a written value is checked.
  public var values = ValueQuirks()

  /// The default behaviour.
  public init() {}

  // MARK: Reading and writing

  /// The status of a read of an unknown ID.
  public var unknownRead: HAPStatus = .doesNotExist
  /// The status of a write to an unknown ID.
  public var unknownWrite: HAPStatus = .doesNotExist
  /// Whether a value for an unknown ID ends the request with the answer `malformedBody`. If so, an entry for an unknown
  /// ID without a value succeeds.
  public var unknownWriteEndsRequest: Bool = false
  /// Whether an entry of a write with neither a value nor `ev` is refused with -70410. If not, it is ignored.
  public var refusesIdleEntries: Bool = true
  /// Whether reads, writes and subscriptions without permission are refused.
  public var checksPermissions: Bool = true
  /// The status of a written value that the characteristic does not accept.
  public var refusedValue: HAPStatus = .invalidValue
  /// Whether `r` without the permission `wr` gets status -70405. If not, `r` is ignored.
  public var refusesUnknownResponses: Bool = true
  /// Whether `r` without the permission `wr` returns the value. `refusesUnknownResponses` must be `false`.
  public var returnsUnknownResponses: Bool = false
  /// How long the device may take for one characteristic before the answer has status -70408 for it.
  public var deviceDeadline: Duration = .seconds(9)

  // MARK: Timed writes

  /// Whether characteristics with `tw` refuse a write that was not prepared.
  public var enforcesTimedWrites: Bool = true
  /// A set of sessions.
  public enum TimedWriteScope: String, Hashable, Sendable, CaseIterable {
    /// The session that prepared the write.
    case session
    /// Any session.
    case accessory
  }
  /// The sessions that may use a prepared write.
  public var timedWriteScope: TimedWriteScope = .session
  /// Whether a wrong `pid` cancels the prepared write.
  public var wrongPIDSpends: Bool = true
  /// Whether a second `/prepare` cancels the first. If not, both stay valid until they expire.
  public var laterPrepareReplaces: Bool = true

  // MARK: Events

  /// The time for which changes wait, so that one EVENT can report several of them.
  public var coalescing: Duration = .milliseconds(250)
  /// Whether an event is sent at once if the last EVENT on the connection is older than `coalescing`.
  public var sendsFirstEventAtOnce: Bool = false
  /// The characteristic types whose events are sent at once.
  public var immediateEvents: Set<TypeID> = [0x73, 0x126, 0x22, 0x6A]
  /// Whether an EVENT has every change of a characteristic. If not, it has the last value.
  public var tellsIntermediateValues: Bool = false
  /// Whether a controller gets the event for a value that it wrote.
  public var tellsWriter: Bool = false
  /// Whether a value that is equal to the current one causes an event.
  public var tellsUnchanged: Bool = false
}
