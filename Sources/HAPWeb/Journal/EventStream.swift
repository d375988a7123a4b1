import HAPLoop
import HAPWire

/// The part of the journal that a client requests.
package struct EventStreamStart: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    /// After the latest event.
    case now
    /// After the event with this number.
    case behind(UInt64)
    /// In the journal of another process; the events since then are unknown.
    case elsewhere
  }

  package var place: Place
  /// Only events about this subject; nil: about all.
  package var subject: String?
  /// Only events with these names; empty: all.
  package var names: Set<String>

  package init(_ place: Place = .now, subject: String? = nil, names: Set<String> = []) {
    self.place = place
    self.subject = subject
    self.names = names
  }

  package func admits<Event>(_ entry: EventJournal<Event>.Entry) -> Bool {
    if !names.isEmpty, !names.contains(entry.event.name) { return false }
    return subject.map(entry.event.concerns) ?? true
  }
}

/// Sends the journal's events to a client as server-sent events (HTML Living Standard §9.2). Each `id` contains the journal's run and the
/// event's number.
///
/// Events are read from the journal only after the previous write, so nothing accumulates for a slow client. Events that the journal
/// dropped meanwhile are reported as lost. A client that reads nothing is disconnected. Confined to the loop's thread.
final class EventStream {
  /// Approximate number of bytes per write.
  private static let portion = 64 << 10

  private let start: EventStreamStart
  private let journal: any EventSource
  private let stream: TCPStream
  private let times: WebTimes
  private let timer: LoopTimer
  private let onEnd: () -> Void
  private var listener: Int?
  /// Number of the last event that was sent or filtered out.
  private var told: UInt64 = 0
  private var isWriting = false
  private var isScheduled = false
  /// Keep-alives that were due during the current write.
  private var waitingSigns = 0

  /// - Parameter onEnd: called when the stream must end; the caller closes the connection.
  init(
    _ start: EventStreamStart, _ journal: any EventSource, _ stream: TCPStream, _ times: WebTimes,
    onEnd: @escaping () -> Void
  ) {
    self.start = start
    self.journal = journal
    self.stream = stream
    self.times = times
    self.onEnd = onEnd
    timer = LoopTimer(stream.loop)
  }

  /// - Parameter head: written before the first event.
  func begin(behind head: [UInt8]) {
    listener = journal.listen { [unowned self] in sendSoon() }
    timer.onFire = { [unowned self] in giveSign() }
    timer.start(after: times.sign, repeat: times.sign)
    var bytes = head + Array(": hapsim\nretry: 1000\n".utf8)
    switch start.place {
    case .now: told = journal.lastNumber
    case .behind(let number) where number <= journal.lastNumber: told = number
    case .behind(let number): lose(&bytes, behind: number)
    case .elsewhere: lose(&bytes, behind: nil)
    }
    // Without data this is no event, but it sets the ID with which the client reconnects.
    bytes += Array("id: \(journal.id(told))\n\n".utf8)
    write(bytes)
  }

  func close() {
    listener.map(journal.stopListening)
    listener = nil
    timer.close()
  }

  /// Reports that events after a number were lost, and continues with the oldest one known.
  private func lose(_ bytes: inout [UInt8], behind number: UInt64?) {
    told = journal.oldestNumber - 1
    let behind = number.map { "\"after\":\($0)," } ?? ""
    bytes += Array("event: lost\ndata: {\(behind)\"last\":\(journal.lastNumber)}\n\n".utf8)
  }

  /// Sends all events of the current turn of the loop together.
  private func sendSoon() {
    guard !isScheduled, !isWriting else { return }
    isScheduled = true
    stream.loop.later { [weak self] in
      self?.isScheduled = false
      self?.send()
    }
  }

  private func send() {
    guard listener != nil, !isWriting else { return }
    var bytes: [UInt8] = []
    if told + 1 < journal.oldestNumber { lose(&bytes, behind: told) }
    while bytes.count < Self.portion, told < journal.lastNumber {
      told += 1
      guard let (name, object) = journal.text(told, for: start) else { continue }
      bytes += Array("id: \(journal.id(told))\nevent: \(name)\ndata: ".utf8)
      bytes += object
      bytes += Array("\n\n".utf8)
    }
    if !bytes.isEmpty { write(bytes) }
  }

  private func write(_ bytes: [UInt8]) {
    isWriting = true
    stream.write(bytes) { [weak self] error in
      guard let self else { return }
      isWriting = false
      waitingSigns = 0
      guard listener != nil else { return }
      if error == nil { sendSoon() } else { onEnd() }
    }
  }

  /// Sends a keep-alive, so that both sides notice a lost connection.
  private func giveSign() {
    guard isWriting else { return write(Array(": still here\n\n".utf8)) }
    waitingSigns += 1
    if waitingSigns >= times.waitingSigns { onEnd() }
  }
}
