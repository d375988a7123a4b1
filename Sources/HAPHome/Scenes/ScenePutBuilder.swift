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
  let isTimed: Bool
  private(set) var puts: [ScenePutPlan] = []
  /// The place of the last write of each characteristic.
  private var last: [AttributeID: (put: Int, write: Int)] = [:]
  /// The number of PUTs at the start of the list that are full.
  private var full = 0

  init(isTimed: Bool) { self.isTimed = isTimed }

  /// - Parameter action: the position of the action in the execution.
  mutating func add(_ entry: ScenePut.Entry, for action: Int) {
    let earlier = last[entry.id]
    if let earlier, puts[earlier.put].writes[earlier.write].entry.value == entry.value {
      puts[earlier.put].writes[earlier.write].actions.append(action)
      return
    }
    var index = max(full, earlier.map { $0.put + 1 } ?? 0)
    while index < puts.count, isFull(index) { index += 1 }
    if index == puts.count { puts.append(ScenePutPlan(isTimed: isTimed)) }
    last[entry.id] = (index, puts[index].writes.count)
    puts[index].writes.append(ScenePutPlan.Write(entry: entry, actions: [action]))
    while full < puts.count, isFull(full) { full += 1 }
  }

  private func isFull(_ index: Int) -> Bool { puts[index].writes.count == ScenePut.mostEntries }
}
