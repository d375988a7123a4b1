import HAPIP
import HAPWire

/// The handling of a frame with a wrong tag or an excessive length.
package enum BrokenFrameFate: Equatable, Sendable {
  /// The connection is closed, as HAP R2 §6.5.2 requires.
  case close
  /// The frame and the bytes after it are discarded, and the connection continues.
  case discard
  /// The frame is opened under another number, at most this far from the right one.
  case recount(Int)

  /// Applies this to the frame.
  /// - Parameter unopened: the bytes of the buffer as received. They may start with frames that were already opened.
  /// - Returns: whether the connection continues.
  package func carryOut(_ opener: inout FrameOpener, _ buffer: inout ByteBuffer, unopened: [UInt8]) -> Bool {
    switch self {
    case .close: return false
    case .discard:
      opener.discardUnopened(of: &buffer)
      return true
    case .recount(let distance): return opener.open(unopened, in: &buffer, underNumbersWithin: distance)
    }
  }
}

extension FrameOpener {
  /// Opens the next frame under a number near its own, and the frames after it.
  /// - Parameter unopened: the bytes of the buffer as received. They may start with frames that were already opened.
  /// - Returns: false if no number fits, or if a later frame is broken.
  fileprivate mutating func open(
    _ unopened: [UInt8], in buffer: inout ByteBuffer, underNumbersWithin distance: Int
  ) -> Bool {
    let right = counter
    let frame = unopened.suffix(buffer.readableCount - unopenedOffset)
    for step in 1...max(1, distance) {
      for other in [right &+ UInt64(step), right &- UInt64(step)] where other < UInt64.max / 2 {
        discardUnopened(of: &buffer)
        buffer.append(Array(frame))
        counter = other
        if (try? open(&buffer)) != nil { return true }
      }
    }
    counter = right
    return false
  }
}
