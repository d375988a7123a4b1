import HAPWire
import MatterModel
import MatterWire

/// A report in progress: the paths of the request, and how much of it is written. Matter 1.4 §8.4.3.2.
///
/// It holds no values but the rest of a list that does not fit into one message.
struct ReportCursor: Sendable {
  enum Source: Sendable {
    case patterns([AttributePattern])
    /// Attributes that have changed. Those that are gone, or no longer allowed, are left out.
    case changes([AttributePath])

    var count: Int {
      switch self {
      case .patterns(let patterns): patterns.count
      case .changes(let paths): paths.count
      }
    }
  }

  private let source: Source
  private let isFabricFiltered: Bool
  private let versions: [VersionFilter]
  private let subject: Subject
  private var events: EventCursor

  // The position: an index in the source, and for a pattern with wildcards, the attribute that is next.
  private var index = 0
  private var endpoint: EndpointNumber = 0
  private var cluster: ClusterID = 0
  private var position = 0
  private var list: ListRemainder?

  init(
    _ source: Source, isFabricFiltered: Bool, versions: [VersionFilter] = [], events: EventCursor,
    for subject: Subject
  ) {
    (self.source, self.isFabricFiltered, self.versions) = (source, isFabricFiltered, versions)
    (self.events, self.subject) = (events, subject)
  }

  /// The number of the first event that is not yet considered.
  var nextEvent: UInt64 { events.next }

  /// Writes as much as fits.
  /// - Returns: whether all is written.
  mutating func fill(_ writer: inout ReportWriter, from target: some InteractionTarget, _ log: EventLog) -> Bool {
    let access = AccessControl(subject, target)
    guard fillList(&writer) else { return false }
    while index < source.count {
      let isDone =
        switch source {
        case .changes(let paths): fill(&writer, paths[index], target, access, reportsErrors: false)
        case .patterns(let patterns):
          if let path = patterns[index].path {
            fill(&writer, path, target, access, reportsErrors: true)
          } else {
            fill(&writer, patterns[index], target, access)
          }
        }
      guard isDone else { return false }
      nextPath()
    }
    return events.fill(&writer, from: target, log, access, fabric: subject.fabric)
  }

  private mutating func nextPath() {
    index += 1
    (endpoint, cluster, position) = (0, 0, 0)
  }

  // MARK: Paths

  private mutating func fill(
    _ writer: inout ReportWriter, _ path: AttributePath, _ target: some InteractionTarget, _ access: AccessControl,
    reportsErrors: Bool
  ) -> Bool {
    do throws(InteractionStatus) {
      let description = try access.cluster(path.cluster, on: path.endpoint, of: target)
      guard let attribute = description.attribute(path.attribute) else {
        throw InteractionStatus(.unsupportedAttribute)
      }
      guard let needed = attribute.read else { throw InteractionStatus(.unsupportedRead) }
      try access.demand(needed, on: path.endpoint, path.cluster, of: target)
      let version = target.dataVersion(of: path.endpoint, path.cluster)
      if isKnown(path.endpoint, path.cluster, version) { return true }
      switch report(&writer, path, description, version, target) {
      case .written: return true
      case .full: return false
      case .split:
        nextPath()
        return false
      }
    } catch {
      return !reportsErrors || writer.append(.attributes) { $0.appendReport(AttributePattern(path), error) }
    }
  }

  /// Writes all that exists and is allowed, from the position.
  private mutating func fill(
    _ writer: inout ReportWriter, _ pattern: AttributePattern, _ target: some InteractionTarget,
    _ access: AccessControl
  ) -> Bool {
    let numbers = pattern.endpoint.map { [$0] } ?? target.endpoints
    for number in numbers where number >= endpoint {
      if number > endpoint { (endpoint, cluster, position) = (number, 0, 0) }
      let clusters = target.clusters(of: number)
      for place in clusters.indices where clusters[place].id >= cluster {
        let id = clusters[place].id
        guard (pattern.cluster ?? id) == id else { continue }
        if id > cluster { (cluster, position) = (id, 0) }
        guard fill(&writer, clusters[place], pattern.attribute, target, access) else { return false }
      }
    }
    return true
  }

  /// Writes the attributes of the cluster at the position.
  private mutating func fill(
    _ writer: inout ReportWriter, _ description: ClusterDescription, _ wanted: AttributeNumber?,
    _ target: some InteractionTarget, _ access: AccessControl
  ) -> Bool {
    guard let privilege = access.privilege(on: endpoint, cluster, of: target) else { return true }
    let version = target.dataVersion(of: endpoint, cluster)
    if isKnown(endpoint, cluster, version) { return true }
    while position < description.attributeCount {
      let attribute = description.attribute(at: position)
      if (wanted ?? attribute.number) == attribute.number, let needed = attribute.read, needed <= privilege {
        let path = AttributePath(endpoint, cluster, attribute.number)
        switch report(&writer, path, description, version, target) {
        case .written: break
        case .full: return false
        case .split:
          position += 1
          return false
        }
      }
      position += 1
    }
    return true
  }

  private func isKnown(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ version: UInt32) -> Bool {
    versions.contains { $0.endpoint == endpoint && $0.cluster == cluster && $0.version == version }
  }

  // MARK: Values

  private enum Outcome { case written, full, split }

  private mutating func report(
    _ writer: inout ReportWriter, _ path: AttributePath, _ description: ClusterDescription, _ version: UInt32,
    _ target: some InteractionTarget
  ) -> Outcome {
    let pattern = AttributePattern(path)
    do throws(InteractionStatus) {
      let hasRoom = try writer.append(.attributes) { buffer throws(InteractionStatus) in
        buffer.openReport(pattern, version: version)
        try target.read(
          path, of: description, for: subject, isFabricFiltered: isFabricFiltered, tag: .context(2), into: &buffer)
        buffer.closeReport()
      }
      if hasRoom { return .written }
      guard writer.isEmpty else { return .full }
      var value = ByteBuffer()
      try target.read(
        path, of: description, for: subject, isFabricFiltered: isFabricFiltered, tag: .anonymous, into: &value)
      guard var rest = ListRemainder(path, version, value.bytes) else { throw InteractionStatus(.resourceExhausted) }
      rest.begin(&writer)
      list = rest
      return .split
    } catch {
      return writer.append(.attributes) { $0.appendReport(pattern, error) } ? .written : .full
    }
  }

  private mutating func fillList(_ writer: inout ReportWriter) -> Bool {
    guard var rest = list else { return true }
    let isDone = rest.continue(&writer)
    list = isDone ? nil : rest
    return isDone
  }
}

/// The entries of a list that are not yet written. Matter 1.4 §8.4.3.3.
private struct ListRemainder: Sendable {
  /// The bytes of the longest list that is split.
  private static let byteLimit = 65_536

  private let path: AttributePath
  private let version: UInt32
  private let bytes: [UInt8]
  private let entries: [Range<Int>]
  private var next = 0

  /// Returns nil if the value is no array, or too long.
  init?(_ path: AttributePath, _ version: UInt32, _ bytes: [UInt8]) {
    guard bytes.count <= Self.byteLimit, let entries = Self.entries(bytes) else { return nil }
    (self.path, self.version, self.bytes, self.entries) = (path, version, bytes, entries)
  }

  private static func entries(_ bytes: [UInt8]) -> [Range<Int>]? {
    var reader = ElementReader(bytes)
    guard let first = try? reader.next(), first.content == .begin(.array) else { return nil }
    var entries: [Range<Int>] = []
    while let item = try? reader.next(), item.content != .end {
      if case .begin = item.content { guard (try? reader.skipContainer()) != nil else { return nil } }
      entries.append(item.offset..<reader.offset)
    }
    return entries
  }

  /// Writes an array of the entries that fit.
  mutating func begin(_ writer: inout ReportWriter) {
    var count = 0
    // The bytes of a report without its value.
    var room = 40
    while next + count < entries.count, writer.hasRoom(room + entries[next + count].count) {
      room += entries[next + count].count
      count += 1
    }
    writer.append(.attributes) { buffer in
      buffer.openReport(AttributePattern(path), version: version)
      buffer.openContainer(.context(2), .array)
      for entry in entries[next..<next + count] { buffer.append(Array(bytes[entry])) }
      buffer.closeContainer()
      buffer.closeReport()
    }
    next += count
  }

  /// Writes the entries that fit, each for itself. An entry that is larger than a message is left out.
  /// - Returns: whether all are written.
  mutating func `continue`(_ writer: inout ReportWriter) -> Bool {
    while next < entries.count {
      let entry = bytes[entries[next]]
      let hasRoom = writer.append(.attributes) { buffer in
        buffer.openReport(AttributePattern(path), version: version, isAppended: true)
        // The same element with the context tag 2 instead of none.
        if let control = entry.first { buffer.append(control | 0x20) }
        buffer.append(2 as UInt8)
        buffer.append(Array(entry.dropFirst()))
        buffer.closeReport()
      }
      guard hasRoom || writer.isEmpty else { return false }
      next += 1
    }
    return true
  }
}
