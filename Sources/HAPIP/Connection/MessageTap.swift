import HAPWire

/// Gets every message between an accessory's protocol and its connections in plain, and may alter it.
///
/// The core does not know why. It calls the tap on its own thread, in the middle of its work: the tap calls nothing of the core but what is
/// named here.
package protocol MessageTap: AnyObject {
  /// A whole request is about to be worked off.
  /// - Parameters:
  ///   - head: its first line and its fields, with the empty line.
  ///   - body: as it is after chunks were joined.
  /// - Returns: requests, whole ones, to be worked off in its place, perhaps none; nil: it is worked off as it is.
  func request(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, on connection: ConnectionCore) -> [UInt8]?
  /// An answer or an event is in plain at the end of `connection.outgoing`, from `start` on. The tap leaves it to `connection.seal(from:)`, or takes it
  /// away and sends something else by `connection.send`, now or later.
  func message(from start: Int, on connection: ConnectionCore)
  /// The connection is secured from now on: messages to it are sealed. Called after the answer that secured it, in the same turn.
  func secured(_ connection: ConnectionCore)
  /// A frame can't be opened. `connection.withOpener` lends what is needed to open or to discard it.
  /// - Parameter unopened: the bytes of the buffer as they came, before the attempt changed them; they may begin with frames that were opened.
  /// - Returns: whether the connection continues; if not, it is closed, as HAP R2 §6.5.2 requires.
  func brokenFrame(_ failure: FrameOpener.Failure, unopened: [UInt8], on connection: ConnectionCore) -> Bool
}

extension ConnectionCore {
  /// Seals the message that was appended to `outgoing` from `start`, when the connection is secured, and has it sent.
  package func seal(from start: Int) {
    session?.sealer.seal(&outgoing, from: start)
    noteForShell()
  }

  /// Appends a message that the core knows nothing of.
  /// - Parameters:
  ///   - isPlain: whether it belongs in front of the first frame, though the connection may be secured by now.
  ///   - frames: makes the frames of the message on a secured connection; nil: they are made as those of every message.
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

  /// Lends the opener of a secured connection, and the bytes that came.
  /// - Returns: nil when the connection is not secured.
  package func withOpener<R>(_ body: (inout FrameOpener, inout ByteBuffer) -> R) -> R? {
    guard let session else { return nil }
    return body(&session.opener, &incoming)
  }

  /// Takes the message away that was appended from `start`.
  package func takeBack(from start: Int) -> [UInt8] {
    let count = outgoing.readableCount - start
    let message = outgoing.withReadable { [UInt8]($0.suffix(count)) }
    outgoing.removeLast(count)
    return message
  }
}
