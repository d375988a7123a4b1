import Foundation
import HAPHome
import HAPHubLink
import HAPLoop

/// The part of an object that the session keeps up to date.
protocol SessionRecord: AnyObject, Sendable {
  /// Replaces the record after a change. With a record of another type, which a hub can send by mistake, the object ends.
  func replace(by record: any Sendable)
  /// The object was removed. It keeps its last record.
  func end()
}

/// Where an object is: its home, and the accessory and the service that contain it.
struct HomePath: Sendable {
  var home: HomeObjectID
  var accessory: HomeObjectID?
  var service: HomeObjectID?
}

/// The content of an object of HomeKit: a record of a home, and the session that keeps it up to date. Any thread may use
/// it.
final class Handle<Record: HomeObject & Sendable>: SessionRecord {
  private struct State: Sendable {
    var record: Record
    var isGone = false
    weak var session: AppSession?
  }

  let id: HomeObjectID
  let path: HomePath
  private let state: Guarded<State>

  init(_ record: Record, _ path: HomePath, _ session: AppSession?) {
    (id, self.path) = (record.id, path)
    state = Guarded(State(record: record, session: session))
  }

  /// The present record; after the removal of the object, the last one.
  var record: Record { state.withLock { $0.record } }
  /// Whether the object was removed from its home.
  var isGone: Bool { state.withLock { $0.isGone } }
  /// The session; nil after the end of its manager.
  var session: AppSession? { state.withLock { $0.session } }
  /// The session, as long as the object is in its home.
  var liveSession: AppSession? { state.withLock { $0.isGone ? nil : $0.session } }
  /// The home of the object.
  var home: HMHome? { session?.home(path.home) }
  /// The record of the home.
  var homeRecord: Home? { session?.homeRecord(path.home) }
  /// The identifier as an app sees it.
  var uuid: UUID { UUID(id) }

  func replace(by record: any Sendable) {
    guard let record = record as? Record else { return end() }
    state.withLock { state in
      state.record = record
      // It can be there again, after the hub got a backup.
      state.isGone = false
    }
  }

  func end() { state.withLock { $0.isGone = true } }

  /// A handle of another record in the same home, without a session.
  func detached<Other>(_ record: Other) -> Handle<Other> { Handle<Other>(record, path, nil) }
}

extension Handle {
  /// Sends a request about the object.
  /// - Parameter done: called on the main queue, after the objects show the changes.
  func ask(_ request: HubRequest, _ done: @escaping (Result<HubAnswer, HMError>) -> Void) {
    AppSession.ask(request, in: session, isGone: isGone, done)
  }

  /// Performs a command about the object.
  func perform(_ command: HomeCommand, _ done: @escaping ((any Error)?) -> Void) {
    ask(.perform(command)) { done($0.error) }
  }
}

extension Result where Failure == HMError {
  /// The error; nil: success.
  var error: HMError? { if case .failure(let error) = self { error } else { nil } }
}

extension UUID {
  init(_ id: HomeObjectID) {
    guard let uuid = UUID(uuidString: id.description) else { preconditionFailure("an identifier is a UUID") }
    self = uuid
  }
}

extension HomeObjectID {
  init(_ uuid: UUID) {
    guard let id = HomeObjectID(uuid.uuidString) else { preconditionFailure("a UUID is an identifier") }
    self = id
  }
}
