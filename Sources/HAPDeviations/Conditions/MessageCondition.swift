import HAPIP
import HAPWire

/// The condition that selects the messages of a rule. See docs/reference/defects.md, "Rules: when".
package final class MessageCondition: Sendable {
  enum Kind: Equatable, Sendable {
    case request(method: Glob, path: Glob)
    case answer(method: Glob, path: Glob)
    /// An answer to input that was not a request.
    case answerToNothing
    case event(Glob)
    case bytes(Glob)
    /// The controller has closed its sending side.
    case end
    case brokenFrame(FrameFault)
    /// Not a message: this time has passed. Repeats on each connection.
    case beat(every: Duration)
    /// Not a message: a rule with this mark has run.
    case mark(String)
  }

  enum FrameFault: String, CaseIterable, Sendable { case tag, length }

  /// The verdict on M3 of Pair Verify.
  package enum FinishVerdict: String, CaseIterable, Sendable {
    /// There was no M1.
    case order
    /// It can't be decrypted.
    case tag
    /// It is too short to be decrypted, or its content lacks an item or has one of a wrong length.
    case form
    /// No pairing has the identifier, and none had it when this or an earlier M1 arrived.
    case stranger
    /// A pairing had the identifier when M1 arrived, and none has it now.
    case removed
    /// A pairing had the identifier when an earlier M1 arrived, and none had it when this M1 arrived.
    case former
    /// Signed with the key of another pairing.
    case otherKey = "other-key"
    /// Signed over the two keys in the wrong order.
    case swapped
    /// Signed over the keys of an earlier exchange.
    case earlier
    /// The signature is invalid for another reason.
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

  /// The state of a connection other than that of the message.
  struct Company: Equatable, Sendable {
    var isSecured: Bool?
    var isVerifying: Bool?
    var isSettingUp: Bool?
    var isSubscribed: Bool?
    /// Whether part of a frame or a request has been received.
    var isPartial: Bool?
    /// The number of all connections.
    var count: CountPattern?
  }

  enum Controller: Equatable, Sendable {
    /// Counted from 1 in the order of pairing.
    case number(Int)
    /// Any controller except the first.
    case other
  }

  struct Members: Sendable {
    var kind: Kind
    var query: [(name: String, value: Glob?)] = []
    var ids: CountPattern?
    /// The size of the request, head and body, in bytes.
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
    /// Whether a bridged accessory is unreachable.
    var isOffline: Bool?
    var after: MessageCondition?
    var notAfter: MessageCondition?
    var within: Duration?
    var nth: CountPattern?
    var scope: Scope = .connection
    /// The share of the messages that meet everything else, in percent, selected at random.
    var share: Double?
    /// The accessory restarted at most this long ago.
    var restarted: Duration?
    var restartCauses: [RestartChange.Cause] = []
    var finish: [FinishVerdict] = []
    /// Conditions for items inside M3 of Pair Verify.
    var innerItems: [(type: UInt8, test: ItemTest)] = []
    var isPipelined: Bool?
    /// The connection had sent no request for this time.
    var idle: Duration?
    /// A connection ended during a Pair Setup at most this long ago.
    var abandonedSetup: Duration?
    /// The announced length of a frame that is too long.
    var lengths: [CountPattern] = []
    /// The number of bytes of a body that are still missing.
    var missing: CountPattern?
    /// The accessory's address of the connection.
    var address: String?
    /// `nil`: all connections.
    var connections: ConnectionScope?

    init(kind: Kind) { self.kind = kind }
  }

  let members: Members

  init(_ members: Members) { self.members = members }
}

/// The facts about a message's connection.
package struct ConnectionFacts: Equatable, Sendable {
  package var id: UInt64
  package var isSecured: Bool
  package var isAdmin: Bool
  /// The pairing identifier; `nil`: no controller is verified.
  package var controller: String?
  /// The controller's number in the order of pairing, from 1; 0: unknown.
  package var controllerNumber: Int
  package var isVerifying: Bool
  package var isSettingUp: Bool
  package var isSubscribed: Bool
  /// Whether part of a frame or of a request has been received.
  package var isPartial: Bool
  /// The accessory's address of this connection.
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

/// One message with all facts that a condition may test.
package struct MessageFacts {
  package enum Kind: Equatable {
    case request, answer, event, bytes, end, badTag, tooLong
    case beat(every: Duration)
  }

  package var kind: Kind
  /// The message; `nil`: bytes.
  package var message: PlainMessage?
  package var bytes: [UInt8] = []
  /// The request itself, or the request that the message answers; `nil`: an event, or an answer to input that was not
  /// a request.
  package var request: PlainMessage?
  package var connection: ConnectionFacts
  package var others: [ConnectionFacts]
  package var isPaired: Bool
  package var frames = 1
  package var reads = 1
  package var now: Duration
  /// The accessory's last restart; `nil`: none.
  package var restart: (at: Duration, cause: RestartChange.Cause)?
  /// The verdict for M3 of Pair Verify, or for the answer to it.
  package var finish: MessageCondition.FinishVerdict?
  /// The decrypted items in M3 of Pair Verify.
  package var inner: TLV?
  /// Whether the request arrived before the previous one was answered.
  package var isPipelined = false
  /// Whether a bridged accessory is unreachable.
  package var isOffline = false
  /// Time since a connection ended during a Pair Setup; `nil`: none did.
  package var abandonedSetup: Duration?
  /// Time since the connection's last request.
  package var idle = Duration.zero
  /// The announced length of a frame that is too long.
  package var frameLength = 0
  /// The number of frames that the accessory has sealed on this connection.
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
  /// Returns whether the message by itself meets the condition, without regard to earlier messages.
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
  /// The size of the head as received, of the empty line after it, and of the body.
  fileprivate var byteCount: Int { (rawHead ?? headText).utf8.count + 4 + body.count }

  /// The number of entries of the query's `id` or of the body, valid or not.
  fileprivate var idCount: Int {
    if let text = query.first(where: { $0.name == "id" })?.value {
      return text.isEmpty ? 0 : text.split(separator: ",", omittingEmptySubsequences: false).count
    }
    return entries.count
  }
}

extension MessageFacts {
  /// For a request whose head is in these bytes, the number of body bytes that are missing.
  fileprivate var missingCount: Int {
    let end = PlainMessage.headCount(of: bytes)
    guard end + 4 <= bytes.count,
      let length = PlainMessage(head: bytes[..<end], body: [])["Content-Length"].flatMap({ Int($0) })
    else { return 0 }
    return max(0, length - (bytes.count - end - 4))
  }
}
