import MatterModel

/// The events of a report in progress.
struct EventCursor: Sendable {
  private let patterns: [EventPattern]
  /// The number of the first event that is not yet considered.
  private(set) var next: UInt64
  /// Events from this number on belong to the next report.
  private let end: UInt64
  /// The number of patterns whose status is written, if they need one.
  private var checked: Int

  /// - Parameter reportsErrors: whether paths that match nothing are answered with a status.
  init(_ patterns: [EventPattern], from next: UInt64, _ log: EventLog, reportsErrors: Bool) {
    (self.patterns, self.next, end) = (patterns, next, log.next)
    checked = reportsErrors ? 0 : patterns.count
  }

  mutating func fill(
    _ writer: inout ReportWriter, from target: some InteractionTarget, _ log: EventLog, _ access: AccessControl,
    fabric: FabricIndex
  ) -> Bool {
    while checked < patterns.count {
      let pattern = patterns[checked]
      if let path = pattern.path {
        do throws(InteractionStatus) { try check(path, target, access) } catch {
          guard writer.append(.events, { $0.appendReport(pattern, error) }) else { return false }
        }
      }
      checked += 1
    }
    guard !patterns.isEmpty else { return true }
    var place = log.index(from: next)
    while place < log.records.count, log.records[place].number < end {
      let record = log.records[place]
      if isWanted(record, fabric), (try? check(record.path, target, access)) != nil {
        // An event that is larger than a message is left out.
        guard writer.append(.events, { $0.appendReport(record) }) || writer.isEmpty else { return false }
      }
      next = record.number &+ 1
      place += 1
    }
    return true
  }

  private func isWanted(_ record: EventRecord, _ fabric: FabricIndex) -> Bool {
    (record.fabric ?? fabric) == fabric && patterns.contains { $0.matches(record.path) }
  }

  private func check(
    _ path: EventPath, _ target: some InteractionTarget, _ access: AccessControl
  ) throws(InteractionStatus) {
    let description = try access.cluster(path.cluster, on: path.endpoint, of: target)
    guard let event = description.events.first(where: { $0.number == path.event }) else {
      throw InteractionStatus(.unsupportedEvent)
    }
    try access.demand(event.read, on: path.endpoint, path.cluster, of: target)
  }
}
