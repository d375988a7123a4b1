import MatterWire

/// The priority of an event. Records of each priority are kept apart. Matter 1.4 §7.14.1.3.
package enum EventPriority: UInt8, Hashable, Sendable, CaseIterable { case debug, info, critical }

/// When an event happened.
package enum EventTime: Hashable, Sendable {
  /// Since 1970, as Matter 1.4 §7.19.2.5 counts.
  case epoch(microseconds: UInt64)
  /// Since the node has started.
  case start(milliseconds: UInt64)
}

/// An event that happened. Matter 1.4 §7.14.
package struct EventRecord: Hashable, Sendable {
  package var number: UInt64
  package var path: EventPath
  package var priority: EventPriority
  package var time: EventTime
  /// The members of the event's structure.
  package var fields: [Element]
  /// The only fabric that may read it; nil: all.
  package var fabric: FabricIndex?

  package init(
    number: UInt64, path: EventPath, priority: EventPriority, time: EventTime, fields: [Element] = [],
    fabric: FabricIndex? = nil
  ) {
    (self.number, self.path, self.priority) = (number, path, priority)
    (self.time, self.fields, self.fabric) = (time, fields, fabric)
  }
}
