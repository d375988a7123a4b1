import HAPLoop
import HAPModel
import Synchronization

/// The condition of a wait.
enum WaitCondition {
  /// An event that no other wait has taken. The closure is called on the loop.
  case event((RecordedEvent) -> Bool)
  /// A characteristic has this value.
  case value(AttributeID, Value)

  func isMet(by event: RecordedEvent) -> Bool {
    switch self {
    case .event(let matches): matches(event)
    case .value(let id, let value):
      (event.name == "changed" || event.name == "wrote") && event.characteristic?.id == id
        && event.value?.value == value
    }
  }

  /// Whether an event that meets this condition is not offered to other waits.
  var takesIt: Bool {
    switch self {
    case .event: true
    case .value: false
    }
  }
}

/// The result of a wait.
enum WaitEnding: Sendable {
  /// The condition was met, by the event if there was one.
  case met(RecordedEvent?)
  case late
  case cancelled
  case stopped
}

/// Cancels a wait, even before it has begun.
final class WaitTicket: Sendable {
  private let cancelled = Atomic<Bool>(false)
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// A waiting caller. Belongs to the loop's thread.
final class Wait {
  let condition: WaitCondition
  let ticket: WaitTicket
  private let timer: LoopTimer
  private let done: (WaitEnding) -> Void

  init(_ condition: WaitCondition, _ ticket: WaitTicket, _ timer: LoopTimer, _ done: @escaping (WaitEnding) -> Void) {
    self.condition = condition
    self.ticket = ticket
    self.timer = timer
    self.done = done
  }

  /// Called once.
  func finish(_ ending: WaitEnding) {
    timer.close()
    done(ending)
  }
}
