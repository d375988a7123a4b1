/// The properties of one direction of a link.
package struct LinkProperties: Equatable, Sendable {
  /// The time from the end of transmission to the arrival.
  package var latency: Duration
  /// The maximum time that is added to `latency`. The seed determines the time of each packet.
  package var jitter: Duration
  /// The bandwidth in bytes per second; nil: unlimited.
  package var bandwidth: UInt64?
  /// The probability that a datagram is lost, from 0 to 1. TCP never loses data on a link that is neither cut nor
  /// stalled.
  package var loss: Double
  /// The probability that a datagram arrives twice.
  package var duplication: Double
  /// The probability that a datagram is delayed by `reorderingDelay`, so that later datagrams arrive first.
  package var reordering: Double
  package var reorderingDelay: Duration

  package init(
    latency: Duration = .microseconds(300), jitter: Duration = .microseconds(200), bandwidth: UInt64? = nil,
    loss: Double = 0, duplication: Double = 0, reordering: Double = 0, reorderingDelay: Duration = .milliseconds(5)
  ) {
    self.latency = latency
    self.jitter = jitter
    self.bandwidth = bandwidth
    self.loss = loss
    self.duplication = duplication
    self.reordering = reordering
    self.reorderingDelay = reorderingDelay
  }

  /// The properties of a host's loopback interface.
  static let loopback = LinkProperties(latency: .microseconds(15), jitter: .microseconds(10))

  /// The properties of a Unix domain socket (AF_UNIX).
  static let localSocket = LinkProperties(latency: .microseconds(5), jitter: .microseconds(5))
}
