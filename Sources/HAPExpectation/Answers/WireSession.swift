import HAPCrypto
import HAPPairing
import HAPReport
import HAPSuite

/// The tester's end of a session. It records every received frame, and can seal faulty frames on purpose. HAP R2 §6.5.2.
package final class WireSession {
  /// Why no further frame can be opened.
  package enum Failure: Error, Equatable { case tooLong(Int), badTag(counter: UInt64) }

  private static let most = 1024
  private static let tagCount = 16

  package let keys: SessionKeys
  private let opener: FrameCipher
  private let sealer: FrameCipher
  package private(set) var receivedCount: UInt64 = 0
  package private(set) var sentCount: UInt64 = 0

  package init(_ keys: SessionKeys) {
    self.keys = keys
    opener = FrameCipher(key: keys.accessoryToController)
    sealer = FrameCipher(key: keys.controllerToAccessory)
  }

  /// Opens the next frame.
  /// - Returns: nil if the frame is incomplete; otherwise its plaintext and its size in bytes.
  package func open(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> (plain: [UInt8], consumed: Int)? {
    guard bytes.count >= 2 else { return nil }
    let count = Int(bytes[0]) | Int(bytes[1]) << 8
    guard count <= Self.most else { throw .tooLong(count) }
    guard bytes.count >= 2 + count + Self.tagCount else { return nil }
    var plain = [UInt8](bytes[2..<(2 + count)])
    let tag = [UInt8](bytes[(2 + count)..<(2 + count + Self.tagCount)])
    let isGood = plain.withUnsafeMutableBytes { text in
      tag.withUnsafeBytes { tag in
        opener.open(
          text, tag: tag.baseAddress!, counter: receivedCount, aad: UnsafeRawBufferPointer(rebasing: bytes[..<2]))
      }
    }
    guard isGood else { throw .badTag(counter: receivedCount) }
    receivedCount += 1
    return (plain, 2 + count + Self.tagCount)
  }

  /// Seals a message.
  /// - Parameters:
  ///   - sizes: plaintext bytes of each frame, in order; the rest is sent in frames of the largest size.
  ///   - fault: a fault of every frame.
  ///   - counts: whether the session's counter advances.
  /// - Returns: the bytes, and the frames as sent.
  package func seal(
    _ plain: [UInt8], sizes: [Int] = [], fault: FrameFault = FrameFault(), counts: Bool = true
  ) -> (bytes: [UInt8], frames: [TranscriptEntry.Frame]) {
    let before = sentCount
    defer { if !counts { sentCount = before } }
    var bytes: [UInt8] = []
    var frames: [TranscriptEntry.Frame] = []
    var rest = plain[...]
    var sizes = sizes[...]
    // An empty message is sent as an empty frame; only test cases send one.
    repeat {
      let size = sizes.popFirst() ?? Self.most
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      let counter = UInt64(bitPattern: Int64(bitPattern: sentCount) &+ Int64(fault.counterOffset))
      bytes += sealFrame(piece, counter: counter, fault: fault)
      frames.append(TranscriptEntry.Frame(counter: counter, count: piece.count))
      if fault.counterOffset == 0 { sentCount += 1 }
    } while !rest.isEmpty || !sizes.isEmpty
    return (bytes, frames)
  }

  private func sealFrame(_ plain: [UInt8], counter: UInt64, fault: FrameFault) -> [UInt8] {
    let length = fault.length ?? plain.count
    var head = [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
    var text = plain
    var tag = [UInt8](repeating: 0, count: Self.tagCount)
    text.withUnsafeMutableBytes { text in
      tag.withUnsafeMutableBytes { tag in
        head.withUnsafeBytes { head in
          sealer.seal(text, tag: tag.baseAddress!, counter: counter, aad: head)
        }
      }
    }
    switch fault.flip {
    case .ciphertext?: if !text.isEmpty { text[text.count / 2] ^= 1 } else { tag[0] ^= 1 }
    case .tag?: tag[7] ^= 1
    case .length?: head[0] ^= 1
    case nil: break
    }
    var frame = head + text + tag
    if fault.fills {
      let announced = Int(head[0]) | Int(head[1]) << 8
      let wanted = 2 + announced + Self.tagCount
      if frame.count < wanted { frame += [UInt8](repeating: 0xA5, count: wanted - frame.count) }
    }
    return frame
  }
}
