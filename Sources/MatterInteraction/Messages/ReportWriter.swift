import HAPWire
import MatterModel
import MatterWire

/// Writes one message of a report, with a limit of its size.
struct ReportWriter: ~Copyable {
  enum Section: UInt8 { case attributes = 1, events }

  /// The bytes that `finish` needs at most: two ends of containers, two flags and the revision.
  private static let tail = 12

  private var buffer: ByteBuffer
  private let limit: Int
  private var section: Section?
  /// Whether nothing was written but the head.
  private(set) var isEmpty = true

  init(subscription: UInt32?, limit: Int) {
    buffer = ByteBuffer(capacity: min(limit, 1280))
    self.limit = limit
    buffer.openContainer(.anonymous, .structure)
    buffer.appendNumber(0, subscription)
  }

  /// Appends a report; if `body` fails or the report is too large, the message remains as it was.
  /// - Returns: whether there was room.
  @discardableResult mutating func append<Failure>(
    _ section: Section, _ body: (inout ByteBuffer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let (mark, before) = (buffer.readableCount, self.section)
    enter(section)
    do { try body(&buffer) } catch {
      undo(mark, before)
      throw error
    }
    guard hasRoom(0) else {
      undo(mark, before)
      return false
    }
    isEmpty = false
    return true
  }

  /// Whether a number of bytes would fit.
  func hasRoom(_ count: Int) -> Bool { count <= limit - Self.tail - buffer.readableCount }

  private mutating func enter(_ section: Section) {
    guard self.section != section else { return }
    precondition(self.section != .events, "events come after attributes")
    if self.section != nil { buffer.closeContainer() }
    buffer.openContainer(.context(section.rawValue), .array)
    self.section = section
  }

  private mutating func undo(_ mark: Int, _ before: Section?) {
    buffer.removeLast(buffer.readableCount - mark)
    section = before
  }

  /// Returns the message. The writer can't be used afterwards.
  consuming func finish(hasMore: Bool, suppressesResponse: Bool) -> [UInt8] {
    if section != nil { buffer.closeContainer() }
    if hasMore { buffer.appendFlag(3, true) }
    if suppressesResponse { buffer.appendFlag(4, true) }
    buffer.appendElement(.context(0xFF), unsigned: ByteBuffer.interactionModelRevision)
    buffer.closeContainer()
    return buffer.bytes
  }
}

extension ByteBuffer {
  /// Begins the report of an attribute. The value in tag 2 follows, then `closeReport`.
  mutating func openReport(_ path: AttributePattern, version: UInt32?, isAppended: Bool = false) {
    openContainer(.anonymous, .structure)
    openContainer(.context(1), .structure)
    appendNumber(0, version)
    appendPath(.context(1), path, isAppended: isAppended)
  }

  mutating func closeReport() {
    closeContainer()
    closeContainer()
  }

  mutating func appendReport(_ path: AttributePattern, _ status: InteractionStatus) {
    appendReport(status) { $0.appendPath(.context(0), path) }
  }

  mutating func appendReport(_ path: EventPattern, _ status: InteractionStatus) {
    appendReport(status) { $0.appendPath(.context(0), path) }
  }

  private mutating func appendReport(_ status: InteractionStatus, _ appendPath: (inout ByteBuffer) -> Void) {
    openContainer(.anonymous, .structure)
    openContainer(.context(0), .structure)
    appendPath(&self)
    appendStatus(1, status)
    closeReport()
  }

  mutating func appendReport(_ record: EventRecord) {
    openContainer(.anonymous, .structure)
    openContainer(.context(1), .structure)
    appendPath(.context(0), EventPattern(record.path.endpoint, record.path.cluster, record.path.event))
    appendNumber(1, record.number)
    appendNumber(2, record.priority.rawValue)
    switch record.time {
    case .epoch(let microseconds): appendNumber(3, microseconds)
    case .start(let milliseconds): appendNumber(4, milliseconds)
    }
    Element(.context(7), .container(.structure, record.fields)).encode(into: &self)
    closeReport()
  }
}
