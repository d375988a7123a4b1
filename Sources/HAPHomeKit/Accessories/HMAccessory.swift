import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel

/// An accessory of a home, or one that a browser found. HMAccessory
public final class HMAccessory: NSObject, HomeKitObject {
  private enum Place: Sendable {
    case home(Handle<HomeAccessory>)
    /// On the network, in no home.
    case found(FoundAccessory)
  }

  private let place: Guarded<Place>
  private let slot = DelegateSlot<any HMAccessoryDelegate>()

  init(_ handle: Handle<HomeAccessory>) { place = Guarded(.home(handle)) }

  init(_ found: FoundAccessory) { place = Guarded(.found(found)) }

  /// Nil for an accessory that is in no home.
  var handle: Handle<HomeAccessory>? { if case .home(let handle) = place.withLock({ $0 }) { handle } else { nil } }

  var found: FoundAccessory? { if case .found(let found) = place.withLock({ $0 }) { found } else { nil } }

  /// An accessory that a browser found was added to a home.
  func join(_ handle: Handle<HomeAccessory>) { place.withLock { $0 = .home(handle) } }

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMAccessoryDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  // MARK: Identity

  /// The name in the home. An accessory that is in no home has the name of its network record.
  public var name: String { handle?.record.name.text ?? found?.news.name ?? "" }
  /// The identifier, which stays the same after renames and relaunches. The addition to a home gives another one.
  public var uniqueIdentifier: UUID { handle?.uuid ?? found?.identifier ?? UUID() }
  /// The same as `uniqueIdentifier`.
  @available(*, deprecated, message: "Use uniqueIdentifier.")
  public var identifier: UUID { uniqueIdentifier }
  /// The category.
  public var category: HMAccessoryCategory {
    HMAccessoryCategory(number: handle?.record.category ?? found?.news.category ?? 1)
  }
  /// The manufacturer; nil without a text, and for an accessory that is in no home.
  public var manufacturer: String? { handle?.record.information.manufacturer }
  /// The model; nil without a text.
  public var model: String? { handle?.record.information.model ?? found?.news.model }
  /// The version of the firmware, such as "1.0.2"; nil without a text.
  public var firmwareVersion: String? { handle?.record.information.firmware }
  /// The aid; nil for an accessory that is in no home.
  public var hapInstanceID: UInt64? { handle?.record.aid }
  /// Nil: it is no Matter accessory.
  public var matterNodeID: UInt64? { nil }
  /// False: there are no vendors' apps.
  public var isVendorAccessory: Bool { false }

  // MARK: Place

  /// The home; nil for an accessory that is in no home.
  public var home: HMHome? { handle.flatMap { $0.isGone ? nil : $0.home } }

  /// The room; nil for an accessory that is in no home.
  public var room: HMRoom? {
    guard let handle, let session = handle.liveSession, let home = handle.homeRecord else { return nil }
    return session.room(handle.record.room, in: home)
  }

  /// The services, in the order of the accessory.
  public var services: [HMService] {
    guard let handle, let session = handle.session else { return [] }
    return handle.record.services.map { session.service($0, of: handle.id, in: handle.path.home) }
  }

  /// Whether it is behind a bridge.
  public var isBridged: Bool { handle?.record.bridge != nil }

  /// The accessories behind a bridge; none for other accessories.
  public var bridgedAccessories: [HMAccessory] {
    guard let handle, let session = handle.liveSession, let home = handle.homeRecord else { return [] }
    return home.accessories.filter { $0.bridge == handle.id }.map { session.accessory($0, in: home.id) }
  }

  /// The identifiers of the accessories behind a bridge; nil for other accessories.
  public var uniqueIdentifiersForBridgedAccessories: [UUID]? {
    let bridged = bridgedAccessories.map(\.uniqueIdentifier)
    return bridged.isEmpty ? nil : bridged
  }

  /// The same as `uniqueIdentifiersForBridgedAccessories`.
  @available(*, deprecated, message: "Use uniqueIdentifiersForBridgedAccessories.")
  public var identifiersForBridgedAccessories: [UUID]? { uniqueIdentifiersForBridgedAccessories }

  // MARK: State

  /// Whether the hub can reach it. An accessory that a browser found is on the network.
  public var isReachable: Bool {
    guard let handle else { return found != nil }
    return handle.liveSession?.isReachable(handle.id) ?? false
  }

  /// Whether the hub refuses requests because the accessory broke the protocol several times.
  public var isBlocked: Bool { handle?.record.isBlocked ?? false }
  /// True: each HAP accessory can identify itself (HAP R2 §6.7.6).
  public var supportsIdentify: Bool { true }
  /// None: the hub has no camera streams and no network profiles.
  public var profiles: [HMAccessoryProfile] { [] }
  /// Nil: the hub has no camera streams.
  public var cameraProfiles: [HMCameraProfile]? { nil }

  // MARK: Requests

  /// Renames the accessory in the home. The accessory itself keeps its name.
  /// - Throws: 31, 35, 36, 60 for the name; 12 for an accessory that is in no home.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    guard let handle else { return AppSession.refuse(.notInHome) { completion($0.error) } }
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the accessory in the home.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Makes the accessory identify itself: it blinks or beeps.
  /// - Throws: 4 if it can't be reached, 88 for a bridged accessory; 61 if it is blocked.
  public func identify(completionHandler completion: @escaping ((any Error)?) -> Void) {
    if let handle {
      handle.ask(.identify(handle.id)) { completion($0.error) }
    } else if let found {
      AppSession.ask(.identifyNew(found.news.device), in: found.session, isGone: false) { completion($0.error) }
    }
  }

  /// Makes the accessory identify itself.
  /// - Throws: as the form with a handler.
  public func identify() async throws { try await awaiting { identify(completionHandler: $0) } }
}

extension AppSession {
  func isReachable(_ accessory: HomeObjectID) -> Bool {
    state.withLock { state in
      guard case .attached = state.connection else { return false }
      return state.snapshot.map { $0.unreachable[accessory] == nil } ?? false
    }
  }
}

/// Called on the main queue for the changes of an accessory that another app, a person or the accessory made.
/// HMAccessoryDelegate
public protocol HMAccessoryDelegate: NSObjectProtocol, Sendable {
  /// The accessory has another name.
  func accessoryDidUpdateName(_ accessory: HMAccessory)
  /// A service has another name.
  func accessory(_ accessory: HMAccessory, didUpdateNameFor service: HMService)
  /// A switch or an outlet controls a device of another type.
  func accessory(_ accessory: HMAccessory, didUpdateAssociatedServiceTypeFor service: HMService)
  /// The accessory has other services or characteristics.
  func accessoryDidUpdateServices(_ accessory: HMAccessory)
  /// Never called: accessories have no profiles here.
  func accessory(_ accessory: HMAccessory, didAdd profile: HMAccessoryProfile)
  /// Never called: accessories have no profiles here.
  func accessory(_ accessory: HMAccessory, didRemove profile: HMAccessoryProfile)
  /// The hub can reach the accessory again, or no longer.
  func accessoryDidUpdateReachability(_ accessory: HMAccessory)
  /// A characteristic whose notifications are enabled has another value, or a button was pressed.
  func accessory(_ accessory: HMAccessory, service: HMService, didUpdateValueFor characteristic: HMCharacteristic)
  /// The accessory has another firmware.
  func accessory(_ accessory: HMAccessory, didUpdateFirmwareVersion firmwareVersion: String)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMAccessoryDelegate {
  /// Does nothing.
  public func accessoryDidUpdateName(_ accessory: HMAccessory) {}
  /// Does nothing.
  public func accessory(_ accessory: HMAccessory, didUpdateNameFor service: HMService) {}
  /// Does nothing.
  public func accessory(_ accessory: HMAccessory, didUpdateAssociatedServiceTypeFor service: HMService) {}
  /// Does nothing.
  public func accessoryDidUpdateServices(_ accessory: HMAccessory) {}
  /// Does nothing.
  public func accessory(_ accessory: HMAccessory, didAdd profile: HMAccessoryProfile) {}
  /// Does nothing.
  public func accessory(_ accessory: HMAccessory, didRemove profile: HMAccessoryProfile) {}
  /// Does nothing.
  public func accessoryDidUpdateReachability(_ accessory: HMAccessory) {}
  /// Does nothing.
  public func accessory(
    _ accessory: HMAccessory, service: HMService, didUpdateValueFor characteristic: HMCharacteristic
  ) {}
  /// Does nothing.
  public func accessory(_ accessory: HMAccessory, didUpdateFirmwareVersion firmwareVersion: String) {}
}
