import HAPModel
import HAPWire

/// What a bad network does to the bytes of a connection.
package struct NetworkFault: Equatable, Sendable {
  /// How late bytes leave, and by how much more by chance.
  package var delay = Duration.zero
  package var jitter = Duration.zero
  /// The same for bytes that come in.
  package var delayIn = Duration.zero
  /// Bytes a second; nil: as fast as can be.
  package var rate: Int?
  /// Bytes in a piece; nil: as they are sent.
  package var piece: Int?
  /// Cut once after so many bytes of each burst; the rest follows after `pause`.
  package var splitAt: Int?
  package var pause = Duration.zero
  /// Nothing leaves any more.
  package var stalls = false
  /// Nothing is heard any more.
  package var isDeaf = false
  /// The connection is cut off after so many bytes have left.
  package var cutAfter: Int?
  package var cutsWithReset = false
  /// New connections are cut off while there are so many; 0: all.
  package var refusesBeyond: Int?

  package init() {}

  private static let members = [
    "delay", "jitter", "delay-in", "rate", "piece", "split-at", "pause", "stall", "deaf", "cut-after", "reset",
    "refuse-beyond",
  ]

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.members)
    func duration(_ name: String) throws(JSONProblem) -> Duration {
      try node[name].map { (node) throws(JSONProblem) in try node.duration() } ?? .zero
    }
    func count(_ name: String, from least: Int128 = 1) throws(JSONProblem) -> Int? {
      try node[name].map { node throws(JSONProblem) in Int(try node.asInteger(in: least...Int128(Int32.max))) }
    }
    delay = try duration("delay")
    jitter = try duration("jitter")
    delayIn = try duration("delay-in")
    rate = try count("rate")
    piece = try count("piece")
    splitAt = try count("split-at")
    pause = try duration("pause")
    stalls = try node.bool("stall", default: false)
    isDeaf = try node.bool("deaf", default: false)
    cutAfter = try count("cut-after", from: 0)
    cutsWithReset = try node.bool("reset", default: false)
    refusesBeyond = try count("refuse-beyond", from: 0)
  }

  /// Both at once: the worse of each.
  package func joined(with other: NetworkFault) -> NetworkFault {
    func least(_ one: Int?, _ two: Int?) -> Int? { [one, two].compactMap { $0 }.min() }
    var both = self
    both.delay += other.delay
    both.jitter += other.jitter
    both.delayIn += other.delayIn
    both.rate = least(rate, other.rate)
    both.piece = least(piece, other.piece)
    both.splitAt = least(splitAt, other.splitAt)
    both.pause = max(pause, other.pause)
    both.stalls = stalls || other.stalls
    both.isDeaf = isDeaf || other.isDeaf
    both.cutAfter = least(cutAfter, other.cutAfter)
    both.cutsWithReset = cutsWithReset || other.cutsWithReset
    both.refusesBeyond = least(refusesBeyond, other.refusesBeyond)
    return both
  }
}
