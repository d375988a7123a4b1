import Foundation
import HAPModel

/// The content of the QR code of an accessory. HMAccessorySetupPayload
public final class HMAccessorySetupPayload: NSObject, Sendable {
  let content: SetupPayload
  let ownershipToken: HMAccessoryOwnershipToken?

  /// Reads a payload, such as "X-HM://0071WK4SM7OSX"; nil for another URL, and for nil.
  public convenience init?(url: URL?) {
    guard let url else { return nil }
    self.init(url: url, ownershipToken: nil)
  }

  /// Reads a payload; nil for another URL. The addition of an accessory with a token is refused with the error 48: only
  /// Apple can verify a token.
  public init?(url: URL, ownershipToken: HMAccessoryOwnershipToken?) {
    guard let content = try? SetupPayload(uri: url.absoluteString) else { return nil }
    (self.content, self.ownershipToken) = (content, ownershipToken)
  }

  /// The reason why no accessory can be added with the payload; nil: one can.
  var problem: HMError? {
    guard ownershipToken != nil else { return nil }
    return HMError(
      .operationNotSupported, "the payload has an ownership token, which only Apple can verify: use one without a token"
    )
  }
}
