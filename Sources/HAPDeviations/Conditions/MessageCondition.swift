import HAPIP
import HAPWire

/// Which messages a rule is about. See docs/defects.md, "Rules: when".
package final class MessageCondition: Sendable {
  enum Kind: Equatable, Sendable {
    case request(method: Glob, path: Glob)
    case answer(method: Glob, path: Glob)
    /// An answer to something that was no request.
    case answerToNothing
    case event(Glob)
    case bytes(Glob)
    /// The controller has ended its sending.
    case end
    case brokenFrame(FrameFault)
    /// No message: so much time has passed, on each connection, again and again.
    case beat(every: Duration)
    /// No message: what a rule with this mark left behind.
    case mark(String)
  }

  enum FrameFault: String, CaseIterable, Sendable { case tag, length }

  /// What is wrong with M3 of Pair Verify.
  package enum FinishVerdict: String, CaseIterable, Sendable {
    /// There was no M1.
    case order
    /// It can't be opened.
    case tag
    /// It is too short to be opened, or what is inside lacks an item or has one of a wrong length.
    case form
    /// No pairing has that identifier, nor had one when this or an earlier M1 came.
    case stranger
    /// The identifier was a pairing's when M1 came, and isn't now.
    case removed
    /// The identifier was a pairing's when an earlier M1 came, and was no pairing's any more when this M1 came.
    case former
    /// Signed with the key of another pairing.
    case otherKey = "other-key"
    /// Signed over the two keys in the wrong order.
    case swapped
    /// Signed over the keys of an earlier exchange.
    case earlier
    /// The signature doesn't hold for another reason.
    case signature
    case good
  }

  enum Scope: String, CaseIterable, Sendable { case connection, controller, accessory }

  enum ItemTest: Equatable, Sendable {
    case equal([UInt8])
    case present
    case absent
    case length(CountPattern)
    case starting([UInt8])
  }

  /// Of another connection than the message's.
  struct Company: Equatable, Sendable {
    var isSecured: Bool?
    var isVerifying: Bool?
    var isSettingUp: Bool?
    var isSubscribed: Bool?
    /// A part of a frame or a request has come.
    var isPartial: Bool?
    /// Of all connections.
    var count: CountPattern?
  }

  enum Controller: Equatable, Sendable {
    /// Counted from 1 in the order of pairing.
    case number(Int)
    /// Any but the first.
    case other
  }

  struct Members: Sendable {
    var kind: Kind
    var query: [(name: String, value: Glob?)] = []
    var ids: CountPattern?
    /// Of the request, head and body, in bytes.
    var sizes: [CountPattern] = []
    var head: Glob?
    var body: Glob?
    var paths: [(path: JSONPattern, isThere: Bool)] = []
    var askedPaths: [(path: JSONPattern, isThere: Bool)] = []
    var items: [(type: UInt8, test: ItemTest)] = []
    var askedItems: [(type: UInt8, test: ItemTest)] = []
    var statuses: [Int] = []
    var isSecured: Bool?
    var isAdmin: Bool?
    var controller: Controller?
    var isPaired: Bool?
    var frames: CountPattern?
    var reads: CountPattern?
    var company: Company?
    /// Whether some accessory behind the bridge is out of reach.
    var isOffline: Bool?
    var after: MessageCondition?
    var notAfter: MessageCondition?
    var within: Duration?
    var nth: CountPattern?
    var scope: Scope = .connection
    /// Percent of the messages that fit all else, drawn at random.
    var share: Double?
    /// The accessory started anew no longer ago than this.
    var restarted: Duration?
    var restartCauses: [RestartChange.Cause] = []
    var finish: [FinishVerdict] = []
    /// Inside M3 of Pair Verify.
    var innerItems: [(type: UInt8, test: ItemTest)] = []
    var isPipelined: Bool?
    /// The connection had sent no request for so long.
    var idle: Duration?
    /// A connection ended in the middle of a Pair Setup no longer ago than this.
    var abandonedSetup: Duration?
    /// What a frame announces that is too long.
    var lengths: [CountPattern] = []
    /// Bytes of a body that are still to come.
    var missing: CountPattern?
    /// The connection's own address.
    var address: String?
    /// Nil: all connections.
    var connections: ConnectionScope?

    init(kind: Kind) { self.kind = kind }
  }

  let members: Members

  init(_ members: Members) { self.members = members }
}

/// What is known of a message's connection.
package struct ConnectionFacts: Equatable, Sendable {
  package var id: UInt64
  package var isSecured: Bool
  package var isAdmin: Bool
  /// The pairing identifier; nil: nobody is verified.
  package var controller: String?
  /// In the order of pairing, from 1; 0: unknown.
  package var controllerNumber: Int
  package var isVerifying: Bool
  package var isSettingUp: Bool
  package var isSubscribed: Bool
  /// Whether a part of a frame or of a request has come.
  package var isPartial: Bool
  /// The accessory's own address of this connection.
  package var address: String?

  package init(
    id: UInt64, isSecured: Bool, isAdmin: Bool, controller: String?, controllerNumber: Int, isVerifying: Bool,
    isSettingUp: Bool, isSubscribed: Bool, isPartial: Bool = false, address: String? = nil
  ) {
    self.id = id
    self.isSecured = isSecured
    self.isAdmin = isAdmin
    self.controller = controller
    self.controllerNumber = controllerNumber
    self.isVerifying = isVerifying
    self.isSettingUp = isSettingUp
    self.isSubscribed = isSubscribed
    self.isPartial = isPartial
    self.address = address
  }
}

/// One message with all that a condition may ask about it.
package struct MessageFacts {
  package enum Kind: Equatable {
    case request, answer, event, bytes, end, badTag, tooLong
    case beat(every: Duration)
  }

  package var kind: Kind
  /// The message itself; nil: bytes.
  package var message: PlainMessage?
  package var bytes: [UInt8] = []
  /// The request that it is, or that it answers; nil: an event, or an answer to what was no request.
  package var request: PlainMessage?
  package var connection: ConnectionFacts
  package var others: [ConnectionFacts]
  package var isPaired: Bool
  package var frames = 1
  package var reads = 1
  package var now: Duration
  /// When the accessory last started anew; nil: it hasn't.
  package var restart: (at: Duration, cause: RestartChange.Cause)?
  /// Of M3 of Pair Verify, or of the answer to it.
  package var finish: MessageCondition.FinishVerdict?
  /// What is inside of that M3.
  package var inner: TLV?
  /// Whether it had come before the request in front of it was answered.
  package var isPipelined = false
  /// Whether some accessory behind the bridge is out of reach.
  package var isOffline = false
  /// Since a connection ended in the middle of a Pair Setup; `nil`: none has.
  package var abandonedSetup: Duration?
  /// Since the connection's last request.
  package var idle = Duration.zero
  /// What a frame announces that is too long.
  package var frameLength = 0
  /// Frames that the accessory has sealed on this connection.
  package var sealedFrames: UInt64 = 0
  package var lookup: AttributeLookup

  package init(
    kind: Kind, message: PlainMessage?, bytes: [UInt8] = [], request: PlainMessage?, connection: ConnectionFacts,
    others: [ConnectionFacts], isPaired: Bool, frames: Int = 1, reads: Int = 1, now: Duration,
    restart: (at: Duration, cause: RestartChange.Cause)? = nil, lookup: @escaping AttributeLookup
  ) {
    self.kind = kind
    self.message = message
    self.bytes = bytes
    self.request = request
    self.connection = connection
    self.others = others
    self.isPaired = isPaired
    self.frames = frames
    self.reads = reads
    self.now = now
    self.restart = restart
    self.lookup = lookup
  }
}

extension MessageCondition {
  /// Whether the message fits in itself, whatever came before it.
  func fits(_ facts: MessageFacts) -> Bool {
    guard fitsKind(facts) else { return false }
    let connection = facts.connection
    if let scope = members.connections, !scope.fits(connection: connection.id, controller: connection.controller) {
      return false
    }
    if let wanted = members.isSecured, wanted != connection.isSecured { return false }
    if let wanted = members.isAdmin, !connection.isSecured || wanted != connection.isAdmin { return false }
    if let wanted = members.isPaired, wanted != facts.isPaired { return false }
    switch members.controller {
    case .number(let number): if connection.controllerNumber != number { return false }
    case .other: if connection.controllerNumber < 2 { return false }
    case nil: break
    }
    if let limit = members.restarted {
      guard let restart = facts.restart, facts.now - restart.at <= limit else { return false }
      if !members.restartCauses.isEmpty, !members.restartCauses.contains(restart.cause) { return false }
    }
    if !members.finish.isEmpty {
      guard let finish = facts.finish, members.finish.contains(finish) else { return false }
    }
    for (type, test) in members.innerItems {
      guard let inner = facts.inner, test.fits(inner[type]) else { return false }
    }
    if let limit = members.abandonedSetup {
      guard let past = facts.abandonedSetup, past <= limit else { return false }
    }
    if let idle = members.idle, facts.idle < idle { return false }
    if !members.lengths.isEmpty, !members.lengths.contains(where: { $0.fits(facts.frameLength) }) { return false }
    if let missing = members.missing, !missing.fits(facts.missingCount) { return false }
    if let address = members.address, address != connection.address { return false }
    if let wanted = members.isPipelined, wanted != facts.isPipelined { return false }
    if let wanted = members.isOffline, wanted != facts.isOffline { return false }
    if let frames = members.frames, !frames.fits(facts.frames) { return false }
    if let reads = members.reads, !reads.fits(facts.reads) { return false }
    if let company = members.company, !company.fits(facts.others) { return false }
    return fitsRequest(facts) && fitsContent(facts)
  }

  private func fitsKind(_ facts: MessageFacts) -> Bool {
    switch members.kind {
    case .request(let method, let path):
      return facts.kind == .request && facts.request.map { method.matches($0.method) && path.matches($0.path) } ?? false
    case .answer(let method, let path):
      return facts.kind == .answer && facts.request.map { method.matches($0.method) && path.matches($0.path) } ?? false
    case .answerToNothing: return facts.kind == .answer && facts.request == nil
    case .event(let text):
      return facts.kind == .event
        && text.matches(facts.message.map { String(decoding: $0.body, as: UTF8.self) } ?? "")
    case .bytes(let text): return facts.kind == .bytes && text.matches(String(decoding: facts.bytes, as: UTF8.self))
    case .end: return facts.kind == .end
    case .brokenFrame(let fault): return facts.kind == (fault == .tag ? .badTag : .tooLong)
    case .beat(let pause): return facts.kind == .beat(every: pause)
    case .mark: return false
    }
  }

  private func fitsRequest(_ facts: MessageFacts) -> Bool {
    let request = facts.request
    for (name, value) in members.query {
      let found = request?.query.first { $0.name == name }?.value
      guard found.map({ value?.matches($0) ?? false }) ?? (value == nil) else { return false }
    }
    if !members.sizes.isEmpty, !members.sizes.contains(where: { $0.fits(request?.byteCount ?? 0) }) { return false }
    if let ids = members.ids, !ids.fits(request?.idCount ?? 0) { return false }
    if let head = members.head, !head.matches(request.map { $0.rawHead ?? $0.headText } ?? "") { return false }
    if let body = members.body, !body.matches(String(decoding: request?.body ?? [], as: UTF8.self)) { return false }
    return Self.fits(request, members.askedPaths, members.askedItems, facts)
  }

  private func fitsContent(_ facts: MessageFacts) -> Bool {
    if !members.statuses.isEmpty {
      guard let status = facts.message?.status, members.statuses.contains(status) else { return false }
    }
    return Self.fits(facts.message, members.paths, members.items, facts)
  }

  private static func fits(
    _ message: PlainMessage?, _ paths: [(path: JSONPattern, isThere: Bool)],
    _ items: [(type: UInt8, test: ItemTest)], _ facts: MessageFacts
  ) -> Bool {
    if !paths.isEmpty {
      guard let json = message?.json else { return false }
      for (path, isThere) in paths where path.exists(in: json, facts.lookup) != isThere { return false }
    }
    if !items.isEmpty {
      guard let tlv = message?.tlv else { return false }
      for (type, test) in items where !test.fits(tlv[type]) { return false }
    }
    return true
  }
}

extension MessageCondition.ItemTest {
  fileprivate func fits(_ value: [UInt8]?) -> Bool {
    switch self {
    case .present: value != nil
    case .absent: value == nil
    case .equal(let wanted): value == wanted
    case .starting(let bytes): value?.starts(with: bytes) ?? false
    case .length(let count): value.map { count.fits($0.count) } ?? false
    }
  }
}

extension MessageCondition.Company {
  fileprivate func fits(_ others: [ConnectionFacts]) -> Bool {
    if let count, !count.fits(others.count + 1) { return false }
    guard isSecured != nil || isVerifying != nil || isSettingUp != nil || isSubscribed != nil || isPartial != nil
    else { return true }
    return others.contains { other in
      (isSecured.map { $0 == other.isSecured } ?? true) && (isVerifying.map { $0 == other.isVerifying } ?? true)
        && (isSettingUp.map { $0 == other.isSettingUp } ?? true)
        && (isSubscribed.map { $0 == other.isSubscribed } ?? true)
        && (isPartial.map { $0 == other.isPartial } ?? true)
    }
  }
}

extension PlainMessage {
  /// The size of the head as it came, of the empty line after it, and of the body.
  fileprivate var byteCount: Int { (rawHead ?? headText).utf8.count + 4 + body.count }

  /// Entries of the query's id or of the body, whatever they are.
  fileprivate var idCount: Int {
    if let text = query.first(where: { $0.name == "id" })?.value {
      return text.isEmpty ? 0 : text.split(separator: ",", omittingEmptySubsequences: false).count
    }
    return entries.count
  }
}

extension MessageFacts {
  /// Of the body of a request whose head is in these bytes, how many bytes aren't.
  fileprivate var missingCount: Int {
    let end = PlainMessage.headCount(of: bytes)
    guard end + 4 <= bytes.count,
      let length = PlainMessage(head: bytes[..<end], body: [])["Content-Length"].flatMap({ Int($0) })
    else { return 0 }
    return max(0, length - (bytes.count - end - 4))
  }
}
