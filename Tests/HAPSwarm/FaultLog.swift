/// The times of faults, and their machines.
struct FaultLog {
  struct Entry {
    let fault: SwarmFault
    /// The accessory; `nil`: all accessories.
    let accessory: Int?
    let controller: Int?
    let start: UInt64
    /// The time at which the fault and the recovery from it have ended; `.max` while the fault is active.
    var end: UInt64
  }

  private(set) var entries: [Entry] = []

  /// Adds a fault.
  /// - Returns: the index of the entry, for `end`.
  mutating func begin(_ fault: SwarmFault, accessory: Int?, controller: Int?, at time: UInt64) -> Int {
    entries.append(Entry(fault: fault, accessory: accessory, controller: controller, start: time, end: .max))
    return entries.count - 1
  }

  mutating func end(_ place: Int, at time: UInt64) { entries[place].end = time }

  /// Returns the faults between a controller and an accessory in a span of time.
  /// - Parameter controller: `nil`: any controller.
  func active(_ accessory: Int, _ controller: Int?, from start: UInt64, to end: UInt64) -> Set<SwarmFault> {
    var active: Set<SwarmFault> = []
    for entry in entries where entry.start <= end && entry.end >= start {
      guard entry.accessory == nil || entry.accessory == accessory else { continue }
      guard controller == nil || entry.controller == nil || entry.controller == controller else { continue }
      active.insert(entry.fault)
    }
    return active
  }
}
