import HAPIP
import HAPLoop

/// A connection of the server with its socket.
final class ServedConnection {
  /// What a read asks for: two whole frames.
  static let readSize = 2 * 1042
  /// The room that was offered to the last read.
  private(set) var offered = 0
  /// A peer that lets more than this pile up is cut off. Only events and one answer can pile up; the answer of the largest bridge has room.
  static let queueLimit = 4 << 20
  /// Buffers that grew beyond this for one answer are given back.
  static let keptCapacity = 8 << 10

  let stream: TCPStream
  let core: ConnectionCore
  /// Whether the peer reads what it is sent. While too much lies unread by it, nothing more is read from it.
  var hasRoom: Bool { unsentCount < core.answerLimit }
  /// Bytes that the system has not taken yet.
  var unsentCount: Int { stream.queuedByteCount + (shaped?.unsentCount ?? 0) }
  /// What a bad network does to it; nil: nothing.
  var shaped: ShapedLink?

  var isTouched = false
  /// To be closed when what is answered has left.
  var isEnding = false
  var peerHasFinished = false
  /// To be advertised when what is answered has left.
  var advertisement: Advertisement?

  init(_ stream: TCPStream, _ core: ConnectionCore) {
    self.stream = stream
    self.core = core
  }

  func roomForReading() -> UnsafeMutableRawBufferPointer {
    let room = core.incoming.reserve(Self.readSize)
    offered = min(room.count, Self.readSize)
    return UnsafeMutableRawBufferPointer(rebasing: room[..<offered])
  }
}
