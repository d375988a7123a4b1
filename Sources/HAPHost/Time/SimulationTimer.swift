/// A timer of the simulation: due at a moment of its clock, and fired at exactly that moment.
package final class SimulationTimer {
  private let clock: SimulationClock
  private(set) var onFire: () -> Void
  /// When it is due, while it is started.
  fileprivate(set) var due = Duration.zero
  /// Of timers due at the same moment, the one started first fires first.
  fileprivate var order: UInt64 = 0
  /// Its place in the queue; nil while it isn't started.
  fileprivate var place: Int?

  package init(_ clock: SimulationClock, onFire: @escaping () -> Void) {
    self.clock = clock
    self.onFire = onFire
  }

  /// Starts the timer, anew if it is started.
  /// - Parameter delay: of simulated time, from this moment; zero or less: at this moment, but not before this returns.
  package func start(after delay: Duration) { clock.start(self, after: delay) }

  /// For an owner that can't be named before it is made.
  package func setAction(_ action: @escaping () -> Void) { onFire = action }

  /// Stops the timer, which can be started again.
  package func cancel() { clock.cancel(self) }

  /// Stops the timer for good.
  package func close() {
    cancel()
    onFire = {}
  }
}

/// Started timers, the next one due first: a binary heap whose members know their place, so that one can be taken out.
struct TimerQueue {
  private var heap: [SimulationTimer] = []
  private var lastOrder: UInt64 = 0

  var first: SimulationTimer? { heap.first }

  /// Takes up a timer, which moves if it was in already.
  mutating func insert(_ timer: SimulationTimer, due: Duration) {
    remove(timer)
    lastOrder += 1
    timer.due = due
    timer.order = lastOrder
    timer.place = heap.count
    heap.append(timer)
    rise(heap.count - 1)
  }

  /// Does nothing when it isn't in.
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
