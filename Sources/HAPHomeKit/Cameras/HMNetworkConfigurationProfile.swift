import Foundation

// Safe: its property is a constant of a type that any thread may use.
/// The access of an accessory to the network. No accessory has one here: the hub does not configure routers.
/// HMNetworkConfigurationProfile
public final class HMNetworkConfigurationProfile: HMAccessoryProfile, @unchecked Sendable {
  private let slot = DelegateSlot<any HMNetworkConfigurationProfileDelegate>()

  /// The delegate, which is not retained.
  public var delegate: (any HMNetworkConfigurationProfileDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// False: no router restricts the access.
  public var isNetworkAccessRestricted: Bool { false }
}

/// Called for changes of the access to the network. HMNetworkConfigurationProfileDelegate
public protocol HMNetworkConfigurationProfileDelegate: NSObjectProtocol {
  /// Never called: the hub does not configure routers.
  func profileDidUpdateNetworkAccessMode(_ profile: HMNetworkConfigurationProfile)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMNetworkConfigurationProfileDelegate {
  /// Does nothing.
  public func profileDidUpdateNetworkAccessMode(_ profile: HMNetworkConfigurationProfile) {}
}
