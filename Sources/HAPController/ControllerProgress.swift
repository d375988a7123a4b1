/// A step of an operation, in the order of the steps.
public enum ControllerProgress: Equatable, Sendable {
  /// The search for the accessory began.
  case searching
  /// The accessory was found, under this instance name.
  case found(String)
  /// Connecting to these addresses began; the first one that answers is used. An address is text such as
  /// "192.0.2.7:51826".
  case connecting([String])
  /// Pair Setup began. HAP R2 §5.6.
  case pairing
  /// The pairing was stored, under this name.
  case stored(String)
  /// The setup payload and the accessory's record have different categories. Both are numbers of HAP R2 §13.
  case categoryDiffers(payload: UInt8, advertised: UInt8)
  /// A tolerated deviation of the accessory from HAP, as text.
  case tolerated(String)
}
