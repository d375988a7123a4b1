import HAPModel

/// The instance IDs of one accessory: those that are written count, what has none gets one when all are known.
struct InstanceIDs {
  private var taken: Set<UInt64> = []
  private var highest: UInt64 = 1
  /// Looked at once there is nothing above the highest.
  private var lowestFree: UInt64 = 2

  /// - Returns: 0 where one is still to be given.
  mutating func claim(_ written: UInt64?, _ place: String, _ log: inout RemarkLog) -> UInt64 {
    guard let written else {
      log.add(place, "there is no instance ID; it gets one")
      return 0
    }
    if taken.insert(written).inserted {
      highest = max(highest, written)
      return written
    }
    log.add(place, "instance ID \(written) is another's already; it gets a new one")
    return 0
  }

  /// Gives out what is missing. Instance ID 1 is Accessory Information's, and nothing else's. HAP R2 §6.6.1.
  func settled(_ accessory: Accessory, _ place: String, _ log: inout RemarkLog) -> Accessory {
    var ids = self
    var accessory = accessory
    let information = accessory.services.firstIndex { $0.type == 0x3E }
    for index in accessory.services.indices {
      if index == information {
        let iid = accessory.services[index].iid
        if iid > 1 { log.add(place, "Accessory Information has instance ID \(iid); it gets 1, as HomeKit wants it") }
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
    if iid == 1 { log.add(place, "instance ID 1 is Accessory Information's; what had it gets a new one") }
    iid = next()
    taken.insert(iid)
  }

  /// Above all others, or wherever there is room.
  private mutating func next() -> UInt64 {
    if highest < .max {
      highest += 1
      return highest
    }
    while taken.contains(lowestFree) { lowestFree += 1 }
    return lowestFree
  }
}
