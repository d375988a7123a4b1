import HAPCrypto
import HAPIP
import HAPPairing
import HAPSuite
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation

/// The accessory's side of a session, with the sealer and opener of `HAPIP`.
final class AccessoryEnd {
  private var sealer: FrameSealer
  private var opener: FrameOpener

  init(_ keys: SessionKeys) {
    sealer = FrameSealer(key: keys.accessoryToController)
    opener = FrameOpener(key: keys.controllerToAccessory)
    cipher = FrameCipher(key: keys.accessoryToController)
  }

  /// Continues the sealer's count, for frames that the sealer wouldn't make.
  private let cipher: FrameCipher
  private var own: UInt64 = 0

  /// The text in frames of `size` bytes.
  func seal(_ plain: [UInt8], size: Int = 1024) -> [UInt8] {
    stride(from: 0, to: plain.count, by: size).flatMap { frame(Array(plain[$0..<min($0 + size, plain.count)])) }
  }

  /// A single frame, which may be empty.
  func frame(_ plain: [UInt8]) -> [UInt8] {
    let head = [UInt8(truncatingIfNeeded: plain.count), UInt8(truncatingIfNeeded: plain.count >> 8)]
    var text = plain
    var tag = [UInt8](repeating: 0, count: 16)
    text.withUnsafeMutableBytes { text in
      tag.withUnsafeMutableBytes { tag in
        head.withUnsafeBytes { cipher.seal(text, tag: tag.baseAddress!, counter: own, aad: $0) }
      }
    }
    own += 1
    return head + text + tag
  }

  /// Frames of the protocol's own sealer.
  func sealedByProtocol(_ plain: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(plain)
    sealer.seal(&buffer)
    return buffer.bytes
  }

  /// - Throws: `FrameOpener.Failure`.
  func open(_ bytes: [UInt8]) throws -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(bytes)
    try opener.open(&buffer)
    let plain = opener.withPlaintext(of: buffer) { Array($0) }
    opener.consume(plain.count, from: &buffer)
    return plain
  }
}

@Suite("Frames of the tester") struct WireSessionTests {
  private let keys = SessionKeys(pairVerify: SecretBytes([UInt8](repeating: 7, count: 32)))
  private let text = Array(String(repeating: "0123456789", count: 250).utf8)

  @Test("The accessory opens sealed bytes, whatever the frame sizes") func agree() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<50 {
      let session = WireSession(keys)
      let accessory = AccessoryEnd(keys)
      var sizes: [Int] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) { sizes.append(.random(in: 1...1024, using: &random)) }
      let plain = Array(text.prefix(.random(in: 1...2500, using: &random)))
      let (bytes, frames) = session.seal(plain, sizes: sizes)
      #expect(try accessory.open(bytes) == plain)
      #expect(
        frames.map(\.counter) == (0..<UInt64(frames.count)).map { $0 } && session.sentCount == UInt64(frames.count))
      #expect(frames.map(\.count).reduce(0, +) == plain.count)
    }
  }

  @Test("Bytes that the accessory seals are opened unchanged, and only in complete frames") func opened() throws {
    let session = WireSession(keys)
    let bytes = AccessoryEnd(keys).sealedByProtocol(text)
    var plain: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      for count in [0, 1, 2, 100] {
        let early = try Array(rest.prefix(count)).withUnsafeBytes { try session.open($0) }
        #expect(early == nil)
      }
      let (opened, consumed) = try #require(try Array(rest).withUnsafeBytes { try session.open($0) })
      plain += opened
      rest = rest.dropFirst(consumed)
    }
    #expect(plain == text && session.receivedCount == 3)
  }

  @Test("An empty frame is opened, and increments the counter") func empty() throws {
    let session = WireSession(keys)
    let accessory = AccessoryEnd(keys)
    let empty = try #require(try accessory.frame([]).withUnsafeBytes { try session.open($0) })
    #expect(empty.plain.isEmpty && empty.consumed == 18 && session.receivedCount == 1)
    #expect(try accessory.frame([5]).withUnsafeBytes { try session.open($0) }?.plain == [5])
  }

  @Test("Malformed frames are refused with a reason") func refused() throws {
    let session = WireSession(keys)
    var frame = AccessoryEnd(keys).frame([1, 2, 3])
    #expect(throws: WireSession.Failure.tooLong(1025)) {
      try ([1, 4] as [UInt8]).withUnsafeBytes { try session.open($0) }
    }
    // The first two announce the lengths of the frames.
    for byte in frame.indices.dropFirst(2) {
      frame[byte] ^= 1
      #expect(throws: WireSession.Failure.badTag(counter: 0)) { try frame.withUnsafeBytes { try session.open($0) } }
      frame[byte] ^= 1
    }
    #expect(try frame.withUnsafeBytes { try session.open($0) }?.plain == [1, 2, 3])
    #expect(throws: WireSession.Failure.badTag(counter: 1)) { try frame.withUnsafeBytes { try session.open($0) } }
  }

  private func sealed(_ change: (inout FrameFault) -> Void, _ session: WireSession? = nil) -> [UInt8] {
    var fault = FrameFault()
    change(&fault)
    return (session ?? WireSession(keys)).seal(Array(text.prefix(10)), fault: fault).bytes
  }

  @Test("The accessory refuses each frame fault", arguments: 0..<6) func faults(_ which: Int) {
    let bytes = sealed { fault in
      switch which {
      case 0: fault.flip = .ciphertext
      case 1: fault.flip = .tag
      case 2:
        fault.flip = .length
        fault.fills = true
      case 3: fault.counterOffset = 1
      case 4: fault.counterOffset = -1
      default:
        fault.length = 2000
        fault.fills = true
      }
    }
    #expect(throws: FrameOpener.Failure.self) { try AccessoryEnd(keys).open(bytes) }
  }

  @Test("An enlarged length is announced, authenticated, and padded on request") func length() throws {
    let short = sealed { $0.length = 20 }
    #expect(short.prefix(2) == [20, 0] && short.count == 28)
    // The accessory waits for the remaining bytes.
    #expect(try AccessoryEnd(keys).open(short).isEmpty)
    let filled = sealed {
      $0.length = 20
      $0.fills = true
    }
    #expect(filled.count == 38)
    #expect(throws: FrameOpener.Failure.self) { try AccessoryEnd(keys).open(filled) }
    let most = sealed {
      $0.length = 65_535
      $0.fills = true
    }
    #expect(most.count == 65_553 && most.prefix(2) == [255, 255])
  }

  @Test("A frame with another counter doesn't advance the session's counter") func counter() throws {
    let session = WireSession(keys)
    let accessory = AccessoryEnd(keys)
    _ = sealed({ $0.counterOffset = 5 }, session)
    #expect(session.sentCount == 0)
    #expect(try accessory.open(session.seal([1]).bytes) == [1])
    let again = sealed({ $0.counterOffset = -1 }, session)
    #expect(again.count == 28 && session.sentCount == 1)
    // A frame with counter 0 was opened before, so this is a replay.
    #expect(throws: FrameOpener.Failure.self) { try accessory.open(again) }
  }

  @Test("An empty message is one empty frame, and a size of 0 is an empty frame") func emptyMessages() {
    let session = WireSession(keys)
    #expect(session.seal([]).bytes.count == 18 && session.sentCount == 1)
    let (bytes, frames) = session.seal([1, 2], sizes: [0, 1, 0, 5, 0])
    #expect(frames.map(\.count) == [0, 1, 0, 1, 0] && bytes.count == 5 * 18 + 2)
  }
}
