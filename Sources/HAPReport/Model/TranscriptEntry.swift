/// An event on a connection, or next to it, during a case.
package struct TranscriptEntry: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    /// A message in plain text, before sealing or after opening.
    case message
    /// Bytes that are not a message, or that bypassed the session.
    case raw
    /// A connection opened, closed or reset.
    case connection
    /// A packet of multicast DNS.
    case mdns
    /// A hook was run.
    case hook
    /// A note by the tester: a step, a saved value, a check.
    case note
  }

  package enum Direction: String, Equatable, Sendable {
    case sent, received, none
  }

  /// The time since the start of the run.
  package var time: Duration
  package var kind: Kind
  package var direction: Direction
  /// The name of the connection in the case: "main"; empty if there is none.
  package var connection: String
  /// One line such as "PUT /characteristics", "EVENT/1.0 200 OK" or "closed by the accessory".
  package var title: String
  /// The readable content in many lines: TLV items by name, JSON indented. Empty without content.
  package var decoded: String {
    get { content.text }
    set { content = .text(newValue) }
  }
  package var content: Content
  /// The bytes on the wire in plain text. They contain secrets.
  package var bytes: [UInt8] {
    didSet { size = bytes.count }
  }
  /// The number of bytes on the wire. It exceeds the count of `bytes` if a report left some of them out.
  package var size: Int
  /// The frames that carried the message, in order; empty for plain text.
  package var frames: [Frame]
  /// The local and the peer address, such as "127.0.0.1:40000"; empty without a connection.
  package var localAddress: String
  package var peerAddress: String

  /// The source of `decoded`. It is decoded on demand, because most entries are never shown.
  package enum Content: Equatable, Sendable {
    case text(String)
    case body([UInt8], type: String?, decode: @Sendable (_ body: [UInt8], _ type: String?) -> String)

    package var text: String {
      switch self {
      case .text(let text): text
      case .body(let bytes, let type, let decode): decode(bytes, type)
      }
    }

    /// The number of stored bytes.
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
    /// The bytes of plaintext.
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
