/// One thing that happened on a connection, or beside it, while a case ran.
package struct TranscriptEntry: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    /// A message in plain, as it was before sealing or after opening.
    case message
    /// Bytes that make no message, or that were sent around the session.
    case raw
    /// A connection opened, closed or reset.
    case connection
    /// A packet of multicast DNS.
    case mdns
    /// A hook was run.
    case hook
    /// A word of the tester's: a step, a value saved, a check.
    case note
  }

  package enum Direction: String, Equatable, Sendable {
    case sent, received, none
  }

  /// From the start of the run.
  package var time: Duration
  package var kind: Kind
  package var direction: Direction
  /// The connection's name in the case: "main"; empty where none is meant.
  package var connection: String
  /// One line: "PUT /characteristics", "EVENT/1.0 200 OK", "closed by the accessory".
  package var title: String
  /// The content made readable, many lines: TLV items by name, JSON indented. Empty where there is none.
  package var decoded: String {
    get { content.text }
    set { content = .text(newValue) }
  }
  package var content: Content
  /// As it was on the wire, in plain; secrets are in it.
  package var bytes: [UInt8] {
    didSet { size = bytes.count }
  }
  /// Bytes on the wire: as many as `bytes` has, and more where a report left some of them out.
  package var size: Int
  /// The frames that carried it, in order; empty in plain.
  package var frames: [Frame]
  /// This end and the other, "127.0.0.1:40000"; empty where there is no connection.
  package var localAddress: String
  package var peerAddress: String

  /// What `decoded` is made of, when it is asked for: for most entries it never is.
  package enum Content: Equatable, Sendable {
    case text(String)
    case body([UInt8], type: String?, decode: @Sendable (_ body: [UInt8], _ type: String?) -> String)

    package var text: String {
      switch self {
      case .text(let text): text
      case .body(let bytes, let type, let decode): decode(bytes, type)
      }
    }

    /// Bytes that it keeps.
    package var count: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .body(let bytes, _, _): bytes.count
      }
    }

    package static func == (a: Content, b: Content) -> Bool { a.text == b.text }
  }

  package struct Frame: Equatable, Sendable {
    package var counter: UInt64
    /// Bytes of plaintext.
    package var count: Int

    package init(counter: UInt64, count: Int) {
      self.counter = counter
      self.count = count
    }
  }

  package init(
    time: Duration, kind: Kind, direction: Direction = .none, connection: String = "", title: String,
    decoded: String = "", bytes: [UInt8] = [], frames: [Frame] = [], localAddress: String = "",
    peerAddress: String = ""
  ) {
    self.time = time
    self.kind = kind
    self.direction = direction
    self.connection = connection
    self.title = title
    content = .text(decoded)
    self.bytes = bytes
    self.size = bytes.count
    self.frames = frames
    self.localAddress = localAddress
    self.peerAddress = peerAddress
  }
}
