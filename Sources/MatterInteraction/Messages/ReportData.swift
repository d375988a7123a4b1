import HAPWire
import MatterModel
import MatterWire

/// Values of attributes, and events. Matter 1.4 §10.7.3.
package struct ReportData: Hashable, Sendable {
  package struct Attribute: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      /// The value, or one more entry of a list whose first entries came before.
      case change(AttributeChange, version: UInt32?)
      case status(InteractionStatus)
    }

    package var path: AttributePattern
    package var content: Content

    package init(_ path: AttributePattern, _ content: Content) { (self.path, self.content) = (path, content) }
  }

  package enum Event: Hashable, Sendable {
    case record(EventRecord)
    case status(EventPattern, InteractionStatus)
  }

  /// nil: the answer to a read.
  package var subscription: UInt32?
  package var attributes: [Attribute]
  package var events: [Event]
  /// Whether another message follows after a status response.
  package var hasMore: Bool
  /// Whether no status response is wanted.
  package var suppressesResponse: Bool

  package init(
    subscription: UInt32? = nil, _ attributes: [Attribute] = [], events: [Event] = [], hasMore: Bool = false,
    suppressesResponse: Bool = false
  ) {
    (self.subscription, self.attributes, self.events) = (subscription, attributes, events)
    (self.hasMore, self.suppressesResponse) = (hasMore, suppressesResponse)
  }

  package init(decoding payload: [UInt8]) throws(InteractionStatus) {
    let fields = try MessageFields(payload)
    subscription = try fields.number(0)
    attributes = try fields.each(1, .structure, Attribute.init(_:))
    events = try fields.each(2, .structure, Event.init(_:))
    hasMore = try fields.flag(3)
    suppressesResponse = try fields.flag(4)
  }

  package var encoded: [UInt8] {
    var writer = ReportWriter(subscription: subscription, limit: .max)
    for attribute in attributes { writer.append(.attributes) { attribute.encode(into: &$0) } }
    for event in events { writer.append(.events) { event.encode(into: &$0) } }
    return writer.finish(hasMore: hasMore, suppressesResponse: suppressesResponse)
  }
}

extension ReportData.Attribute {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    if let data = try fields.fields(1, .structure) {
      let path = try data.neededFields(1, .list)
      guard let value = data[2] else { throw InteractionStatus(.invalidAction) }
      self.init(
        try AttributePattern(anyIndex: path),
        .change(try path.isAppended() ? .append(value) : .replace(value), version: try data.number(0)))
    } else {
      let status = try fields.neededFields(0, .structure)
      self.init(try AttributePattern(try status.neededFields(0, .list)), .status(try status.status(1)))
    }
  }

  func encode(into buffer: inout ByteBuffer) {
    switch content {
    case .status(let status): buffer.appendReport(path, status)
    case .change(.replace(let value), let version):
      buffer.openReport(path, version: version)
      Element(.context(2), value).encode(into: &buffer)
      buffer.closeReport()
    case .change(.append(let value), let version):
      buffer.openReport(path, version: version, isAppended: true)
      Element(.context(2), value).encode(into: &buffer)
      buffer.closeReport()
    }
  }
}

extension ReportData.Event {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    guard let data = try fields.fields(1, .structure) else {
      let status = try fields.neededFields(0, .structure)
      self = .status(try EventPattern(try status.neededFields(0, .list)), try status.status(1))
      return
    }
    guard let path = try EventPattern(try data.neededFields(0, .list)).path,
      let priority = EventPriority(rawValue: try data.needed(2))
    else { throw InteractionStatus(.invalidAction) }
    let time: EventTime
    if let microseconds = try data.number(3, UInt64.self) {
      time = .epoch(microseconds: microseconds)
    } else {
      time = .start(milliseconds: try data.needed(4))
    }
    self = .record(
      EventRecord(
        number: try data.needed(1), path: path, priority: priority, time: time,
        fields: try data.fields(7, .structure)?.members ?? []))
  }

  func encode(into buffer: inout ByteBuffer) {
    switch self {
    case .record(let record): buffer.appendReport(record)
    case .status(let pattern, let status): buffer.appendReport(pattern, status)
    }
  }
}
