import HAPModel
import HAPWire

/// The faults of a network that affect the bytes of a connection.
package struct NetworkFault: Equatable, Sendable {
  /// The delay of outgoing bytes, and the maximum of the random delay that is added.
  package var delay = Duration.zero
  package var jitter = Duration.zero
  /// The delay of incoming bytes.
  package var delayIn = Duration.zero
  /// Bytes per second; `nil`: unlimited.
  package var rate: Int?
  /// Bytes per piece; `nil`: as sent.
  package var piece: Int?
  /// Each burst is split once, after this number of bytes. The rest follows after `pause`.
  package var splitAt: Int?
  package var pause = Duration.zero
  /// Bytes are not sent any more.
  package var stalls = false
  /// Bytes are not received any more.
  package var isDeaf = false
  /// The connection is cut after this number of bytes was sent.
  package var cutAfter: Int?
  package var cutsWithReset = false
  /// New connections are cut while this number of connections exists; 0: all.
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

  /// Returns both faults combined: the worse value of each.
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
