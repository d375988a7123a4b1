import HAPWire
import MatterModel
import MatterWire

/// Asks for attributes and events once. Matter 1.4 §10.7.2.
package struct ReadRequest: Hashable, Sendable {
  package var attributes: [AttributePattern]
  package var events: [EventPattern]
  /// The lowest number of an event that is wanted.
  package var eventsFrom: UInt64
  /// Whether entries of lists that belong to other fabrics are left out.
  package var isFabricFiltered: Bool
  package var versions: [VersionFilter]

  package init(
    _ attributes: [AttributePattern], events: [EventPattern] = [], eventsFrom: UInt64 = 0,
    isFabricFiltered: Bool = true, versions: [VersionFilter] = []
  ) {
    (self.attributes, self.events, self.eventsFrom) = (attributes, events, eventsFrom)
    (self.isFabricFiltered, self.versions) = (isFabricFiltered, versions)
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    attributes = try fields.each(0, .list, AttributePattern.init(_:))
    events = try fields.each(1, .list, EventPattern.init(_:))
    eventsFrom = try fields.eventsFrom(2)
    isFabricFiltered = try fields.flag(3)
    versions = try fields.each(4, .structure, VersionFilter.init(_:))
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendArray(0, attributes) { $1.appendPath(.anonymous, $0) }
      buffer.appendArray(1, events) { $1.appendPath(.anonymous, $0) }
      buffer.appendFilter(2, eventsFrom: eventsFrom)
      buffer.appendFlag(3, isFabricFiltered)
      buffer.appendFilters(4, versions)
    }
  }
}

/// Asks for attributes and events now and whenever they change. Matter 1.4 §10.7.4.
package struct SubscribeRequest: Hashable, Sendable {
  /// Whether earlier subscriptions of the sender continue.
  package var keepsOthers: Bool
  /// The minimum interval of reports, in seconds.
  package var minimum: UInt16
  /// The maximum interval of reports, in seconds.
  package var maximum: UInt16
  package var attributes: [AttributePattern]
  package var events: [EventPattern]
  package var eventsFrom: UInt64
  package var isFabricFiltered: Bool
  package var versions: [VersionFilter]

  package init(
    _ attributes: [AttributePattern], events: [EventPattern] = [], minimum: UInt16, maximum: UInt16,
    keepsOthers: Bool = false, eventsFrom: UInt64 = 0, isFabricFiltered: Bool = true, versions: [VersionFilter] = []
  ) {
    (self.attributes, self.events, self.minimum, self.maximum) = (attributes, events, minimum, maximum)
    (self.keepsOthers, self.eventsFrom, self.isFabricFiltered) = (keepsOthers, eventsFrom, isFabricFiltered)
    self.versions = versions
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    keepsOthers = try fields.flag(0)
    minimum = try fields.needed(1)
    maximum = try fields.needed(2)
    attributes = try fields.each(3, .list, AttributePattern.init(_:))
    events = try fields.each(4, .list, EventPattern.init(_:))
    eventsFrom = try fields.eventsFrom(5)
    isFabricFiltered = try fields.flag(7)
    versions = try fields.each(8, .structure, VersionFilter.init(_:))
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendFlag(0, keepsOthers)
      buffer.appendNumber(1, minimum)
      buffer.appendNumber(2, maximum)
      buffer.appendArray(3, attributes) { $1.appendPath(.anonymous, $0) }
      buffer.appendArray(4, events) { $1.appendPath(.anonymous, $0) }
      buffer.appendFilter(5, eventsFrom: eventsFrom)
      buffer.appendFlag(7, isFabricFiltered)
      buffer.appendFilters(8, versions)
    }
  }
}

/// The end of the first report of a subscription. Matter 1.4 §10.7.5.
package struct SubscribeResponse: Hashable, Sendable {
  package var id: UInt32
  /// The maximum interval of reports that the publisher has chosen, in seconds.
  package var maximum: UInt16

  package init(id: UInt32, maximum: UInt16) { (self.id, self.maximum) = (id, maximum) }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    self.init(id: try fields.needed(0), maximum: try fields.needed(2))
  }

  package var encoded: [UInt8] {
    ByteBuffer.message { buffer in
      buffer.appendNumber(0, id)
      buffer.appendNumber(2, maximum)
    }
  }
}

/// The answer to a report or a timed request, and to a request that failed as a whole. Matter 1.4 §10.7.1.
package struct StatusResponse: Hashable, Sendable {
  package var status: InteractionStatus.Code

  package init(_ status: InteractionStatus.Code) { self.status = status }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    status = InteractionStatus.Code(rawValue: try MessageFields(payload).needed(0)) ?? .failure
  }

  package var encoded: [UInt8] { ByteBuffer.message { $0.appendNumber(0, status.rawValue) } }
}

/// Announces a timed write or invoke. Matter 1.4 §10.7.8.
package struct TimedRequest: Hashable, Sendable {
  /// The time in which the request has to follow.
  package var milliseconds: UInt16

  package init(milliseconds: UInt16) { self.milliseconds = milliseconds }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    milliseconds = try MessageFields(payload).needed(0)
  }

  package var encoded: [UInt8] { ByteBuffer.message { $0.appendNumber(0, milliseconds) } }
}
