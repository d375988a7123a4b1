import Foundation

// Safe: its properties are constants of types that any thread may use.
/// A set of services of an accessory with functions of their own. HMAccessoryProfile
public class HMAccessoryProfile: NSObject, @unchecked Sendable {
  /// The identifier.
  public let uniqueIdentifier: UUID
  /// The services of the profile.
  public let services: [HMService]
  private let owner = DelegateSlot<HMAccessory>()

  init(_ accessory: HMAccessory, _ services: [HMService]) {
    uniqueIdentifier = services.first?.uniqueIdentifier ?? accessory.uniqueIdentifier
    self.services = services
    super.init()
    owner.set { [weak accessory] in accessory }
  }

  /// The accessory, which is not retained.
  public var accessory: HMAccessory? { owner.delegate }
}
