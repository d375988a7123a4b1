import HAPCrypto
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPIP

@Suite("Frames made otherwise") struct FrameMannerTests {
  private let key = SecretBytes(Array(repeating: 7, count: 32))

  /// What a right opener makes of a message's frames.
  private func opened(_ change: (inout FrameManner) -> Void, count: Int = 3000) -> Result<[UInt8], FrameOpener.Failure>
  {
    var manner = FrameManner()
    change(&manner)
    var sealer = FrameSealer(key: key)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, manner))
    var opener = FrameOpener(key: key)
    do throws(FrameOpener.Failure) {
      try opener.open(&buffer)
      return .success(opener.withPlaintext(of: buffer) { [UInt8]($0) })
    } catch { return .failure(error) }
  }

  @Test("As they are by default, frames are the specification's")
  func byDefault() {
    #expect(opened { _ in } == .success((0..<3000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(opened({ $0.beginsEmpty = true }, count: 5) == .success([0, 1, 2, 3, 4]))
    #expect(opened({ $0.size = 1 }, count: 5) == .success([0, 1, 2, 3, 4]))
  }

  @Test("Each fault is seen by whoever opens them")
  func faults() {
    #expect(opened { $0.size = 1025 } == .failure(.tooLong(1025)))
    #expect(opened { $0.flipsTag = true } == .failure(.badTag))
    #expect(opened { $0.authenticatesLength = false } == .failure(.badTag))
    #expect(opened { $0.counter = .skip } == .failure(.badTag))
    #expect(opened({ $0.hasBigEndianLength = true }, count: 5) == .failure(.tooLong(0x0500)))
    // The first frame has no number before it to repeat; the second has.
    #expect(opened { $0.counter = .repeat } == .failure(.badTag))
  }

  @Test("A frame of another number is opened under it, by who is asked to")
  func recounting() throws {
    var sealer = FrameSealer(key: key, counter: 5)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: [1, 2, 3], FrameManner()) + sealer.frames(of: [4], FrameManner()))
    let unopened = buffer.bytes
    var opener = FrameOpener(key: key)
    #expect(throws: FrameOpener.Failure.badTag) { try opener.open(&buffer) }
    #expect(opener.open(unopened, in: &buffer, underNumbersWithin: 16))
    #expect(opener.withPlaintext(of: buffer) { [UInt8]($0) } == [1, 2, 3, 4] && opener.counter == 7)
  }

  @Test("Nothing near fits, or what is broken is thrown away")
  func discarding() throws {
    var sealer = FrameSealer(key: key, counter: 100)
    var buffer = ByteBuffer()
    buffer.append(sealer.frames(of: [1], FrameManner()))
    let unopened = buffer.bytes
    var opener = FrameOpener(key: key)
    #expect(throws: FrameOpener.Failure.badTag) { try opener.open(&buffer) }
    #expect(!opener.open(unopened, in: &buffer, underNumbersWithin: 16))
    opener.discardUnopened(of: &buffer)
    #expect(buffer.isEmpty && opener.counter == 0)
  }
}
