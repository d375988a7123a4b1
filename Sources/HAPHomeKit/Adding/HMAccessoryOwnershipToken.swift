import Foundation

/// A proof of the ownership of an accessory, from its manufacturer. It has no use here: only Apple can verify it.
/// HMAccessoryOwnershipToken
public final class HMAccessoryOwnershipToken: NSObject, Sendable {
  let data: Data

  /// Creates a token from its bytes; nil without a byte.
  public init?(data: Data) {
    guard !data.isEmpty else { return nil }
    self.data = data
  }
}
