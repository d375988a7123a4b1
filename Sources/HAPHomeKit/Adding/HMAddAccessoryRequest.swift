import Foundation

/// A request of another app to add an accessory. No app gets one: apps add accessories themselves. HMAddAccessoryRequest
public final class HMAddAccessoryRequest: NSObject, Sendable {
  /// The home that gets the accessory.
  public let home: HMHome
  /// The name of the accessory.
  public let accessoryName: String
  /// The category of the accessory.
  public let accessoryCategory: HMAccessoryCategory
  /// Whether `makePayload` needs a URL.
  public let requiresSetupPayloadURL: Bool
  /// False: there are no ownership tokens here.
  public var requiresOwnershipToken: Bool { false }

  init(home: HMHome, name: String, category: HMAccessoryCategory, requiresURL: Bool) {
    (self.home, accessoryName, accessoryCategory) = (home, name, category)
    requiresSetupPayloadURL = requiresURL
  }

  /// Returns nil: the payload of the accessory is not known.
  public func makePayload(ownershipToken: HMAccessoryOwnershipToken) -> HMAccessorySetupPayload? { nil }

  /// Returns a payload for the accessory; nil for a URL that is no setup payload.
  public func makePayload(url: URL, ownershipToken: HMAccessoryOwnershipToken) -> HMAccessorySetupPayload? {
    HMAccessorySetupPayload(url: url, ownershipToken: ownershipToken)
  }
}
