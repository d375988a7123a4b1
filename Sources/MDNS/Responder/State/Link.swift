/// An address family on an interface, with separate packets, delays and rate limits.
struct Link: Sendable {
  var interface: MDNSInterface
  let isV4: Bool
  /// The states by the index of the service, the host and the type.
  var services: [ClaimState] = []
  var hosts: [ClaimState] = []
  var types: [TypeState] = []

  /// Probes and announcements, which are sent a few packets at a time.
  var steps = DeadlineHeap<Ref>()
  /// Multicast answers.
  var answers = DeadlineHeap<Ref>()
  /// Queries for which more known answers will arrive. RFC 6762 §7.2.
  var deferred: [DeferredQuery] = []
  /// Unicast answers with all services of a type.
  var jobs: [UnicastJob] = []
  /// Unicast answers that wait because other hosts may answer the same query.
  var replies: [Reply] = []
  /// Removed addresses of a family without any addresses left. They are withdrawn.
  var leaving: [MDNSAddress] = []
  static let mostLeaving = 16

  /// The tick for which packets are counted.
  var tick = Time.past
  var stepPackets = 0
  var bulkPackets = 0
  var budget = ReplyBudget()

  init(_ interface: MDNSInterface, isV4: Bool) {
    self.interface = interface
    self.isV4 = isV4
  }

  /// The maximum size in bytes of a message in one unfragmented IP packet.
  var room: Int { interface.room(isV4: isV4) }
}

/// The state of a service's or host's name on a link.
struct ClaimState: Sendable {
  enum Stage: UInt8, Sendable {
    /// The next stage is `probing`.
    case idle
    /// The next stage is `verified` after three probes without an objection, or `probing` again after an objection.
    case probing
    /// The next stage is `probing` after a conflict, or `idle` when the service is removed.
    case verified
  }

  var stage = Stage.idle
  /// The number of probes that were sent.
  var probes: UInt8 = 0
  /// The number of announcements that remain.
  var announcements: UInt8 = 0
  /// Whether an announcement was sent, so that a goodbye is necessary.
  var wasAnnounced = false
  var announced = Records()
  /// The time of the next step.
  var due = Time.never

  /// The waiting answers, and the time at which they are sent.
  var waiting = Records()
  var answerDue = Time.never

  /// The times at which the records were last multicast. A host uses `pointerSent` for its IPv4 addresses, and
  /// `srvSent` for its IPv6 addresses.
  var pointerSent = Time.past
  /// The times of the subtypes by position, up to the last one that was multicast. It is empty, and so not allocated,
  /// for a host and for a service without subtypes.
  var subtypesSent: [Int64] = []
  var srvSent = Time.past
  var textSent = Time.past
  var denialSent = Time.past

  /// The last query with known answers, and those answers.
  var knownIn: UInt32 = 0
  var known = Records()
  /// The time at which the name was last probed again because of a conflict.
  var reprobed = Time.past
}

/// The state of a service type on a link.
struct TypeState: Sendable {
  /// A question for the services of the type that is answered by multicast.
  struct Browse: Sendable {
    var asked: Int64
    /// The query whose known answers are skipped; 0: none.
    var query: UInt32
  }

  /// The question that waits for its answer, and the time of the answer.
  var waiting: Browse?
  var due = Time.never
  /// The question that is being answered, and the position of the next service in the list.
  var running: Browse?
  var cursor = 0

  /// The PTR record of the list of types: the time at which it was last multicast.
  var listedSent = Time.past
  var listedDue = Time.never
  var listedKnownIn: UInt32 = 0
}

/// A truncated query. The rest of its known answers will arrive in further packets.
struct DeferredQuery: Sendable {
  var querier: Querier
  var questions: [Question]
  var due: Int64
  let latest: Int64
}

/// A question for one of our names.
struct Question: Sendable {
  /// The index in `scan.entries`, while the packet is read.
  var entry: Int
  var ref: Ref
  var type: UInt16
  var wantsUnicast: Bool
}

/// The source and the properties of a query.
struct Querier: Sendable {
  var source: MDNSEndpoint
  /// The number of the query. A record whose state has this number is a known answer of it.
  var query: UInt32
  /// The id of the DNS message.
  var id: UInt16
  var isDirect: Bool
  var isProbe = false
  /// Whether the query has several questions. Other hosts may answer the others at the same time. RFC 6762 §6.3.
  var hasSeveralQuestions = false
  /// Whether an answer may be sent by unicast, because the querier is on the link.
  var mayReply = true

  /// Whether the querier doesn't support multicast DNS. RFC 6762 §6.7.
  var isLegacy: Bool { source.port != MDNS.port }
}

/// A unicast answer.
struct Reply: Sendable {
  let querier: Querier
  let form: Packer.Form
  var due: Int64
  var items: [Packer.Item] = []
  /// Whether there are more answers than were added.
  var isCut = false
}

struct UnicastJob: Sendable {
  let type: Int
  var querier: Querier
  var due: Int64
  var cursor = 0
}

/// The limits of the unicast packets that a link sends in a second, in total and to one source. A source that floods
/// gets no further answer, and others still get theirs. An answer that has begun is completed.
struct ReplyBudget: Sendable {
  private static let mostPerSource = 100
  private static let most = 2000
  private var second = Time.past
  private var total = 0
  private var counts = [Int](repeating: 0, count: 64)

  /// Returns whether a further answer to a source may begin.
  mutating func isLeft(for source: MDNSAddress, at now: Int64) -> Bool {
    if now - second >= Time.second {
      second = now
      total = 0
      for index in counts.indices { counts[index] = 0 }
    }
    return total < Self.most && counts[place(of: source)] < Self.mostPerSource
  }

  /// Counts a packet.
  mutating func spend(on source: MDNSAddress) {
    total += 1
    counts[place(of: source)] += 1
  }

  private func place(of source: MDNSAddress) -> Int {
    var hash: UInt8 = 0
    for index in 0..<source.count { hash = hash &* 31 &+ source.byte(index) }
    return Int(hash & 63)
  }
}
