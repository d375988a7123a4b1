import HAPLoop
import HAPReport

/// Keeps what happens while a case runs, within bounds. Belongs to the loop's thread.
final class Recorder: @unchecked Sendable {  // touched on the loop alone
  /// What the entries of one case may hold together, in bytes.
  static let limit = 8 << 20
  /// How many entries one case may have.
  static let entryLimit = 20_000

  private(set) var entries: [TranscriptEntry] = []
  private(set) var keys: [SessionKeyRecord] = []
  private var count = 0
  private var isFull = false
  /// Of the loop's clock, at the start of the run.
  private let start: UInt64
  private let loop: EventLoop

  init(on loop: EventLoop, start: UInt64) {
    self.loop = loop
    self.start = start
  }

  /// Since the start of the run.
  var now: Duration { .nanoseconds(Int64(clamping: loop.readClock() &- start)) }

  func add(_ entry: TranscriptEntry) {
    guard !isFull else { return }
    count += entry.bytes.count + entry.content.count + 200
    if count > Self.limit || entries.count >= Self.entryLimit {
      isFull = true
      entries.append(
        TranscriptEntry(time: entry.time, kind: .note, title: "the transcript is full; what follows isn't kept"))
      return
    }
    entries.append(entry)
  }

  func add(_ key: SessionKeyRecord) { if keys.count < 10_000 { keys.append(key) } }

  func note(_ text: String) { add(TranscriptEntry(time: now, kind: .note, title: text)) }
}
