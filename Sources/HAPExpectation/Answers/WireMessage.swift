import HAPReport
import HAPWire

/// A message of the accessory: an answer or an event, with all that a case may want to judge.
package struct WireMessage: Equatable, Sendable {
  package var isEvent: Bool
  /// The status line's first word: "HTTP/1.1".
  package var version: String
  package var status: Int
  package var reason: String
  /// In their order, names in lower case, values without blanks around them.
  package var fields: [HTTPField]
  package var body: [UInt8]
  package var isChunked: Bool
  /// All of it in plain: the head as it came, and the body, of which chunks are joined.
  package var bytes: [UInt8]
  /// The frames that carried it; empty in plain. One that ends inside the next message too is counted to both.
  package var frames: [TranscriptEntry.Frame]
  package var isSealed: Bool
  /// When its last byte came, from the start of the run.
  package var time: Duration

  /// The value of the first field of a name in lower case.
  package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Content-Type without parameters, in lower case.
  package var type: String? {
    field("content-type").map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
  }

  /// "HTTP/1.1 207 Multi-Status".
  package var title: String { "\(version) \(status)" + (reason.isEmpty ? "" : " \(reason)") }

  /// - Parameters:
  ///   - head: of the parser, over `bytes` as they were before chunks were joined.
  package init(
    _ head: HTTPResponseHead, raw bytes: [UInt8], body: [UInt8], frames: [TranscriptEntry.Frame], isSealed: Bool,
    time: Duration
  ) {
    isEvent = head.isEvent
    status = head.status
    isChunked = head.isChunked
    self.bytes = bytes
    self.body = body
    self.frames = frames
    self.isSealed = isSealed
    self.time = time
    let text = HTTPHeadText(bytes.prefix(Self.headLimit))
    let words = text.words
    version = words.first.map(String.init) ?? ""
    reason = words.count > 2 ? String(words[2]) : ""
    fields = text.fields.map { HTTPField($0.name.lowercased(), $0.trimmedValue) }
  }

  /// Where a head must have ended; the parser's own limit.
  private static let headLimit = 8 * 1024
}

/// What comes next on a connection.
package enum Arrival: Equatable, Sendable {
  case message(WireMessage)
  /// Bytes that make no message; nothing after them can be understood.
  case garbage(reason: String, bytes: [UInt8], time: Duration)
  /// The accessory ended the connection.
  case closed(reset: Bool, time: Duration)
  /// Nothing came in time.
  case silence(Duration)
}
