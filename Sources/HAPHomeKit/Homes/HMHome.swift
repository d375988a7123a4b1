import Foundation
import HAPHome
import HAPHubLink
import HAPModel

/// A home with its accessories, rooms, scenes and triggers. HMHome
///
/// There is one object for each home, for as long as its manager exists. It changes on the main queue, just before the
/// delegates are called.
public final class HMHome: NSObject, Sendable {
  let handle: Handle<Home>
  private let slot = DelegateSlot<any HMHomeDelegate>()

  init(_ handle: Handle<Home>) { self.handle = handle }

  var record: Home { handle.record }
  var session: AppSession? { handle.session }

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMHomeDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// The name, unique among the homes.
  public var name: String { record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }
  /// Whether it is the primary home.
  public var isPrimary: Bool { session?.model.primaryHome == handle.id }
  /// Whether the hub can be reached.
  public var homeHubState: HMHomeHubState { session?.hubState ?? .notAvailable }
  /// False: the hub does not add routers.
  public var supportsAddingNetworkRouter: Bool { false }

  /// Renames the home.
  /// - Throws: 32, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the home.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  // MARK: Requests of the home

  /// Performs a command, and gives the object that it added.
  func add<Object>(
    _ command: HomeCommand, _ completion: @escaping (Object?, (any Error)?) -> Void,
    _ find: @escaping (AppSession, HomeChange.Detail) -> Object?
  ) {
    let session = session
    handle.ask(.perform(command)) { result in
      completion(session.flatMap { session in result.added { find(session, $0) } }, result.error)
    }
  }

  /// Returns the error for an object that can't be used in this home; nil: it can.
  func problem(with other: Handle<some HomeObject & Sendable>) -> HMError? {
    if other.isGone { return .removedObject }
    guard other.path.home == handle.id else {
      return HMError(.objectAssociatedToAnotherHome, "the object is in another home than \"\(name)\"")
    }
    return nil
  }

  /// Performs a command about an object of this home.
  func perform(
    _ command: HomeCommand, with other: Handle<some HomeObject & Sendable>, _ done: @escaping ((any Error)?) -> Void
  ) {
    if let problem = problem(with: other) { return AppSession.refuse(problem) { done($0.error) } }
    handle.perform(command, done)
  }
}

extension HMHome: HomeKitObject {}

extension AppSession {
  /// Whether the hub can be reached.
  var hubState: HMHomeHubState {
    state.withLock { state in
      switch state.connection {
      case .attached: .connected
      case .connecting: state.snapshot == nil ? .notAvailable : .disconnected
      case .lost, .closed: .disconnected
      }
    }
  }
}
