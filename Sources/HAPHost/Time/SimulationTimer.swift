/// A timer of the simulation. It fires at exactly the moment of its clock at which it is due.
package final class SimulationTimer {
  private let clock: SimulationClock
  private(set) var onFire: () -> Void
  /// The time at which it is due, while it is started.
  fileprivate(set) var due = Duration.zero
  /// A number that rises with each start: of timers that are due at the same moment, the one with the lowest number
  /// fires first.
  fileprivate var order: UInt64 = 0
  /// Its index in the queue; `nil` while it is not started.
  fileprivate var place: Int?

  package init(_ clock: SimulationClock, onFire: @escaping () -> Void) {
    self.clock = clock
    self.onFire = onFire
  }

  /// Starts the timer, or restarts it.
  /// - Parameter delay: simulated time from now. Zero or less: fires at this moment, but not before this returns.
  package func start(after delay: Duration) { clock.start(self, after: delay) }

  /// Sets the action, for an owner that does not exist yet when the timer is made.
  package func setAction(_ action: @escaping () -> Void) { onFire = action }

  /// Stops the timer, which can be started again.
  package func cancel() { clock.cancel(self) }

  /// Stops the timer permanently.
  package func close() {
    cancel()
    onFire = {}
  }
}

/// Started timers, the next due one first: a binary heap whose members store their index, so that any of them can be
/// removed.
struct TimerQueue {
  private var heap: [SimulationTimer] = []
  private var lastOrder: UInt64 = 0

  var first: SimulationTimer? { heap.first }

  /// Adds a timer. A timer that is already in the queue is moved.
  mutating func insert(_ timer: SimulationTimer, due: Duration) {
    remove(timer)
    lastOrder += 1
    timer.due = due
    timer.order = lastOrder
    timer.place = heap.count
    heap.append(timer)
    rise(heap.count - 1)
  }

  /// Removes a timer, if it is in the queue.
  mutating func remove(_ timer: SimulationTimer) {
    guard let place = timer.place else { return }
    timer.place = nil
    let last = heap.removeLast()
    guard last !== timer else { return }
    heap[place] = last
    last.place = place
    sink(place)
    rise(place)
  }

  private func isBefore(_ a: SimulationTimer, _ b: SimulationTimer) -> Bool {
    a.due != b.due ? a.due < b.due : a.order < b.order
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    heap[a].place = a
    heap[b].place = b
  }

  private mutating func rise(_ place: Int) {
    var place = place
    while place > 0, isBefore(heap[place], heap[(place - 1) / 2]) {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ place: Int) {
    var place = place
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isBefore(heap[child], heap[least]) {
        least = child
      }
      if least == place { return }
      swap(place, least)
      place = least
    }
  }
}
