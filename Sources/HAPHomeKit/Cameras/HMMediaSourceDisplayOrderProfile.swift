import Foundation

// Safe: its property is a constant of a type that any thread may use.
/// The order of the inputs of a television. No accessory has one here. HMMediaSourceDisplayOrderProfile
public final class HMMediaSourceDisplayOrderProfile: HMAccessoryProfile, @unchecked Sendable {
  /// Called for changes of the order. HMMediaSourceDisplayOrderProfile.Delegate
  public protocol Delegate: AnyObject, Sendable {
    /// Never called: there is no order.
    func mediaSourceDisplayOrderProfileDidUpdateOrder(_ profile: HMMediaSourceDisplayOrderProfile)
  }

  private let slot = DelegateSlot<any Delegate>()

  /// The delegate, which is not retained.
  public var delegate: (any HMMediaSourceDisplayOrderProfile.Delegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// False: there is no order.
  public var canModifyOrder: Bool { false }
  /// Empty: there is no order.
  public var order: [Int] { [] }

  /// Refuses with the error 48.
  /// - Throws: as the form with a handler.
  public func writeOrder(_ order: [Int]) async throws {
    throw HMError(.operationNotSupported, "the hub does not write the order of the inputs of a television")
  }
}
