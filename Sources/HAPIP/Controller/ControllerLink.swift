import HAPCrypto
import HAPPairing
import HAPWire

/// What an accessory sent: an answer, or an event.
package struct LinkMessage: Equatable, Sendable {
  package var isEvent: Bool
  package var status: Int
  package var contentType: HTTPContentType
  package var body: [UInt8]
  /// It came in chunks, as some stacks send everything.
  package var isChunked: Bool

  package init(
    isEvent: Bool = false, status: Int, contentType: HTTPContentType = .none, body: [UInt8] = [],
    isChunked: Bool = false
  ) {
    self.isEvent = isEvent
    self.status = status
    self.contentType = contentType
    self.body = body
    self.isChunked = isChunked
  }
}

/// Why bytes from an accessory made no message. The connection is of no more use.
package enum LinkFailure: Error, Equatable, Sendable {
  case http(HTTPError)
  case frame(FrameOpener.Failure)
  /// More than `ControllerLink.inputLimit` bytes came and made no message.
  case tooMuch
  /// The accessory closed in the middle of a message, with so many bytes of it there.
  case cutOff(Int)

  package var message: String {
    switch self {
    case .http(let error): "the answer is no HTTP: \(error.message)"
    case .frame(.tooLong(let count)): "a frame announces \(count) bytes; 1024 are the most"
    case .frame(.badTag): "a frame's tag doesn't hold"
    case .tooMuch: "an answer without end"
    case .cutOff(let count): "the connection ended in the middle of an answer, \(count) bytes into it"
    }
  }
}

/// One connection of a controller without its socket: requests become bytes, bytes become answers and events, in plain before
/// Pair Verify and in frames behind it. HAP R2 §6.2, §6.5.2.
package final class ControllerLink {
  /// What may lie unread before a message is whole: the largest bridge's database, sealed, with room to spare.
  package static let inputLimit = 20 << 20

  /// Filled by the shell, then `received()`.
  package var incoming = ByteBuffer(capacity: 4096)
  /// Taken by the shell.
  package private(set) var outgoing = ByteBuffer(capacity: 1024)
  /// What stands in `Host`.
  package var host: String
  /// Every message of either direction in plain, as it is sent or read; for transcripts.
  package var onPlain: ((_ isFromController: Bool, [UInt8]) -> Void)?
  /// May put other bytes in place of a request, before they are sealed. The tester's, for requests that nobody should send.
  package var alterMessage: (([UInt8]) -> [UInt8])?

  private var parser = HTTPResponseParser()
  private var session: Session?
  private var failure: LinkFailure?
  /// The bytes around what made no message, once there was such.
  package private(set) var fault: ByteExcerpt?

  private final class Session {
    var opener: FrameOpener
    var sealer: FrameSealer
    init(_ keys: SessionKeys) {
      opener = FrameOpener(key: keys.accessoryToController)
      sealer = FrameSealer(key: keys.controllerToAccessory)
    }
  }

  package init(host: String) { self.host = host }

  package var isSecured: Bool { session != nil }

  /// From the next byte on, either way, all is sealed.
  package func secure(_ keys: SessionKeys) { session = Session(keys) }

  // MARK: Out

  package func send(_ request: ControllerRequest) { sendPlain(request.encoded(host: host)) }

  /// Sends bytes that may be anything, sealed once there is a session.
  package func sendPlain(_ bytes: [UInt8]) {
    let bytes = alterMessage?(bytes) ?? bytes
    onPlain?(true, bytes)
    let offset = outgoing.readableCount
    outgoing.append(bytes)
    session?.sealer.seal(&outgoing, from: offset)
  }

  /// Sends bytes as they are, around any session.
  package func sendRaw(_ bytes: [UInt8]) { outgoing.append(bytes) }

  /// Hands over what is to be sent, and forgets it.
  package func takeOutgoing() -> [UInt8] {
    defer { outgoing.removeAll(keepingCapacityUpTo: 64 << 10) }
    return outgoing.bytes
  }

  // MARK: In

  /// Reads what was added to `incoming`.
  /// - Throws: when there is no next message; once it has thrown, it always throws.
  /// - Returns: the messages that are whole now, oldest first. Those before a failure are lost with it only if they came together.
  package func received() throws(LinkFailure) -> [LinkMessage] {
    var messages: [LinkMessage] = []
    do throws(LinkFailure) {
      if let failure { throw failure }
      if let session {
        do throws(FrameOpener.Failure) { try session.opener.open(&incoming) } catch {
          keepFault(at: session.opener.unopenedOffset)
          throw .frame(error)
        }
      }
      while let message = try next() { messages.append(message) }
      if incoming.readableCount > Self.inputLimit {
        keepFault(at: incoming.readableCount)
        throw .tooMuch
      }
    } catch {
      failure = error
      if messages.isEmpty { throw error }
    }
    return messages
  }

  /// The accessory sends no more.
  /// - Throws: when it ended inside a message.
  /// - Returns: an answer that lasts until the end of the connection, if one was under way.
  package func ended() throws(LinkFailure) -> LinkMessage? {
    if let failure { throw failure }
    if let message = try withPlain({ bytes in parser.endOfStream(bytes) }) { return message }
    if incoming.readableCount > 0 {
      keepFault(at: incoming.readableCount)
      throw .cutOff(incoming.readableCount)
    }
    return nil
  }

  /// Of the bytes as they lie in the buffer: frames that aren't open yet are still sealed.
  private func keepFault(at offset: Int) {
    fault = incoming.withReadable { ByteExcerpt(of: UnsafeRawBufferPointer($0), around: offset) }
  }

  private func next() throws(LinkFailure) -> LinkMessage? { try withPlain { bytes in parser.parse(bytes) } }

  /// Lends what is there in plain to the parser, and takes the message that it finds.
  private func withPlain(
    _ parse: (UnsafeMutableRawBufferPointer) -> HTTPResponseParser.Result?
  ) throws(LinkFailure) -> LinkMessage? {
    var found: (LinkMessage, whole: [UInt8])?
    var consumed = 0
    var error: HTTPError?
    func look(_ bytes: UnsafeMutableRawBufferPointer) {
      guard !bytes.isEmpty else { return }
      switch parse(bytes) {
      case nil, .incomplete?: break
      case .malformed(let reason)?:
        error = reason
        fault = ByteExcerpt(of: UnsafeRawBufferPointer(bytes), around: parser.understoodCount)
      case .message(let head, let body, let count)?:
        consumed = count
        let message = LinkMessage(
          isEvent: head.isEvent, status: head.status, contentType: head.contentType, body: Array(bytes[body]),
          isChunked: head.isChunked)
        found = (message, onPlain == nil ? [] : Array(bytes[..<count]))
      }
    }
    if let session {
      session.opener.withPlaintext(of: incoming, look)
      session.opener.consume(consumed, from: &incoming)
    } else {
      incoming.withReadable(look)
      incoming.consume(consumed)
    }
    if let error { throw .http(error) }
    if let found, let onPlain { onPlain(false, found.whole) }
    return found?.0
  }
}
