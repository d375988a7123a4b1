import HAPModel
import HAPPairing

/// The reason why an operation on an accessory failed outside its connection. Errors of a connection are `ClientError`;
/// errors of the storage are those of the `PairingStorage`.
package enum AccessError: Error, Sendable {
  /// No stored pairing has this name, device ID or address. `nearest`: a similar name that has one.
  case noPairing(Target, nearest: String?)
  /// The search found no accessory that matches the target. `trouble`: the reason why the network could not be
  /// searched.
  case notFound(Target, within: Duration, trouble: String?, nearest: String?)
  /// Several accessories on the network match the target.
  case ambiguous(Target, [FoundAccessory])
  /// The accessory has no stored pairing. nil: the accessory was not searched.
  case notPaired(Target, FoundAccessory?)
  /// An address of a pairing can't be parsed.
  case malformedAddress(String, reason: String)
  /// A stored pairing already has this name.
  case nameTaken(String)
  /// The accessory's setup hash doesn't match the payload's setup ID.
  case otherAccessory(FoundAccessory, SetupID)
  /// Pair Setup failed. HAP R2 §5.6.
  case pairSetup(PairingFailure)
  /// The accessory is already paired with this controller, under this name.
  case pairedHere(String)
  /// The database has no characteristic Identify.
  case noIdentify
  /// The accessory refused to identify itself, with this HAP status.
  case identifyRefused(Int)
  /// The accessory refused to identify itself, with this HTTP status, because it is paired. HAP R2 §6.7.6.
  case identifyForbidden(Int)
  /// An entry of the list of pairings has no identifier or no 32-byte key.
  case unreadablePairings
  /// The accessory refused Add, Remove or List Pairings with this error code. HAP R2 §5.10-5.12.
  case pairingsRefused(UInt8)
}
