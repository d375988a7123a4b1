import HAPLoop
import HAPModel
import Synchronization

/// What somebody waits for.
enum Wish {
  /// An event that nobody else was waiting for. Called on the loop.
  case event((RecordedEvent) -> Bool)
  /// That a characteristic has this value.
  case value(AttributeID, Value)

  func isMet(by event: RecordedEvent) -> Bool {
    switch self {
    case .event(let matches): matches(event)
    case .value(let id, let value):
      (event.name == "changed" || event.name == "wrote") && event.characteristic?.id == id
        && event.value?.value == value
    }
  }

  /// Whether an event counts for nobody else.
  var takesIt: Bool {
    switch self {
    case .event: true
    case .value: false
    }
  }
}

/// How a wait ended.
enum WaitEnding: Sendable {
  /// With the event, where it was one.
  case met(RecordedEvent?)
  case late
  case cancelled
  case stopped
}

/// By which a wait is given up, also before it began.
final class WaitTicket: Sendable {
  private let cancelled = Atomic<Bool>(false)
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// Somebody who waits. Belongs to the loop's thread.
final class Wait {
  let wish: Wish
  let ticket: WaitTicket
  private let timer: LoopTimer
  private let done: (WaitEnding) -> Void

  init(_ wish: Wish, _ ticket: WaitTicket, _ timer: LoopTimer, _ done: @escaping (WaitEnding) -> Void) {
    self.wish = wish
    self.ticket = ticket
    self.timer = timer
    self.done = done
  }

  /// Once.
  func finish(_ ending: WaitEnding) {
    timer.close()
    done(ending)
  }
}
