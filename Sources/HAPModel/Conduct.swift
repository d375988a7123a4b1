/// The manners of an accessory: every point where the protocol leaves a choice, or where real stacks differ.
///
/// The default is Apple's ADK's way. Each field says who does what. Cores consult this; they know no defects.
public struct Conduct: Hashable, Sendable {
  /// What to do with a written number or text that the constraints do not allow.
  public enum OutOfRange: String, Hashable, Sendable, CaseIterable {
    /// Answer -70410 (ADK, HAP-NodeJS, the SDK).
    case reject
    /// Take the nearest allowed value (HAP-python, brutella/hap).
    case clamp
  }

  /// A write outside minimum, maximum, step or length. ADK, HAP-NodeJS, SDK reject; HAP-python and brutella/hap clamp.
  public var outOfRange: OutOfRange = .reject

  /// How far off its grid a float may be to be taken and rounded, as a fraction of the step. ADK: 0.1; HAP-NodeJS and the SDK check
  /// no float steps (0.5 takes all).
  public var floatSnapFraction: Double = 0.1

  /// Whether true and false written to a number count as 1 and 0. ADK: yes; others refuse or convert likewise.
  public var takesBooleansAsNumbers: Bool = true

  /// How truth values are written in JSON.
  public enum Booleans: String, Hashable, Sendable, CaseIterable {
    /// `1` and `0` (ADK, HAP-NodeJS).
    case numbers
    /// `true` and `false` (HAP-python, brutella/hap).
    case words
  }

  /// Truth values in answers and events. Controllers take both.
  public var booleans: Booleans = .numbers

  /// The status beside 470 for an unverified request. ADK: -70411; HAP-NodeJS and the SDK: -70401.
  public var unverifiedStatus: HAPStatus = .insufficientAuthorization

  /// How long changes wait so that several go in one EVENT. ADK: 1 s; HAP-NodeJS 250 ms; HAP-python 500 ms; brutella/hap sends at once.
  /// The one deliberate departure of the default from ADK.
  public var coalescing: Duration = .milliseconds(250)

  /// Characteristic types whose events don't wait. ADK: Programmable Switch Event alone; HAP-NodeJS also Button Event, Motion Detected
  /// and Contact Sensor State.
  public var immediateEvents: Set<TypeID> = [0x73, 0x126, 0x22, 0x6A]

  /// Whether several changes of one characteristic within the window are all told, or only the last value. ADK and HAP-python: the
  /// last; HAP-NodeJS and the SDK: all.
  public var tellsIntermediateValues: Bool = false

  /// Whether Pair Setup takes only proofs made over values without leading zeros (ADK), or those of controllers that pad too.
  public var checksProofStrictly: Bool = false

  /// Most connections at once; at least 8 by the specification. ADK: 17.
  public var maximumSessions: Int = 17

  /// Most pairings; at least 16 by the specification. ADK: 16.
  public var maximumPairings: Int = 16

  /// How long the device may take for a read or a write of a characteristic before -70408 stands for it, and for it alone. HAP-NodeJS: 9 s;
  /// ADK waits for as long as the device takes.
  public var deviceDeadline: Duration = .seconds(9)

  /// Apple's ADK's manners, but for `coalescing` and `immediateEvents`.
  public init() {}
}
