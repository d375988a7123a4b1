import HAPHome
import HAPModel

/// One PUT before it is sent, with the actions that each entry carries out.
struct ScenePutPlan {
  struct Write {
    let entry: ScenePut.Entry
    /// Positions in the execution. Equal actions of two sets are one write.
    var actions: [Int]
  }

  let isTimed: Bool
  var writes: [Write] = []
}

/// Distributes the writes of one execution to one connection over as few PUTs as possible, either all timed or none.
///
/// Two sets of an execution can have different values for one characteristic. These are in different PUTs, in the order
/// of the sets, because the answer to a PUT has one status for each characteristic.
struct ScenePutBuilder {
  private let isTimed: Bool
  /// The writes of each characteristic, in the order of the first ones.
  private var lists: [[ScenePutPlan.Write]] = []
  private var positions: [AttributeID: Int] = [:]

  init(isTimed: Bool) { self.isTimed = isTimed }

  /// - Parameter action: the position of the action in the execution.
  mutating func add(_ entry: ScenePut.Entry, for action: Int) {
    let write = ScenePutPlan.Write(entry: entry, actions: [action])
    guard let position = positions[entry.id] else {
      positions[entry.id] = lists.count
      lists.append([write])
      return
    }
    let last = lists[position].count - 1
    if lists[position][last].entry.value == entry.value {
      lists[position][last].actions.append(action)
    } else {
      lists[position].append(write)
    }
  }

  /// The PUTs: the number of entries divided by 100, or the greatest number of values of a characteristic if that is
  /// more.
  var puts: [ScenePutPlan] {
    let total = lists.reduce(0) { $0 + $1.count }
    let most = lists.reduce(0) { max($0, $1.count) }
    let count = max((total + ScenePut.mostEntries - 1) / ScenePut.mostEntries, most)
    var puts = Array(repeating: ScenePutPlan(isTimed: isTimed), count: count)
    var next = 0
    for list in lists {
      // Counting round and round fills all PUTs equally, and the writes of one characteristic get different PUTs.
      let places = (next..<next + list.count).map { $0 % count }.sorted()
      for (place, write) in zip(places, list) { puts[place].writes.append(write) }
      next += list.count
    }
    return puts
  }
}
