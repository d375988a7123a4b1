import HAPWire
import MatterModel
import MatterWire

/// A path to attributes; parts that are nil match all. Matter 1.4 §10.6.2.
package struct AttributePattern: Hashable, Sendable {
  package var endpoint: EndpointNumber?
  package var cluster: ClusterID?
  package var attribute: AttributeNumber?

  package init(_ endpoint: EndpointNumber? = nil, _ cluster: ClusterID? = nil, _ attribute: AttributeNumber? = nil) {
    (self.endpoint, self.cluster, self.attribute) = (endpoint, cluster, attribute)
  }

  package init(_ path: AttributePath) { self.init(path.endpoint, path.cluster, path.attribute) }

  /// The only attribute that it can match; nil: it has wildcards.
  package var path: AttributePath? {
    guard let endpoint, let cluster, let attribute else { return nil }
    return AttributePath(endpoint, cluster, attribute)
  }

  package func matches(_ path: AttributePath) -> Bool {
    (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
      && (attribute ?? path.attribute) == path.attribute
  }

  /// Whether the path is allowed: with a cluster wildcard, only global attributes can be named. Matter 1.4 §8.2.1.6.
  var isValid: Bool { cluster != nil || attribute.map { GlobalAttribute(rawValue: $0) != nil } ?? true }
}

/// A path to events; parts that are nil match all. Matter 1.4 §10.6.8.
package struct EventPattern: Hashable, Sendable {
  package var endpoint: EndpointNumber?
  package var cluster: ClusterID?
  package var event: EventNumber?
  /// Whether an event is reported as soon as the minimum interval allows. Otherwise it waits for the next report.
  package var isUrgent: Bool

  package init(
    _ endpoint: EndpointNumber? = nil, _ cluster: ClusterID? = nil, _ event: EventNumber? = nil, isUrgent: Bool = false
  ) {
    (self.endpoint, self.cluster, self.event, self.isUrgent) = (endpoint, cluster, event, isUrgent)
  }

  /// The only event that it can match; nil: it has wildcards.
  package var path: EventPath? {
    guard let endpoint, let cluster, let event else { return nil }
    return EventPath(endpoint, cluster, event)
  }

  package func matches(_ path: EventPath) -> Bool {
    (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
      && (event ?? path.event) == path.event
  }
}

/// A path to a command; without an endpoint, it is invoked on all endpoints that have it. Matter 1.4 §10.6.11.
package struct CommandPattern: Hashable, Sendable {
  package var endpoint: EndpointNumber?
  package var cluster: ClusterID
  package var command: CommandNumber

  package init(_ endpoint: EndpointNumber?, _ cluster: ClusterID, _ command: CommandNumber) {
    (self.endpoint, self.cluster, self.command) = (endpoint, cluster, command)
  }
}

/// A data version that the sender has; the cluster is left out of the report while it is the present one.
package struct VersionFilter: Hashable, Sendable {
  package var endpoint: EndpointNumber
  package var cluster: ClusterID
  package var version: UInt32

  package init(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ version: UInt32) {
    (self.endpoint, self.cluster, self.version) = (endpoint, cluster, version)
  }
}

// MARK: Decoding

extension AttributePattern {
  /// Reads a path in which no list index is allowed.
  init(_ fields: MessageFields) throws(InteractionStatus) {
    guard fields[5] == nil else { throw InteractionStatus(.invalidAction) }
    try self.init(anyIndex: fields)
  }

  /// Reads a path whose list index the caller takes.
  init(anyIndex fields: MessageFields) throws(InteractionStatus) {
    // Compressed tags need a path before. Matter 1.4 §10.6.2.1.
    guard try !fields.flag(0) else { throw InteractionStatus(.invalidAction) }
    self.init(try fields.number(2), try fields.number(3), try fields.number(4))
  }
}

extension EventPattern {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    self.init(
      try fields.number(1), try fields.number(2), try fields.number(3), isUrgent: try fields.flag(4))
  }
}

extension CommandPattern {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    self.init(try fields.number(0), try fields.needed(1), try fields.needed(2))
  }
}

extension VersionFilter {
  init(_ fields: MessageFields) throws(InteractionStatus) {
    let path = try fields.neededFields(0, .list)
    self.init(try path.needed(1), try path.needed(2), try fields.needed(1))
  }
}

extension MessageFields {
  /// Whether a list index is null: the data is one more entry. Other indices are refused.
  func isAppended() throws(InteractionStatus) -> Bool {
    switch self[5] {
    case nil: return false
    case .null: return true
    default: throw InteractionStatus(.invalidAction)
    }
  }

  /// Reads a status. Codes that this project does not know count as Failure.
  func status(_ tag: UInt8) throws(InteractionStatus) -> InteractionStatus {
    let fields = try neededFields(tag, .structure)
    return InteractionStatus(
      InteractionStatus.Code(rawValue: try fields.needed(0)) ?? .failure, cluster: try fields.number(1))
  }

  /// The number from which events are wanted: the highest of the filters.
  func eventsFrom(_ tag: UInt8) throws(InteractionStatus) -> UInt64 {
    try each(tag, .structure) { fields throws(InteractionStatus) -> UInt64 in try fields.number(1) ?? 0 }.max() ?? 0
  }
}

// MARK: Encoding

extension ByteBuffer {
  mutating func appendPath(_ tag: ElementTag, _ pattern: AttributePattern, isAppended: Bool = false) {
    openContainer(tag, .list)
    appendNumber(2, pattern.endpoint)
    appendNumber(3, pattern.cluster)
    appendNumber(4, pattern.attribute)
    if isAppended { appendNull(.context(5)) }
    closeContainer()
  }

  mutating func appendPath(_ tag: ElementTag, _ pattern: EventPattern) {
    openContainer(tag, .list)
    appendNumber(1, pattern.endpoint)
    appendNumber(2, pattern.cluster)
    appendNumber(3, pattern.event)
    if pattern.isUrgent { appendFlag(4, true) }
    closeContainer()
  }

  mutating func appendPath(_ tag: ElementTag, _ pattern: CommandPattern) {
    openContainer(tag, .list)
    appendNumber(0, pattern.endpoint)
    appendNumber(1, pattern.cluster)
    appendNumber(2, pattern.command)
    closeContainer()
  }

  mutating func appendFilters(_ tag: UInt8, _ versions: [VersionFilter]) {
    appendArray(tag, versions) { filter, buffer in
      buffer.appendStructure(.anonymous) { buffer in
        buffer.openContainer(.context(0), .list)
        buffer.appendNumber(1, filter.endpoint)
        buffer.appendNumber(2, filter.cluster)
        buffer.closeContainer()
        buffer.appendNumber(1, filter.version)
      }
    }
  }

  mutating func appendFilter(_ tag: UInt8, eventsFrom number: UInt64) {
    guard number > 0 else { return }
    appendArray(tag, [number]) { number, buffer in
      buffer.appendStructure(.anonymous) { $0.appendNumber(1, number) }
    }
  }

  mutating func appendStatus(_ tag: UInt8, _ status: InteractionStatus) {
    appendStructure(.context(tag)) { buffer in
      buffer.appendNumber(0, status.code.rawValue)
      buffer.appendNumber(1, status.clusterStatus)
    }
  }
}
