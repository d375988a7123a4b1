import HAPHome
import HAPLoop

/// The lines for an app that its connection has not taken. Answers are never dropped, because requests are taken only
/// while few bytes wait.
struct HubOutbox: Sendable {
  /// The greatest number of bytes of events.
  static let mostEventBytes = 1 << 20

  private struct Line: Sendable {
    let bytes: [UInt8]
    let isEvent: Bool
  }

  private var lines = Fifo<Line>()
  /// The number of bytes of all lines.
  private(set) var byteCount = 0
  private var eventByteCount = 0
  /// Whether events are dropped: after a gap, until all lines are taken or the app has attached again.
  private(set) var isDropping = false
  /// The number of times that events were dropped.
  private(set) var gaps = 0

  /// Adds an event. If there are too many, it and later events are dropped, and `missed` is their only trace.
  mutating func add(event bytes: [UInt8]) {
    if isDropping { return }
    guard eventByteCount + bytes.count <= Self.mostEventBytes else {
      isDropping = true
      gaps += 1
      return append(HubMessage.event(.missed).bytes, isEvent: true)
    }
    append(bytes, isEvent: true)
  }

  /// Adds an answer.
  /// - Parameter isSnapshot: whether the app has all events with it that were dropped.
  mutating func add(answer bytes: [UInt8], isSnapshot: Bool) {
    if isSnapshot { isDropping = false }
    append(bytes, isEvent: false)
  }

  private mutating func append(_ bytes: [UInt8], isEvent: Bool) {
    lines.append(Line(bytes: bytes, isEvent: isEvent))
    byteCount += bytes.count
    if isEvent { eventByteCount += bytes.count }
  }

  /// Removes the first lines, together at least `count` bytes, or all of them.
  mutating func take(_ count: Int) -> [UInt8] {
    var taken: [UInt8] = []
    while taken.count < count, let line = lines.popFirst() {
      taken += line.bytes
      byteCount -= line.bytes.count
      if line.isEvent { eventByteCount -= line.bytes.count }
    }
    if lines.isEmpty { isDropping = false }
    return taken
  }
}
