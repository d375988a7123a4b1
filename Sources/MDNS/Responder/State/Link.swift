/// A family on an interface, with its own packets, delays and rate limits.
struct Link: Sendable {
  var interface: MDNSInterface
  let isV4: Bool
  /// By the index of the service, and of the host, type.
  var services: [ClaimState] = []
  var hosts: [ClaimState] = []
  var types: [TypeState] = []

  /// Probes and announcements, which leave a few packets at a time.
  var steps = DeadlineHeap<Ref>()
  /// Answers to all.
  var answers = DeadlineHeap<Ref>()
  /// Queries of which more known answers are to come. RFC 6762 §7.2.
  var deferred: [DeferredQuery] = []
  /// Answers to one querier with all services of a type.
  var jobs: [UnicastJob] = []
  /// Answers to one querier that wait because others may answer the same query.
  var replies: [Reply] = []
  /// Addresses that are gone although no other of their family is left.
  var leaving: [MDNSAddress] = []
  static let mostLeaving = 16

  /// The tick whose packets are counted.
  var tick = Time.past
  var stepPackets = 0
  var bulkPackets = 0
  var budget = ReplyBudget()

  init(_ interface: MDNSInterface, isV4: Bool) {
    self.interface = interface
    self.isV4 = isV4
  }

  /// Bytes of a message that fit into one IP packet.
  var room: Int { interface.room(isV4: isV4) }
}

/// A name on a link, of a service or a host.
struct ClaimState: Sendable {
  enum Stage: UInt8, Sendable {
    /// Next: `probing`.
    case idle
    /// Next: `verified` after three probes without an objection; `probing` again after one.
    case probing
    /// Next: `probing` after a conflict; `idle` when the service goes.
    case verified
  }

  var stage = Stage.idle
  /// How many probes were sent.
  var probes: UInt8 = 0
  /// How many announcements are to come.
  var announcements: UInt8 = 0
  /// Whether an announcement was sent, so that a goodbye is due.
  var wasAnnounced = false
  var announced = Records()
  /// When the next step is due.
  var due = Time.never

  /// Answers that wait, and until when.
  var waiting = Records()
  var answerDue = Time.never

  /// When all heard of the records last. A host uses the time of the PTR record for its IPv4 addresses, and that of the SRV record for its IPv6 addresses.
  var pointerSent = Time.past
  var subtypesSent = Time.past
  var srvSent = Time.past
  var textSent = Time.past
  var denialSent = Time.past

  /// The query that said last which records it knows.
  var knownIn: UInt32 = 0
  var known = Records()
  /// When the name was last probed for again because of a conflict.
  var reprobed = Time.past
}

/// A type of services on a link.
struct TypeState: Sendable {
  /// A question of all for the services of the type.
  struct Browse: Sendable {
    var asked: Int64
    /// The query whose known answers are left out; 0: none.
    var query: UInt32
  }

  /// The question that waits for its answer, and until when.
  var waiting: Browse?
  var due = Time.never
  /// The question that is being answered, and the place of the next service in the list.
  var running: Browse?
  var cursor = 0

  /// The PTR record of the list of types.
  var listedSent = Time.past
  var listedDue = Time.never
  var listedKnownIn: UInt32 = 0
}

/// A query that was cut; the rest of its known answers follows.
struct DeferredQuery: Sendable {
  var querier: Querier
  var questions: [Question]
  var due: Int64
  let latest: Int64
}

/// A question for a name of ours.
struct Question: Sendable {
  /// The place in `scan.entries`, while the packet is read.
  var entry: Int
  var ref: Ref
  var type: UInt16
  var wantsUnicast: Bool
}

/// Who asks, and how.
struct Querier: Sendable {
  var source: MDNSEndpoint
  /// The number of the query: records whose state has it are known to the querier.
  var query: UInt32
  /// Of the DNS message.
  var id: UInt16
  var isDirect: Bool
  var isProbe = false
  /// Other hosts may answer the other questions at the same time. RFC 6762 §6.3.
  var hasSeveralQuestions = false
  /// Whether an answer may go to the querier alone: it is on the link.
  var mayReply = true

  /// Does not know multicast DNS. RFC 6762 §6.7.
  var isLegacy: Bool { source.port != MDNS.port }
}

/// An answer to one querier.
struct Reply: Sendable {
  let querier: Querier
  let form: Packer.Form
  var due: Int64
  var items: [Packer.Item] = []
  /// Whether there are more answers.
  var isCut = false
}

struct UnicastJob: Sendable {
  let type: Int
  var querier: Querier
  var due: Int64
  var cursor = 0
}

/// How many unicast packets a link sends in a second, to all and to one: a source that floods gets no further answer, and others get theirs. An answer that
/// has begun is sent to its end.
struct ReplyBudget: Sendable {
  private static let mostPerSource = 100
  private static let most = 2000
  private var second = Time.past
  private var total = 0
  private var counts = [Int](repeating: 0, count: 64)

  /// Whether a further answer to a source may begin.
  mutating func isLeft(for source: MDNSAddress, at now: Int64) -> Bool {
    if now - second >= Time.second {
      second = now
      total = 0
      for index in counts.indices { counts[index] = 0 }
    }
    return total < Self.most && counts[place(of: source)] < Self.mostPerSource
  }

  /// A packet leaves.
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
