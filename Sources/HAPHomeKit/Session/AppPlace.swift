import Dispatch
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop

/// The surroundings of an app: its hub, and time. A program has the hub of a folder. A test has the hub of a simulated
/// world.
package protocol AppPlace: AnyObject, Sendable {
  /// Starts a task on the side of the hub: on a loop, or in the world.
  func start(_ body: @escaping @Sendable () async -> Void)
  /// Runs work on the side of the hub, in the order of the calls.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Calls a function when the place ends, because its simulated world does. A program's place does not end.
  func whenEnded(_ body: @escaping @Sendable () -> Void)
  /// Connects with the hub. The app then sends its request `attach`. In a task of `start`.
  /// - Throws: 91 if there is no hub; -1 if its folder can't be used.
  func connect() async throws(HomeError) -> any HomeLink
  /// Waits before another attempt to connect. In a task of `start`.
  /// - Returns: whether another attempt makes sense.
  func pause() async -> Bool
  /// A request of the app begins. In a simulated world, the clock may move until its end.
  func requestBegins()
  /// The completion handler of the request has returned.
  func requestEnds()
  /// Work for the main queue is about to be added.
  func mainWorkBegins()
  /// The time zone of new homes.
  var zone: ZoneName { get }
}

extension AppPlace {
  /// Runs work on the main queue.
  func onMain(_ work: @escaping @Sendable () -> Void) {
    mainWorkBegins()
    DispatchQueue.main.async(execute: work)
  }
}

/// The place of managers and browsers that are created from now on.
package enum AppPlaces {
  /// The place of a test's task; nil: `shared`.
  @TaskLocal package static var current: (any AppPlace)?
  private static let replaced = Guarded<(any AppPlace)?>(nil)

  /// Sets the place of code without a task-local value, such as a synchronous test; nil: the hub of a folder.
  package static func replace(by place: (any AppPlace)?) { replaced.withLock { $0 = place } }

  /// Sets the hub of a folder again, if this place was set.
  package static func withdraw(_ place: any AppPlace) {
    replaced.withLock { if $0 === place { $0 = nil } }
  }

  private static let standIn = Guarded<(any AppPlace)?>(nil)

  /// Replaces the hub of a folder for the rest of the process, so that a test does not use the real homes of a person.
  package static func replaceSystem(by place: any AppPlace) { standIn.withLock { $0 = place } }

  static var found: any AppPlace {
    current ?? replaced.withLock { $0 } ?? standIn.withLock { $0 } ?? SystemPlace.shared
  }
}
