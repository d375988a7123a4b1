import HAPIP
import HAPWire

/// The changes to messages that meet a condition. See docs/reference/defects.md, "Rules: effects".
struct MessageRule: Sendable {
  /// A replacement of text.
  struct Replacement: Sendable {
    var old: String
    var new: String
  }

  /// The answer to a request that is not carried out.
  struct Answer: Sendable {
    enum Body: Sendable {
      case none
      case text([UInt8], type: String)
      /// The database.
      case accessories
      /// The requested values.
      case values
    }
    var status = 204
    var fields: [(name: String, value: String?)] = []
    var body = Body.none
  }

  struct Request: Sendable {
    var text: PlainMessage?
    var remembered: String?
    var isOfThisController = false
  }

  struct Event: Sendable {
    enum Subjects: Sendable { case asked, all, type(String) }
    enum Position: String, CaseIterable, Sendable {
      case before, behind, inside
      /// The first event of the session that the answer starts.
      case session
    }
    var subjects: Subjects
    var value: JSONNode?
    var aid: UInt64?
    var iid: UInt64?
    var position = Position.behind
    /// Only the characteristics that the connection has subscribed to.
    var isForSubscribers = false
  }

  enum Application: Sendable {
    case asked
    /// Values of the first characteristics of these types.
    case types([(type: String, value: JSONNode)])
  }

  var condition: MessageCondition
  var status: Int?
  var version: String?
  var method: String?
  var target: String?
  var fields: [(name: String, value: String?)] = []
  var head: [Replacement] = []
  var body: [UInt8]?
  var json: [JSONEdit] = []
  var tlv: [TLVEdit] = []
  var inner: [TLVEdit] = []
  var text: [Replacement] = []
  var isChunked = false
  /// The size of the whole message in bytes. The message is padded with blanks.
  var size: Int?
  var before: [UInt8] = []
  var behind: [UInt8] = []
  var drops = false
  var delay: Duration?
  var isOvertaken = false
  var isTwice = false
  /// Whether an event goes to all secured connections.
  var isForEverybody = false
  var isReplayed = false
  var answer: Answer?
  var first: [Request] = []
  var then: [Request] = []
  var remembers: String?
  var event: Event?
  var application: Application?
  var suppressed: Set<DefectScript.Suppressed> = []
  var closing: DefectScript.Closing?
  var pause: Duration?
  var exits = false
  var mark: String?
  /// The handling of a broken frame.
  var frame: Frame?
  /// The accessory that performs its identify routine.
  var identifies: UInt64?
  /// Keys of the record to announce again; `nil`: without the key.
  var advertised: [(name: String, value: String?)] = []

  enum Frame: String, CaseIterable, Sendable { case discard, recount }

  init(_ condition: MessageCondition) { self.condition = condition }
}

extension MessageRule {
  /// Returns the message with all changes that need no other messages.
  func altered(_ message: PlainMessage, _ lookup: AttributeLookup) -> PlainMessage {
    var message = message
    if let status { message.setStatus(status) }
    if let version { message.replaceVersion(version) }
    if let method { message.start = method + message.start.dropFirst(message.method.count) }
    if let target { message.start = "\(message.method) \(target) HTTP/1.1" }
    if let body { message.replaceBody(body) }
    if !json.isEmpty, let body = json.apply(to: message.body, lookup) { message.replaceBody(body) }
    if !tlv.isEmpty, let body = tlv.apply(to: message.body) { message.replaceBody(body) }
    if !text.isEmpty { message.replaceBody(Self.replaced(message.body, text)) }
    for (name, value) in fields { message.set(name, value) }
    if let size { message.pad(to: size) }
    return message
  }

  static func replaced(_ bytes: [UInt8], _ replacements: [Replacement]) -> [UInt8] {
    var text = String(decoding: bytes, as: UTF8.self)
    for replacement in replacements { text = text.replacing(replacement.old, with: replacement.new) }
    return Array(text.utf8)
  }
}

extension PlainMessage {
  fileprivate mutating func replaceVersion(_ version: String) {
    start = version + start.dropFirst(words.first?.count ?? 0)
  }
}
