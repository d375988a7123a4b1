import HAPLoop
import HAPWire

/// What of the journal is told to one who listens.
package struct EventStreamStart: Equatable, Sendable {
  /// Behind this one; nil: those that are yet to come.
  package var after: UInt64?
  /// Of this accessory alone, by its number; nil: of all.
  package var accessory: Int?
  /// These alone, by their names; empty: all.
  package var names: Set<String>

  package init(after: UInt64? = nil, accessory: Int? = nil, names: Set<String> = []) {
    self.after = after
    self.accessory = accessory
    self.names = names
  }

  func admits(_ entry: EventJournal.Entry) -> Bool {
    if !names.isEmpty, !names.contains(entry.event.name) { return false }
    guard let accessory else { return true }
    if case .simulator(let event) = entry.event { return event.number == accessory }
    return false
  }
}

/// Tells one who listens the journal's events as server-sent events (HTML Living Standard §9.2), each with its number as `id`.
///
/// Who doesn't read is told no more: the connection ends, and whoever comes back with `Last-Event-ID` is told what it missed, as far as that is known.
/// Belongs to the loop's thread.
final class EventStream: @unchecked Sendable {  // used on the loop's thread alone
  /// Bytes that may wait for who listens.
  private static let room = 1 << 20

  private let start: EventStreamStart
  private let journal: EventJournal
  private let stream: TCPStream
  private let timer: LoopTimer
  private let onEnd: () -> Void
  private var listener: Int?
  private var pending: [UInt8] = []
  private var isScheduled = false

  /// - Parameter onEnd: told when it has to end; the connection is the caller's to close.
  init(_ start: EventStreamStart, _ journal: EventJournal, _ stream: TCPStream, onEnd: @escaping () -> Void) {
    self.start = start
    self.journal = journal
    self.stream = stream
    self.onEnd = onEnd
    timer = LoopTimer(stream.loop)
  }

  func begin() {
    // Says that it has begun, and behind which event.
    pending += Array(": hapsim\nretry: 1000\n\n".utf8)
    if let after = start.after {
      // Numbers of another run of the process mean nothing here.
      let isWhole = journal.isWhole(after: after)
      if !isWhole { append("event: lost\ndata: {\"after\":\(after),\"last\":\(journal.lastNumber)}\n\n") }
      for entry in journal.entries(after: isWhole ? after : 0) where start.admits(entry) { append(entry) }
    }
    send()
    listener = journal.listen { [unowned self] entry in
      guard start.admits(entry) else { return }
      append(entry)
      sendSoon()
    }
    // Something now and then, so that both ends notice when the other is gone.
    timer.onFire = { [unowned self] in
      append(": still here\n\n")
      send()
    }
    timer.start(after: .seconds(15), repeat: .seconds(15))
  }

  func close() {
    listener.map(journal.stopListening)
    listener = nil
    timer.close()
  }

  private func append(_ text: String) { pending += Array(text.utf8) }

  private func append(_ entry: EventJournal.Entry) {
    append("id: \(entry.number)\nevent: \(entry.event.name)\ndata: ")
    pending += JSONWriter.bytes { entry.write(to: &$0) }
    append("\n\n")
  }

  /// All that happens in a turn of the loop leaves together.
  private func sendSoon() {
    guard !isScheduled else { return }
    isScheduled = true
    stream.loop.schedule { [weak self] in
      self?.isScheduled = false
      self?.send()
    }
  }

  private func send() {
    guard listener != nil || !pending.isEmpty, !stream.isClosed else { return }
    guard stream.queuedByteCount + pending.count <= Self.room else {
      close()
      return onEnd()
    }
    stream.write(pending)
    pending = []
  }
}
