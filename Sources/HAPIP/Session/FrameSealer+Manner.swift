import HAPWire

extension FrameSealer {
  /// The frames of a message, made rightly or in another manner. It allocates; an accessory's own messages are sealed where they lie.
  package mutating func frames(of message: [UInt8], _ manner: FrameManner) -> [UInt8] {
    precondition((1...Int(UInt16.max)).contains(manner.size), "a frame has 1...65535 bytes")
    var frames: [UInt8] = []
    if manner.beginsEmpty { append(message[..<0], manner, to: &frames) }
    var rest = message[...]
    while !rest.isEmpty {
      append(rest.prefix(manner.size), manner, to: &frames)
      rest = rest.dropFirst(manner.size)
    }
    return frames
  }

  private mutating func append(_ text: ArraySlice<UInt8>, _ manner: FrameManner, to frames: inout [UInt8]) {
    let low = UInt8(truncatingIfNeeded: text.count)
    let high = UInt8(truncatingIfNeeded: text.count >> 8)
    let head = manner.hasBigEndianLength ? [high, low] : [low, high]
    var sealed = [UInt8](text)
    var tag = [UInt8](repeating: 0, count: FrameOpener.tagCount)
    let number = takeCounter(manner.counter)
    sealed.withUnsafeMutableBytes { sealed in
      tag.withUnsafeMutableBytes { tag in
        head.withUnsafeBytes { head in
          seal(
            sealed, tag: tag.baseAddress!, counter: number,
            aad: manner.authenticatesLength ? head : UnsafeRawBufferPointer(start: nil, count: 0))
        }
      }
    }
    if manner.flipsTag { tag[0] ^= 1 }
    frames += head + sealed + tag
  }
}
