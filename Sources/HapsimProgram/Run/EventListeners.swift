import HAPHost
import HAPLoop
import Synchronization

/// Those who are told what happens to the accessories: the log, and who comes while it runs. The log hears from every loop, the others on one.
final class EventListeners: @unchecked Sendable {  // `listeners` is used on the loop's thread alone
  /// Which events a listener receives. Each case includes the ones before it.
  enum Selection: UInt8, Comparable {
    /// Events that are reported without a reader of events, too.
    case unasked
    /// All but requests, which would hide everything else in a log.
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
  private var listeners: [Listener] = []
  /// One more than the largest selection of a listener; 0: there is none. An event that no listener receives costs no more than this.
  private let most = Atomic<UInt8>(0)

  /// - Parameters:
  ///   - log: called on whichever loop something happens.
  ///   - loop: of the others.
  init(_ log: @escaping @Sendable (SimulatorEvent) -> Void, on loop: EventLoop) {
    self.log = log
    self.loop = loop
  }

  /// On the loop.
  /// - Returns: the listener's number, for `select`.
  @discardableResult
  func add(_ selection: Selection = .allButRequests, _ listener: @escaping (SimulatorEvent) -> Void) -> Int {
    loop.preconditionOnLoop()
    listeners.append(Listener(selection: selection, tell: listener))
    noteMost()
    return listeners.count - 1
  }

  /// Sets what a listener receives from now on. On the loop.
  func select(_ selection: Selection, for listener: Int) {
    loop.preconditionOnLoop()
    listeners[listener].selection = selection
    noteMost()
  }

  private func noteMost() {
    most.store(listeners.map { $0.selection.rawValue + 1 }.max() ?? 0, ordering: .releasing)
  }

  /// On any accessory's loop: at once for the log, and for the others where it is theirs.
  func tell(_ event: SimulatorEvent) {
    let selection: Selection = event.isRequest ? .all : event.isToldUnasked ? .unasked : .allButRequests
    if selection < .all { log(event) }
    guard selection.rawValue < most.load(ordering: .acquiring) else { return }
    if loop.isOnLoop { return pass(event, selection) }
    loop.schedule { self.pass(event, selection) }
  }

  private func pass(_ event: SimulatorEvent, _ selection: Selection) {
    for listener in listeners where selection <= listener.selection { listener.tell(event) }
  }
}
