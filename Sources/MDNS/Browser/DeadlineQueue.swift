/// A priority queue of small numbers, ordered by their due times, then by number. Each number is in it at most once.
struct DeadlineQueue: Sendable {
  private static let absent = UInt32.max

  private var heap: [UInt32] = []
  /// The due time of each number.
  private var times: [Int64] = []
  /// The index of each number in `heap`.
  private var places: [UInt32] = []

  var first: (id: UInt32, due: Int64)? {
    guard let id = heap.first else { return nil }
    return (id, times[Int(id)])
  }

  /// Returns the due time of a number; nil: it is not in the queue.
  func due(of id: UInt32) -> Int64? {
    guard Int(id) < places.count, places[Int(id)] != Self.absent else { return nil }
    return times[Int(id)]
  }

  /// Adds a number, or moves it.
  mutating func set(_ id: UInt32, to due: Int64) {
    while times.count <= Int(id) {
      times.append(0)
      places.append(Self.absent)
    }
    times[Int(id)] = due
    if places[Int(id)] == Self.absent {
      places[Int(id)] = UInt32(heap.count)
      heap.append(id)
    }
    restore(Int(places[Int(id)]))
  }

  mutating func remove(_ id: UInt32) {
    guard Int(id) < places.count, places[Int(id)] != Self.absent else { return }
    let place = Int(places[Int(id)])
    places[Int(id)] = Self.absent
    let last = heap.removeLast()
    guard last != id else { return }
    heap[place] = last
    places[Int(last)] = UInt32(place)
    restore(place)
  }

  private func isBefore(_ one: UInt32, _ other: UInt32) -> Bool {
    (times[Int(one)], one) < (times[Int(other)], other)
  }

  /// Moves the number at an index up or down until the heap is ordered.
  private mutating func restore(_ start: Int) {
    var place = start
    while place > 0, isBefore(heap[place], heap[(place - 1) / 2]) {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    while true {
      var least = place
      for child in (2 * place + 1)...(2 * place + 2) where child < heap.count && isBefore(heap[child], heap[least]) {
        least = child
      }
      if least == place { return }
      swap(place, least)
      place = least
    }
  }

  private mutating func swap(_ one: Int, _ other: Int) {
    heap.swapAt(one, other)
    places[Int(heap[one])] = UInt32(one)
    places[Int(heap[other])] = UInt32(other)
  }
}
