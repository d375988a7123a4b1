import HAPCrypto
import HAPIP
import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Altered frames") struct FrameAlterationTests {
  private let key = SecretBytes(Array(repeating: 7, count: 32))

  /// Returns the bytes that a correct opener reads from the frames of a message.
  private func opened(_ change: (inout FrameAlteration) -> Void, count: Int = 3000) -> Result<
    [UInt8], FrameOpener.Failure
  > {
    var alteration = FrameAlteration()
    change(&alteration)
    var sealer = FrameSealer(key: key)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, alteration))
    var opener = FrameOpener(key: key)
    do throws(FrameOpener.Failure) {
      try opener.open(&buffer)
      return .success(opener.withPlaintext(of: buffer) { [UInt8]($0) })
    } catch { return .failure(error) }
  }

  @Test("Without an alteration, frames are the specification's")
  func byDefault() {
    #expect(opened { _ in } == .success((0..<3000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(opened({ $0.beginsEmpty = true }, count: 5) == .success([0, 1, 2, 3, 4]))
    #expect(opened({ $0.size = 1 }, count: 5) == .success([0, 1, 2, 3, 4]))
  }

  @Test("A correct opener detects each alteration")
  func alterations() {
    #expect(opened { $0.size = 1025 } == .failure(.tooLong(1025)))
    #expect(opened { $0.flipsTag = true } == .failure(.badTag))
    #expect(opened { $0.authenticatesLength = false } == .failure(.badTag))
    #expect(opened { $0.counter = .skip } == .failure(.badTag))
    #expect(opened({ $0.hasBigEndianLength = true }, count: 5) == .failure(.tooLong(0x0500)))
    // The first frame has no preceding number to repeat; the second has.
    #expect(opened { $0.counter = .repeat } == .failure(.badTag))
  }

  @Test("A frame with another number is opened under that number")
  func recounting() throws {
    var sealer = FrameSealer(key: key, counter: 5)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: [1, 2, 3], FrameAlteration()) + sealer.frames(of: [4], FrameAlteration()))
    let unopened = buffer.withReadable { [UInt8]($0) }
    var opener = FrameOpener(key: key)
    #expect(throws: FrameOpener.Failure.badTag) { try opener.open(&buffer) }
    #expect(BrokenFrameFate.recount(16).carryOut(&opener, &buffer, unopened: unopened))
    #expect(opener.withPlaintext(of: buffer) { [UInt8]($0) } == [1, 2, 3, 4] && opener.counter == 7)
  }

  @Test("A frame with a distant number is refused or discarded")
  func discarding() throws {
    var sealer = FrameSealer(key: key, counter: 100)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: [1], FrameAlteration()))
    let unopened = buffer.withReadable { [UInt8]($0) }
    var opener = FrameOpener(key: key)
    #expect(throws: FrameOpener.Failure.badTag) { try opener.open(&buffer) }
    #expect(!BrokenFrameFate.recount(16).carryOut(&opener, &buffer, unopened: unopened))
    #expect(!BrokenFrameFate.close.carryOut(&opener, &buffer, unopened: unopened))
    #expect(BrokenFrameFate.discard.carryOut(&opener, &buffer, unopened: unopened))
    #expect(buffer.isEmpty && opener.counter == 0)
  }
}
