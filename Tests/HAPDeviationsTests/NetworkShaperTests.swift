import HAPWire
import Testing

@testable import HAPDeviations

@Suite("The network shaper") struct NetworkShaperTests {
  private func fault(_ text: String) throws -> NetworkFault {
    try #require(try FaultLibrary.builtIn.choice(text).network)
  }

  @Test(
    "Each fault delivers the sent bytes, in order and never early",
    arguments: [
      "latency:by=2s:jitter=3s", "bandwidth:rate=7", "trickle:bytes=1:every=5ms", "chop:at=2:pause=1s", "latency-in",
    ])
  func order(text: String) throws {
    var state: UInt64 = 3
    var shaper = NetworkShaper(try fault(text)) {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Double(state >> 11) / Double(1 << 53)
    }
    var sent: [UInt8] = []
    var left: [UInt8] = []
    var last = Duration.zero
    for turn in 0..<50 {
      let bytes = (0..<(turn * 7 % 40 + 1)).map { UInt8(truncatingIfNeeded: $0 + turn) }
      let now = Duration.milliseconds(turn * 3)
      sent += bytes
      for piece in shaper.send(bytes, at: now) {
        #expect(piece.due >= last && piece.due >= now && !piece.isLast)
        last = piece.due
        left += piece.bytes
      }
    }
    #expect(left == sent)
  }

  @Test("The rate limit holds") func rate() throws {
    var shaper = NetworkShaper(try fault("bandwidth:rate=1000")) { 0 }
    let pieces = shaper.send([UInt8](repeating: 0, count: 5000), at: .zero)
    #expect(pieces.last?.due == .seconds(5))
    #expect(shaper.send([1], at: .seconds(1)).last?.due == .milliseconds(5001))
  }

  @Test("\"chop\" splits at the given byte, once for bytes that are sent together") func chop() throws {
    var shaper = NetworkShaper(try fault("chop:at=2:pause=50ms")) { 0 }
    let pieces = shaper.send([1, 2, 3, 4, 5], at: .zero)
    #expect(pieces.map(\.bytes) == [[1, 2], [3, 4, 5]])
    #expect(pieces.map(\.due) == [.zero, .milliseconds(50)])
    #expect(shaper.send([6], at: .seconds(1)).map(\.bytes) == [[6]])
  }

  @Test("\"cut\" ends the stream after the exact byte", arguments: [0, 1, 4, 5, 6, 12])
  func cut(limit: Int) throws {
    var shaper = NetworkShaper(try fault("cut:bytes=\(limit)")) { 0 }
    var left: [UInt8] = []
    var ends = 0
    for turn in 0..<4 {
      for piece in shaper.send([UInt8](repeating: UInt8(turn), count: 5), at: .zero) {
        #expect(ends == 0)
        left += piece.bytes
        if piece.isLast { ends += 1 }
      }
    }
    #expect(left.count == limit && ends == 1)
  }

  @Test("Stalled bytes wait forever, but are not lost") func stall() throws {
    var shaper = NetworkShaper(try fault("stall")) { 0 }
    let pieces = shaper.send([1, 2], at: .zero)
    #expect(pieces.map(\.bytes) == [[1, 2]] && pieces[0].due > .seconds(86_400 * 365))
  }
}
