import HAPLoop
import HAPWire

/// A question of multicast DNS as it came.
struct Query {
  let message: DNSMessage
  let source: SocketAddress
  /// Index of the interface.
  let interface: UInt32
  /// Sent to this machine alone, RFC 6762 §5.5.
  let isDirect: Bool

  init(_ message: DNSMessage, from source: SocketAddress, on interface: UInt32, isDirect: Bool) {
    self.message = message
    self.source = source
    self.interface = interface
    self.isDirect = isDirect
  }

  /// Asked by somebody who knows no multicast DNS, RFC 6762 §6.7.
  var isLegacy: Bool { source.port != 5353 }

  /// Those of the Internet, or of any class.
  var questions: [DNSQuestion] { message.questions.filter { [1, 255].contains($0.classField & 0x7FFF) } }

  /// Whether the asker has the record, with half of its time at least. RFC 6762 §7.1.
  func knows(_ record: DNSRecord) -> Bool {
    message.answers.contains {
      $0.name == record.name && $0.type == record.type && $0.data == record.data && $0.ttl >= record.ttl / 2
    }
  }
}

/// Answers to all, and when they may leave. RFC 6762 §6.
final class AnswerQueue {
  /// Answers to one question that wait.
  private struct Waiting {
    let source: SocketAddress
    let interface: UInt32
    var records: [DNSRecord]
    var due: Duration
    /// What the asker knows is still coming, §7.2.
    let isTruncated: Bool
  }

  private struct Place: Hashable {
    let record: DNSRecord
    let interface: UInt32
  }

  /// Beyond this, askers who go on to tell what they know are not waited for. (Others wait for a record at most once, so there are few of them.)
  private static let limit = 64

  private let timer: LoopTimer
  private let send: (DNSMessage, UInt32) -> Void
  private var waiting: [Waiting] = []
  /// When all were told of it last.
  private var told: [Place: Duration] = [:]
  /// Whether a record would still be told.
  var isCurrent: (DNSRecord, UInt32) -> Bool = { _, _ in true }

  init(_ loop: EventLoop, send: @escaping (DNSMessage, UInt32) -> Void) {
    self.send = send
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in release() }
  }

  /// Nothing waits any more, and nothing was told.
  func clear() {
    waiting = []
    told = [:]
    timer.cancel()
  }

  func close() { timer.close() }

  private var now: Duration { .nanoseconds(Int64(clamping: EventLoop.readClock())) }

  // MARK: What was told

  /// All are told of these now, also who waited for them.
  func note(_ records: [DNSRecord], on interface: UInt32) {
    for record in records { told[Place(record: record, interface: interface)] = now }
    for index in waiting.indices where waiting[index].interface == interface {
      waiting[index].records.removeAll(where: records.contains)
    }
  }

  /// Lets go of what is not told any more.
  func forgetOld() { told = told.filter { isCurrent($0.key.record, $0.key.interface) } }

  private func age(_ record: DNSRecord, _ interface: UInt32) -> Duration? {
    told[Place(record: record, interface: interface)].map { now - $0 }
  }

  /// Whether all have heard it within a quarter of its time. RFC 6762 §5.4.
  func isFresh(_ record: DNSRecord, on interface: UInt32) -> Bool {
    age(record, interface).map { $0 < .seconds(Int64(record.ttl)) / 4 } ?? false
  }

  /// Whether all may be told against a probe: RFC 6762 §6 has a shorter time for those.
  func mayDefend(_ record: DNSRecord, on interface: UInt32) -> Bool {
    age(record, interface).map { $0 >= .milliseconds(250) } ?? true
  }

  // MARK: Waiting

  /// Answers a query to all: at once what nobody else has, and later what others may tell as well.
  func add(_ records: [DNSRecord], to query: Query) {
    if query.message.isProbe { return send(DNSMessage(answers: records), query.interface) }
    let isAlone = query.message.isTruncated && waiting.count < Self.limit
    let new = records.filter { record in
      isAlone
        || !waiting.contains { !$0.isTruncated && $0.interface == query.interface && $0.records.contains(record) }
    }
    if new.isEmpty { return }
    var delay = Duration.zero
    if isAlone {
      delay = .milliseconds(Int.random(in: 400...500))
    } else if records.contains(where: { $0.type == DNSType.ptr }) {
      delay = .milliseconds(Int.random(in: 20...120))
    }
    waiting.append(
      Waiting(
        source: query.source, interface: query.interface, records: new, due: now + delay, isTruncated: isAlone))
    release()
  }

  /// Takes back what the asker of earlier questions turns out to know. RFC 6762 §7.2.
  func drop(whatIsKnownTo query: Query) {
    guard !query.message.answers.isEmpty else { return }
    for index in waiting.indices where waiting[index].isTruncated && waiting[index].source == query.source {
      waiting[index].records.removeAll(where: query.knows)
    }
  }

  /// Sends what is due. RFC 6762 §6: nothing is told to all twice in a second; what has to wait for that waits on.
  private func release() {
    let now = now
    var leaving: [UInt32: [DNSRecord]] = [:]
    for index in waiting.indices where waiting[index].due <= now {
      let interface = waiting[index].interface
      var late: [DNSRecord] = []
      for record in waiting[index].records where isCurrent(record, interface) {
        if let age = age(record, interface), age < .seconds(1) {
          late.append(record)
          waiting[index].due = max(waiting[index].due, now + .seconds(1) - age)
        } else {
          leaving[interface, default: []].append(record)
        }
      }
      waiting[index].records = late
    }
    waiting.removeAll(where: \.records.isEmpty)
    for (interface, records) in leaving { send(DNSMessage(answers: records), interface) }
    if let due = waiting.map(\.due).min() { timer.start(after: due - now) } else { timer.cancel() }
  }
}
