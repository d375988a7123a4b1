import HAPIP
import HAPLoop

/// A server connection with its socket.
final class ServedConnection {
  /// The size of a read: two complete frames.
  static let readSize = 2 * 1042
  /// The buffer size of the last read.
  private(set) var offered = 0
  /// The maximum number of unsent bytes; the connection is closed beyond it. Only events and one response can
  /// accumulate; the response of the largest bridge fits.
  static let queueLimit = 4 << 20
  /// Buffers that grew beyond this size for one response are freed.
  static let keptCapacity = 8 << 10

  let stream: TCPStream
  let core: ConnectionCore
  /// Whether the peer reads what it is sent. While too many bytes are unsent, nothing more is read from it.
  var hasRoom: Bool { unsentCount < core.answerLimit }
  /// Bytes that the system has not taken yet.
  var unsentCount: Int { stream.queuedByteCount + (shaped?.unsentCount ?? 0) }
  /// The simulated network conditions; nil: none.
  var shaped: ShapedLink?

  var isTouched = false
  /// Whether it must be closed after its responses have been sent.
  var isEnding = false
  var peerHasFinished = false
  /// The record to advertise after the responses have been sent.
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
