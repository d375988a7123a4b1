import HAPWire

/// Stands between an accessory's protocol and its connections, sees every message in plain, and may alter it on its way.
///
/// For accessories that misbehave on purpose: the core stays right, and what is wrong is done to what it hears and says. Called on the core's
/// thread, in the middle of its work: it calls nothing of the core but what is said here.
package protocol MessageTap: AnyObject {
  /// A whole request is about to be worked off.
  /// - Parameters:
  ///   - head: its first line and its fields, with the empty line.
  ///   - body: as it is after chunks were joined.
  /// - Returns: requests, whole ones, to be worked off in its place, perhaps none; nil: it is worked off as it is.
  func request(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, on connection: ConnectionCore) -> [UInt8]?
  /// An answer or an event stands in plain at the end of `connection.outgoing`, from `start` on. The tap leaves it to `connection.seal(from:)`, or takes it
  /// away and sends something else by `connection.send`, now or later.
  func message(from start: Int, on connection: ConnectionCore)
  /// The connection is secured from now on: what is sent is sealed. Behind the answer that made it so, and in the same turn.
  func secured(_ connection: ConnectionCore)
  /// A frame can't be opened.
  func brokenFrame(_ failure: FrameOpener.Failure, on connection: ConnectionCore) -> BrokenFrameFate
}

/// What becomes of a frame that doesn't authenticate, or that announces too much.
package enum BrokenFrameFate: Equatable, Sendable {
  /// The connection is closed without a word, as HAP R2 §6.5.2 has it.
  case close
  /// It is thrown away, with all that came behind it, and the connection goes on.
  case discard
  /// It is opened under another number, if it fits one no further than so many from the right one.
  case recount(Int)
}

/// How the frames of a message are made. As it is by default, HAP R2 §6.5.2 has it.
package struct FrameManner: Equatable, Sendable {
  package enum Counter: String, Equatable, Sendable, CaseIterable {
    case next
    /// The last frame's once more.
    case `repeat`
    /// One is left out.
    case skip
  }

  /// Bytes of plaintext in a frame, 1…65535.
  package var size = FrameOpener.maximumPlaintext
  package var counter = Counter.next
  package var hasBigEndianLength = false
  /// Whether the length is authenticated.
  package var authenticatesLength = true
  package var flipsTag = false
  /// Not sealed at all.
  package var isPlain = false
  /// Whether a frame without plaintext stands before.
  package var beginsEmpty = false
  /// Whether the answer that ends Pair Verify is sealed already.
  package var beginsEarly = false

  package init() {}
}

extension ConnectionCore {
  /// Seals the message that was appended to `outgoing` from `start`, when the connection is secured, and has it sent.
  package func seal(from start: Int) {
    session?.sealer.seal(&outgoing, from: start)
    noteForShell()
  }

  /// Appends a message that the core knows nothing of.
  /// - Parameter isPlain: whether it belongs in front of the first frame, though the connection may be secured by now.
  package func send(_ message: [UInt8], isPlain: Bool = false, manner: FrameManner = FrameManner()) {
    if let show = outbox.onPlain { message.withUnsafeBytes { show(id, false, $0, .init(start: nil, count: 0)) } }
    if let session, !isPlain, !manner.isPlain {
      outgoing.append(session.sealer.frames(of: message, manner))
    } else {
      outgoing.append(message)
    }
    noteForShell()
  }

  /// Takes the message away that was appended from `start`.
  package func takeBack(from start: Int) -> [UInt8] {
    let count = outgoing.readableCount - start
    let message = outgoing.withReadable { [UInt8]($0.suffix(count)) }
    outgoing.removeLast(count)
    return message
  }
}
