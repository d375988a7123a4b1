import HAPReport
import HAPWire

/// A message of the accessory, an answer or an event, with everything that a case may check.
package struct WireMessage: Equatable, Sendable {
  package var isEvent: Bool
  /// The status line's first word: "HTTP/1.1".
  package var version: String
  package var status: Int
  package var reason: String
  /// The header fields in their order, with names in lower case and values trimmed.
  package var fields: [HTTPField]
  package var body: [UInt8]
  package var isChunked: Bool
  /// The decrypted message: the head as received, and the body with its chunks joined.
  package var bytes: [UInt8]
  /// The frames that carried the message; empty without encryption. A frame that also contains the start of the next
  /// message counts for both.
  package var frames: [TranscriptEntry.Frame]
  package var isSealed: Bool
  /// Arrival of the message's last byte, from the start of the run.
  package var time: Duration

  /// Returns the value of the first field with a lower-case name.
  package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Content-Type without parameters, in lower case.
  package var type: String? {
    field("content-type").map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
  }

  /// The status line, such as "HTTP/1.1 207 Multi-Status".
  package var title: String { "\(version) \(status)" + (reason.isEmpty ? "" : " \(reason)") }

  /// - Parameters:
  ///   - head: the parser's result for `bytes`, before its chunks were joined.
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

  /// Largest head in bytes, as in the parser.
  private static let headLimit = 8 * 1024
}

/// The next arrival on a connection.
package enum Arrival: Equatable, Sendable {
  case message(WireMessage)
  /// Bytes that aren't a message; nothing after them can be parsed.
  case garbage(reason: String, bytes: [UInt8], time: Duration)
  /// The accessory ended the connection.
  case closed(reset: Bool, time: Duration)
  /// Nothing arrived within the time limit.
  case silence(Duration)
}
