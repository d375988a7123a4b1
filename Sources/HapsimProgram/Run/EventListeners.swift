import HAPHost
import HAPLoop
import Synchronization

/// The listeners to events of the accessories: the log, and others that are added while the process runs. The log is
/// called on every loop, the others on one.
final class EventListeners: Sendable {
  /// The events that a listener receives. Each case includes the ones before it.
  enum Selection: UInt8, Comparable {
    /// Events that are also reported if no client reads events.
    case unasked
    /// All events except requests, which would hide everything else in a log.
    case allButRequests
    case all

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Listener {
    var selection: Selection
    let tell: (SimulatorEvent) -> Void
  }

  private let log: @Sendable (SimulatorEvent) -> Void
  private let loop: EventLoop
  private let listeners: LoopBound<[Listener]>
  /// One more than the largest selection of a listener; 0 if there is none. It limits the cost of an event that no
  /// listener receives.
  private let most = Atomic<UInt8>(0)

  /// - Parameters:
  ///   - log: called on the loop of the event.
  ///   - loop: the loop of the other listeners.
  init(_ log: @escaping @Sendable (SimulatorEvent) -> Void, on loop: EventLoop) {
    self.log = log
    self.loop = loop
    listeners = LoopBound(loop, [])
  }

  /// Adds a listener. Call it on the loop.
  /// - Returns: the listener's number, for `select`.
  @discardableResult
  func add(_ selection: Selection = .allButRequests, _ listener: @escaping (SimulatorEvent) -> Void) -> Int {
    listeners.value.append(Listener(selection: selection, tell: listener))
    noteMost()
    return listeners.value.count - 1
  }

  /// Sets the events that a listener receives from now on. Call it on the loop.
  func select(_ selection: Selection, for listener: Int) {
    listeners.value[listener].selection = selection
    noteMost()
  }

  private func noteMost() {
    most.store(listeners.value.map { $0.selection.rawValue + 1 }.max() ?? 0, ordering: .releasing)
  }

  /// Reports an event. Call it on any accessory's loop. The log is called immediately, and so are the others if this is
  /// their loop.
  func tell(_ event: SimulatorEvent) {
    let selection: Selection = event.isRequest ? .all : event.isToldUnasked ? .unasked : .allButRequests
    if selection < .all { log(event) }
    guard selection.rawValue < most.load(ordering: .acquiring) else { return }
    if loop.isOnLoop { return pass(event, selection) }
    loop.schedule { self.pass(event, selection) }
  }

  private func pass(_ event: SimulatorEvent, _ selection: Selection) {
    for listener in listeners.value where selection <= listener.selection { listener.tell(event) }
  }
}
