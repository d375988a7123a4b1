import HAPWire

/// Receives every plaintext message between an accessory's protocol and its connections, and may alter it.
///
/// The core calls the tap on its own thread while it handles messages. Therefore the tap may call only those parts of
/// the core that are named here.
package protocol MessageTap: AnyObject {
  /// Called before a complete request is handled.
  /// - Parameters:
  ///   - head: the request line and the fields, with the empty line.
  ///   - body: the body with its chunks joined.
  /// - Returns: complete requests to handle instead, possibly none; nil: the request is handled unchanged.
  func request(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, on connection: ConnectionCore) -> [UInt8]?
  /// Called when a plaintext response or event is at the end of `connection.outgoing`, from `start` on. The tap
  /// passes it to `connection.seal(from:)`, or removes it and sends something else with `connection.send`, now or
  /// later.
  func message(from start: Int, on connection: ConnectionCore)
  /// Called when the connection is secured: from now on, messages to it are sealed. Called after the response that
  /// secured it, in the same turn.
  func secured(_ connection: ConnectionCore)
  /// Called when a frame can't be opened. `connection.withOpener` gives access to the opener, to open or to discard
  /// the frame.
  /// - Parameter unopened: the bytes of the buffer before the attempt changed them; they may begin with frames that
  ///   were opened.
  /// - Returns: whether the connection continues; if not, it is closed, as HAP R2 §6.5.2 requires.
  func brokenFrame(_ failure: FrameOpener.Failure, unopened: [UInt8], on connection: ConnectionCore) -> Bool
}

extension ConnectionCore {
  /// Seals the message that was appended to `outgoing` from `start`, if the connection is secured, and sends it.
  package func seal(from start: Int) {
    session?.sealer.seal(&outgoing, from: start)
    noteForShell()
  }

  /// Appends a message that the core did not create.
  /// - Parameters:
  ///   - isPlain: whether the message belongs before the first frame, even if the connection is already secured.
  ///   - frames: creates the frames of the message on a secured connection; nil: they are created as for every
  ///     message.
  package func send(
    _ message: [UInt8], isPlain: Bool = false, frames: ((inout FrameSealer, [UInt8]) -> [UInt8])? = nil
  ) {
    if let show = outbox.onPlain { message.withUnsafeBytes { show(id, false, $0, .init(start: nil, count: 0)) } }
    let start = outgoing.readableCount
    if let session, !isPlain {
      if let frames {
        outgoing.append(frames(&session.sealer, message))
      } else {
        outgoing.append(message)
        session.sealer.seal(&outgoing, from: start)
      }
    } else {
      outgoing.append(message)
    }
    noteForShell()
  }

  /// Passes the opener of a secured connection and the received bytes to `body`.
  /// - Returns: nil if the connection is not secured.
  package func withOpener<R>(_ body: (inout FrameOpener, inout ByteBuffer) -> R) -> R? {
    guard let session else { return nil }
    return body(&session.opener, &incoming)
  }

  /// Removes the message that was appended from `start`, and returns it.
  package func takeBack(from start: Int) -> [UInt8] {
    let count = outgoing.readableCount - start
    let message = outgoing.withReadable { [UInt8]($0.suffix(count)) }
    outgoing.removeLast(count)
    return message
  }
}
