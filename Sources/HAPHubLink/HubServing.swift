import HAPHome
import HAPLoop

/// A hub as its apps use it: directly in the same process, or through the server of its socket. An actor on the loop of
/// the server.
package protocol HubServing: Actor {
  /// Begins to serve an app. It has no name and gets no events until its request `attach`.
  func connect(_ app: any HubApp) async
  /// Takes a request. Returns when the next request of this app may be taken, which can be before the answer: so an app
  /// can change its homes while an accessory does not answer.
  /// - Parameter reply: called once, now or later, on the hub's executor and in the order of the changes: an answer
  ///   with changes or a snapshot, and the answer to `place`, come before the events of all later changes, and after
  ///   those of all earlier ones.
  func take(
    _ request: HubRequest, from app: any HubApp, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void
  ) async
  /// Stops serving an app: its subscriptions and its search end, and it gets no more events. Its requests that have
  /// been taken are completed. Does nothing for another app.
  func disconnect(_ app: any HubApp) async
  /// Returns who has a token of the page of homes; nil: it is not valid.
  func holder(ofToken token: String) -> TokenHolder?
  /// Calls a function on the hub's executor each time that a token is not valid any more.
  func whenTokenEnds(_ body: @escaping @Sendable () -> Void) async
}

/// The holder of a token of the page of homes.
package enum TokenHolder: Hashable, Sendable {
  /// The owner of the hub, who may do everything.
  case owner
  /// A user of a home, who may do what the role permits.
  case user(HomeObjectID)

  /// Nil: the owner of the hub.
  package var user: HomeObjectID? {
    switch self {
    case .owner: nil
    case .user(let id): id
    }
  }
}

extension HubServing {
  /// Starts a task on the hub's executor at once: another task would begin on a thread of the pool. On the loop.
  nonisolated func start(on loop: EventLoop, _ body: @escaping @Sendable (isolated Self) async -> Void) {
    assumeIsolated { hub in
      _ = loop.startTask { await body(hub) }
    }
  }
}

/// An app that a hub serves. The hub compares apps by their identity.
///
/// The hub calls the methods on its executor, in the order of the changes. They return at once, and call nothing of the
/// hub.
package protocol HubApp: AnyObject, Sendable {
  /// The process; nil: unknown.
  var processID: Int? { get }
  /// The user of a home for whom the app acts; nil: the owner of the hub.
  var user: HomeObjectID? { get }
  /// The number of times that events were dropped because the app read too slowly.
  var gaps: Int { get }
  /// Takes an event.
  func receive(_ event: SharedHubEvent)
  /// Ends the link, because the hub has ended. Called once; nothing is called afterwards.
  func end()
}

extension HubApp {
  package var user: HomeObjectID? { nil }
}

/// An event for any number of apps. Its line is made once, for the first app of another process.
package final class SharedHubEvent: Sendable {
  package let event: HubEvent
  private let made = Guarded<[UInt8]?>(nil)

  package init(_ event: HubEvent) { self.event = event }

  /// The line with its line end.
  package var line: [UInt8] {
    made.withLock { made in
      if let made { return made }
      let line = HubMessage.event(event).bytes
      made = line
      return line
    }
  }
}
