import HAPCrypto
import HAPPairing
import HAPWire

/// A message of an accessory: a response or an event.
package struct LinkMessage: Equatable, Sendable {
  package var isEvent: Bool
  package var status: Int
  package var contentType: HTTPContentType
  package var body: [UInt8]
  /// Whether it was sent in chunks, as some stacks send everything.
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

/// The reason why bytes from an accessory are not a valid message. The connection can't be used any more.
package enum LinkFailure: Error, Equatable, Sendable {
  case http(HTTPError)
  case frame(FrameOpener.Failure)
  /// More than `ControllerLink.inputLimit` bytes arrived without a complete message.
  case tooMuch
  /// The accessory closed the connection inside a message, after this number of bytes.
  case cutOff(Int)

  package var message: String {
    switch self {
    case .http(let error): "the answer is not valid HTTP: \(error.message)"
    case .frame(.tooLong(let count)): "a frame announces \(count) bytes; the maximum is 1024"
    case .frame(.badTag): "a frame's authentication tag is invalid"
    case .tooMuch: "an answer of more than 20 MiB"
    case .cutOff(let count): "the connection ended in the middle of an answer, after \(count) bytes"
    }
  }
}

/// One connection of a controller without its socket: converts requests to bytes, and bytes to responses and events.
/// Messages are plaintext before Pair Verify and frames after it. HAP R2 §6.2, §6.5.2.
package final class ControllerLink {
  /// The maximum number of bytes of an incomplete message: more than the sealed database of the largest bridge.
  package static let inputLimit = 20 << 20

  /// The shell adds received bytes, then calls `received()`.
  package var incoming = ByteBuffer(capacity: 4096)
  /// The bytes to send, which the shell takes.
  package private(set) var outgoing = ByteBuffer(capacity: 1024)
  /// The value of the `Host` field.
  package var host: String
  /// Called for every plaintext message in either direction, when it is sent or read; for transcripts.
  package var onPlain: ((_ isFromController: Bool, [UInt8]) -> Void)?
  /// Replaces the bytes of a request before they are sealed. Only for the tester, which sends invalid requests.
  package var alterMessage: (([UInt8]) -> [UInt8])?

  private var parser = HTTPResponseParser()
  private var session: Session?
  private var failure: LinkFailure?
  /// The bytes around the first error, if there was one.
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

  /// Secures the connection: from the next byte on, both directions are sealed.
  package func secure(_ keys: SessionKeys) { session = Session(keys) }

  // MARK: Sending

  package func send(_ request: ControllerRequest) { sendPlain(request.encoded(host: host)) }

  /// Sends arbitrary bytes, sealed if there is a session.
  package func sendPlain(_ bytes: [UInt8]) {
    let bytes = alterMessage?(bytes) ?? bytes
    onPlain?(true, bytes)
    let offset = outgoing.readableCount
    outgoing.append(bytes)
    session?.sealer.seal(&outgoing, from: offset)
  }

  /// Sends bytes unchanged, outside of any session.
  package func sendRaw(_ bytes: [UInt8]) { outgoing.append(bytes) }

  /// Returns the bytes to send, and removes them.
  package func takeOutgoing() -> [UInt8] {
    defer { outgoing.removeAll(keepingCapacityUpTo: 64 << 10) }
    return outgoing.bytes
  }

  // MARK: Receiving

  /// Reads the bytes that were added to `incoming`.
  /// - Throws: if the next message is invalid; after the first error, it always throws.
  /// - Returns: the complete messages, oldest first. If malformed HTTP follows them, they are returned, and the next
  ///   call throws. A broken frame in the same input discards them.
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

  /// Handles the end of the accessory's sending.
  /// - Throws: if it ended inside a message.
  /// - Returns: a pending response that is terminated by the end of the connection, if there is one.
  package func ended() throws(LinkFailure) -> LinkMessage? {
    if let failure { throw failure }
    if let message = try withPlain({ bytes in parser.endOfStream(bytes) }) { return message }
    if incoming.readableCount > 0 {
      keepFault(at: incoming.readableCount)
      throw .cutOff(incoming.readableCount)
    }
    return nil
  }

  /// The excerpt shows the bytes in the buffer: unopened frames are still sealed.
  private func keepFault(at offset: Int) {
    fault = incoming.withReadable { ByteExcerpt(of: UnsafeRawBufferPointer($0), around: offset) }
  }

  private func next() throws(LinkFailure) -> LinkMessage? { try withPlain { bytes in parser.parse(bytes) } }

  /// Passes the available plaintext to the parser, and takes the message that it finds.
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
