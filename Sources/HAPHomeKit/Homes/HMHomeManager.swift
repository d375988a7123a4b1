import Dispatch
import Foundation
import HAPHome
import HAPHubLink
import HAPLoop

/// The homes of a person: the start of each app. HMHomeManager
///
/// The manager attaches to the hub of the folder `$XDG_STATE_HOME/hapctl/home`, or runs a hub in the process of the app
/// if none runs. In a test, it attaches to the hub of the simulated world. Its lists are empty until
/// `homeManagerDidUpdateHomes`. Keep a reference to it: without it, its objects refuse all requests.
public final class HMHomeManager: NSObject, Sendable {
  let session: AppSession
  private let slot = DelegateSlot<any HMHomeManagerDelegate>()
  /// Whether the delegate has to learn that the homes are known: they were before there was a delegate.
  private let owesCall = Guarded(false)

  /// Creates a manager, which begins to attach to its hub.
  public override convenience init() { self.init(AppPlaces.found) }

  package init(_ place: any AppPlace) {
    session = AppSession(place)
    super.init()
    session.sessionOwner = self
    session.open()
  }

  deinit { session.close() }

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMHomeManagerDelegate)? {
    get { slot.delegate }
    set {
      slot.set { [weak newValue] in newValue }
      guard newValue != nil, owesCall.withLock({ $0 }) else { return }
      session.place.onMain { [weak self] in self?.tellHomes() }
    }
  }

  /// Determined and authorized: no setting of a system refuses access to the homes.
  public var authorizationStatus: HMHomeManagerAuthorizationStatus { [.determined, .authorized] }

  /// The homes, in the order in which they were added; empty until `homeManagerDidUpdateHomes`.
  public var homes: [HMHome] { session.homes }

  /// The primary home; nil until `homeManagerDidUpdateHomes`, and without homes.
  @available(*, deprecated, message: "Apple's system chooses the home to show.")
  public var primaryHome: HMHome? { session.model.primaryHome.flatMap { session.home($0) } }

  // MARK: Changes

  /// Makes a home the primary one.
  /// - Throws: 12 for a home that was removed; 91 without a hub.
  @available(*, deprecated, message: "Apple's system chooses the home to show.")
  public func updatePrimaryHome(_ home: HMHome, completionHandler completion: @escaping ((any Error)?) -> Void) {
    home.handle.perform(.setPrimaryHome(home.handle.id), completion)
  }

  /// Makes a home the primary one.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Apple's system chooses the home to show.")
  public func updatePrimaryHome(_ home: HMHome) async throws {
    try await awaiting { updatePrimaryHome(home, completionHandler: $0) }
  }

  /// Adds a home. It has the time zone of the system, and no location.
  /// - Throws: 32 for a name that another home has; 35, 36, 60 for characters; 49 for too many homes.
  public func addHome(
    withName homeName: String, completionHandler completion: @escaping (HMHome?, (any Error)?) -> Void
  ) {
    let command = HomeCommand.addHome(
      name: homeName, zone: session.place.zone, location: nil, owner: NSFullUserName())
    session.ask(.perform(command)) { [session] result in
      let home: HMHome? = result.added { if case .homeAdded(let home) = $0 { session.home(home.id) } else { nil } }
      completion(home, result.error)
    }
  }

  /// Adds a home.
  /// - Throws: as the form with a handler.
  public func addHome(named homeName: String) async throws -> HMHome {
    try await awaiting { addHome(withName: homeName, completionHandler: $0) }
  }

  /// Removes a home with all that is in it. Its accessories lose their pairings when they can be reached.
  public func removeHome(_ home: HMHome, completionHandler completion: @escaping ((any Error)?) -> Void) {
    remove(home.record.accessories.filter { $0.bridge == nil }.map(\.id)[...], of: home.handle, completion)
  }

  /// Removes the pairings one by one, and then the home.
  private func remove(
    _ accessories: ArraySlice<HomeObjectID>, of home: Handle<Home>, _ completion: @escaping ((any Error)?) -> Void
  ) {
    guard let first = accessories.first else { return home.perform(.removeHome(home.id), completion) }
    home.ask(.remove(first, forgets: true)) { [self] result in
      // Another app may have removed it meanwhile.
      if let error = result.error, error.code != .notFound { return completion(error) }
      remove(accessories.dropFirst(), of: home, completion)
    }
  }

  /// Removes a home with all that is in it.
  /// - Throws: as the form with a handler.
  public func removeHome(_ home: HMHome) async throws {
    try await awaiting { removeHome(home, completionHandler: $0) }
  }
}

extension HMHomeManager: SessionOwner {
  func homesLoaded() {
    owesCall.withLock { $0 = true }
    tellHomes()
  }

  private func tellHomes() {
    guard let delegate else { return }
    let owes = owesCall.withLock { owes in
      defer { owes = false }
      return owes
    }
    if owes { delegate.homeManagerDidUpdateHomes(self) }
  }

  func homeAdded(_ home: HMHome) { delegate?.homeManager(self, didAdd: home) }
  func homeRemoved(_ home: HMHome) { delegate?.homeManager(self, didRemove: home) }
  func primaryHomeChanged() { delegate?.homeManagerDidUpdatePrimaryHome(self) }
}

extension Result where Success == HubAnswer, Failure == HMError {
  /// The object that the changes of an answer added.
  func added<Object>(_ find: (HomeChange.Detail) -> Object?) -> Object? {
    guard case .success(.changed(let changes)) = self else { return nil }
    for change in changes { if let object = find(change.detail) { return object } }
    return nil
  }
}

/// Called on the main queue when homes are added or removed by another app, and when the homes are known. HMHomeManagerDelegate
public protocol HMHomeManagerDelegate: NSObjectProtocol {
  /// Never called: no system setting changes the access to the homes.
  func homeManager(_ manager: HMHomeManager, didUpdate status: HMHomeManagerAuthorizationStatus)
  /// The homes are known: once at the start, and once after each absence of the hub.
  func homeManagerDidUpdateHomes(_ manager: HMHomeManager)
  /// Another app made another home the primary one.
  func homeManagerDidUpdatePrimaryHome(_ manager: HMHomeManager)
  /// Another app added a home.
  func homeManager(_ manager: HMHomeManager, didAdd home: HMHome)
  /// Another app removed a home, which keeps its last properties.
  func homeManager(_ manager: HMHomeManager, didRemove home: HMHome)
  /// Never called, as on Apple's systems.
  func homeManager(_ manager: HMHomeManager, didReceiveAddAccessoryRequest request: HMAddAccessoryRequest)
}

extension HMHomeManagerDelegate {
  /// Does nothing.
  public func homeManager(_ manager: HMHomeManager, didUpdate status: HMHomeManagerAuthorizationStatus) {}
  /// Does nothing.
  public func homeManagerDidUpdateHomes(_ manager: HMHomeManager) {}
  /// Does nothing.
  public func homeManagerDidUpdatePrimaryHome(_ manager: HMHomeManager) {}
  /// Does nothing.
  public func homeManager(_ manager: HMHomeManager, didAdd home: HMHome) {}
  /// Does nothing.
  public func homeManager(_ manager: HMHomeManager, didRemove home: HMHome) {}
  /// Does nothing.
  public func homeManager(_ manager: HMHomeManager, didReceiveAddAccessoryRequest request: HMAddAccessoryRequest) {}
}
