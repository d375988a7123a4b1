import HAPLoop
import HAPReport

/// Records the transcript of a case, within limits. Thread-safe.
final class Recorder: Sendable {
  /// Largest total size of a case's entries, in bytes.
  static let limit = 8 << 20
  /// Largest number of a case's entries.
  static let entryLimit = 20_000

  private struct State: Sendable {
    var entries: [TranscriptEntry] = []
    var keys: [SessionKeyRecord] = []
    var count = 0
    var isFull = false
  }

  private let state = Guarded(State())
  /// Time on the loop's clock at the start of the run.
  private let start: UInt64
  private let loop: EventLoop

  init(on loop: EventLoop, start: UInt64) {
    self.loop = loop
    self.start = start
  }

  var entries: [TranscriptEntry] { state.withLock { $0.entries } }
  var keys: [SessionKeyRecord] { state.withLock { $0.keys } }

  /// Time since the start of the run.
  var now: Duration { .nanoseconds(Int64(clamping: loop.readClock() &- start)) }

  func add(_ entry: TranscriptEntry) {
    state.withLock { state in
      guard !state.isFull else { return }
      state.count += entry.bytes.count + entry.content.count + 200
      if state.count > Self.limit || state.entries.count >= Self.entryLimit {
        state.isFull = true
        state.entries.append(
          TranscriptEntry(time: entry.time, kind: .note, title: "the transcript is full; later entries are dropped"))
        return
      }
      state.entries.append(entry)
    }
  }

  func add(_ key: SessionKeyRecord) { state.withLock { if $0.keys.count < 10_000 { $0.keys.append(key) } } }

  func note(_ text: String) { add(TranscriptEntry(time: now, kind: .note, title: text)) }
}
