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

  /// Apple's ADK's manners.
  public init() {}
}
