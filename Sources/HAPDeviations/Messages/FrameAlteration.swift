import HAPIP
import HAPWire

/// The errors in the frames of a message. By default they are as HAP R2 §6.5.2 requires.
package struct FrameAlteration: Equatable, Sendable {
  package enum Counter: String, Equatable, Sendable, CaseIterable {
    case next
    /// The number of the last frame is used again.
    case `repeat`
    /// One number is skipped.
    case skip
  }

  /// Bytes of plaintext in a frame, 1…65535.
  package var size = FrameOpener.maximumPlaintext
  package var counter = Counter.next
  package var hasBigEndianLength = false
  /// Whether the length is authenticated.
  package var authenticatesLength = true
  package var flipsTag = false
  /// Whether the message is not sealed at all.
  package var isPlain = false
  /// Whether a frame without plaintext precedes the others.
  package var beginsEmpty = false
  /// Whether the answer that ends Pair Verify is sealed already.
  package var beginsEarly = false

  package init() {}
}

extension FrameSealer {
  /// Returns the altered frames of a message.
  package mutating func frames(of message: [UInt8], _ alteration: FrameAlteration) -> [UInt8] {
    precondition((1...Int(UInt16.max)).contains(alteration.size), "a frame has 1...65535 bytes")
    var frames: [UInt8] = []
    if alteration.beginsEmpty { append(message[..<0], alteration, to: &frames) }
    var rest = message[...]
    while !rest.isEmpty {
      append(rest.prefix(alteration.size), alteration, to: &frames)
      rest = rest.dropFirst(alteration.size)
    }
    return frames
  }

  private mutating func append(_ text: ArraySlice<UInt8>, _ alteration: FrameAlteration, to frames: inout [UInt8]) {
    let low = UInt8(truncatingIfNeeded: text.count)
    let high = UInt8(truncatingIfNeeded: text.count >> 8)
    let head = alteration.hasBigEndianLength ? [high, low] : [low, high]
    var sealed = [UInt8](text)
    var tag = [UInt8](repeating: 0, count: FrameOpener.tagCount)
    let number = takeNumber(alteration.counter)
    sealed.withUnsafeMutableBytes { sealed in
      tag.withUnsafeMutableBytes { tag in
        head.withUnsafeBytes { head in
          seal(
            sealed, tag: tag.baseAddress!, counter: number,
            aad: alteration.authenticatesLength ? head : UnsafeRawBufferPointer(start: nil, count: 0))
        }
      }
    }
    if alteration.flipsTag { tag[0] ^= 1 }
    frames += head + sealed + tag
  }

  private mutating func takeNumber(_ choice: FrameAlteration.Counter) -> UInt64 {
    switch choice {
    case .next: break
    case .repeat: counter = counter == 0 ? 0 : counter - 1
    case .skip: counter += 1
    }
    defer { counter += 1 }
    return counter
  }
}
