import HAPModel

/// The instance IDs of one accessory. IDs in the file are kept; missing ones are assigned when all others are known.
struct InstanceIDs {
  private var taken: Set<UInt64> = []
  private var highest: UInt64 = 1
  /// The lowest number that may be free. It is used when no number above `highest` is left.
  private var lowestFree: UInt64 = 2

  /// - Returns: the ID, or 0 if one must be assigned later.
  mutating func claim(_ written: UInt64?, _ place: String, _ log: inout RemarkLog) -> UInt64 {
    guard let written else {
      log.add(place, "the instance ID is missing; a new one is assigned")
      return 0
    }
    if taken.insert(written).inserted {
      highest = max(highest, written)
      return written
    }
    log.add(place, "instance ID \(written) is already in use; a new one is assigned")
    return 0
  }

  /// Assigns the missing IDs. Instance ID 1 is reserved for Accessory Information. HAP R2 §6.6.1.
  func settled(_ accessory: Accessory, _ place: String, _ log: inout RemarkLog) -> Accessory {
    var ids = self
    var accessory = accessory
    let information = accessory.services.firstIndex { $0.type == 0x3E }
    for index in accessory.services.indices {
      if index == information {
        let iid = accessory.services[index].iid
        if iid > 1 { log.add(place, "Accessory Information has instance ID \(iid); it gets 1, as HomeKit requires") }
        accessory.services[index].iid = 1
      } else {
        ids.settle(&accessory.services[index].iid, place, &log)
      }
      for slot in accessory.services[index].characteristics.indices {
        ids.settle(&accessory.services[index].characteristics[slot].iid, place, &log)
      }
    }
    return accessory
  }

  private mutating func settle(_ iid: inout UInt64, _ place: String, _ log: inout RemarkLog) {
    if iid > 1 { return }
    if iid == 1 { log.add(place, "instance ID 1 is reserved for Accessory Information; a new one is assigned") }
    iid = next()
    taken.insert(iid)
  }

  /// Returns the next number above all others, or else any free number.
  private mutating func next() -> UInt64 {
    if highest < .max {
      highest += 1
      return highest
    }
    while taken.contains(lowestFree) { lowestFree += 1 }
    return lowestFree
  }
}
