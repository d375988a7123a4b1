import HAPLoop
import HAPSimulator
import Synchronization

/// Those who are told what happens to the accessories: the log, and who comes while it runs. The log hears from every loop, the others on one.
final class EventListeners: @unchecked Sendable {  // `listeners` is used on the loop's thread alone
  private let log: @Sendable (SimulatorEvent) -> Void
  private let loop: EventLoop
  private var listeners: [(hearsRequests: Bool, tell: (SimulatorEvent) -> Void)] = []
  private let hasListeners = Atomic(false)

  /// - Parameters:
  ///   - log: called on whichever loop something happens.
  ///   - loop: of the others.
  init(_ log: @escaping @Sendable (SimulatorEvent) -> Void, on loop: EventLoop) {
    self.log = log
    self.loop = loop
  }

  /// On the loop.
  /// - Parameter requests: whether it is told of each request, too; the log isn't, where these would hide everything else.
  func add(requests: Bool = false, _ listener: @escaping (SimulatorEvent) -> Void) {
    loop.preconditionOnLoop()
    listeners.append((requests, listener))
    hasListeners.store(true, ordering: .releasing)
  }

  /// On any accessory's loop: at once for the log, and for the others where it is theirs.
  func tell(_ event: SimulatorEvent) {
    if !event.isRequest { log(event) }
    guard hasListeners.load(ordering: .acquiring) else { return }
    if loop.isOnLoop { return pass(event) }
    loop.schedule { self.pass(event) }
  }

  private func pass(_ event: SimulatorEvent) {
    for listener in listeners where listener.hearsRequests || !event.isRequest { listener.tell(event) }
  }
}
