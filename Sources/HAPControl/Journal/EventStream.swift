import HAPLoop
import HAPWire

/// What of the journal is told to one who listens.
package struct EventStreamStart: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    /// What is yet to come.
    case now
    /// Behind the event of this number.
    case behind(UInt64)
    /// Somewhere in the journal of another process: what came behind it can't be told.
    case elsewhere
  }

  package var place: Place
  /// Of this accessory alone, by its number; nil: of all.
  package var accessory: Int?
  /// These alone, by their names; empty: all.
  package var names: Set<String>

  package init(_ place: Place = .now, accessory: Int? = nil, names: Set<String> = []) {
    self.place = place
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

/// Tells one who listens the journal's events as server-sent events (HTML Living Standard §9.2), each with the journal's run and its number as `id`.
///
/// What is told is taken out of the journal when the one before has left, so nothing heaps up for who reads slowly: what the journal has forgotten
/// meanwhile is told to be lost. Who reads nothing at all is let go. Belongs to the loop's thread.
final class EventStream {
  /// Bytes that are written together, about.
  private static let portion = 64 << 10

  private let start: EventStreamStart
  private let journal: EventJournal
  private let stream: TCPStream
  private let times: ControlTimes
  private let timer: LoopTimer
  private let onEnd: () -> Void
  private var listener: Int?
  /// The number of the last one that was told, or passed over.
  private var told: UInt64 = 0
  private var isWriting = false
  private var isScheduled = false
  /// Signs of life that would have had to wait behind one and the same write.
  private var waitingSigns = 0

  /// - Parameter onEnd: told when it has to end; the connection is the caller's to close.
  init(
    _ start: EventStreamStart, _ journal: EventJournal, _ stream: TCPStream, _ times: ControlTimes,
    onEnd: @escaping () -> Void
  ) {
    self.start = start
    self.journal = journal
    self.stream = stream
    self.times = times
    self.onEnd = onEnd
    timer = LoopTimer(stream.loop)
  }

  /// - Parameter head: written in front of it all.
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
    // Without data it is no event, and yet where who listens comes back to.
    bytes += Array("id: \(journal.id(told))\n\n".utf8)
    write(bytes)
  }

  func close() {
    listener.map(journal.stopListening)
    listener = nil
    timer.close()
  }

  /// Says that the journal doesn't know all that came behind an event, and goes on with what it knows.
  private func lose(_ bytes: inout [UInt8], behind number: UInt64?) {
    told = journal.oldestNumber - 1
    let behind = number.map { "\"after\":\($0)," } ?? ""
    bytes += Array("event: lost\ndata: {\(behind)\"last\":\(journal.lastNumber)}\n\n".utf8)
  }

  /// All that happens in a turn of the loop leaves together.
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
    while bytes.count < Self.portion, let entry = journal.entry(told + 1) {
      told = entry.number
      guard start.admits(entry) else { continue }
      bytes += Array("id: \(journal.id(entry.number))\nevent: \(entry.event.name)\ndata: ".utf8)
      bytes += JSONWriter.bytes { entry.write(to: &$0) }
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

  /// Something now and then, so that both ends notice when the other is gone.
  private func giveSign() {
    guard isWriting else { return write(Array(": still here\n\n".utf8)) }
    waitingSigns += 1
    if waitingSigns >= times.waitingSigns { onEnd() }
  }
}
