/// A step of an operation, in the order of the steps.
public enum ControllerProgress: Equatable, Sendable {
  /// The network is searched for the accessory.
  case searching
  /// The accessory was found, under this instance name.
  case found(String)
  /// A connection to the first of these addresses that answers is made. "192.0.2.7:51826".
  case connecting([String])
  /// Pair Setup runs. HAP R2 §5.6.
  case pairing
  /// The pairing is stored, under this name.
  case stored(String)
  /// The setup payload and the accessory's record have different categories. Both are numbers of HAP R2 §13.
  case categoryDiffers(payload: UInt8, advertised: UInt8)
  /// A deviation of the accessory from HAP that was tolerated, in words.
  case tolerated(String)
}
