import Foundation
import HAPHome

/// An event of a trigger: its content, and the list that has it.
struct EventKey: Hashable, Sendable {
  var record: HomeEvent
  /// Whether the event ends the effect of the trigger.
  var isEnd: Bool

  /// The identifier of the event in a trigger.
  func identifier(in trigger: HomeObjectID) -> UUID {
    // FNV-1a, 64 bits: the same after each start, unlike Swift's hashes.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let text = (isEnd ? "end" : "start") + IdentifierNotation().written(record).compactText
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return UUID(trigger.part(iid: hash))
  }
}

extension EventTrigger {
  /// Replaces the first event with a content.
  /// - Returns: false if there is none.
  mutating func replace(_ key: EventKey, by record: HomeEvent) -> Bool {
    guard let index = (key.isEnd ? endEvents : events).firstIndex(of: key.record) else { return false }
    if key.isEnd { endEvents[index] = record } else { events[index] = record }
    return true
  }
}
