/// How long who asks, or is told something, may take.
package struct ControlTimes: Sendable {
  /// From the first byte of a request to its last.
  package var request = Duration.seconds(20)
  /// Between requests.
  package var idle = Duration.seconds(120)
  /// Until the other end has taken an answer.
  package var answer = Duration.seconds(60)
  /// Behind the last answer.
  package var lingering = Duration.seconds(2)
  /// Between two signs of life to who listens.
  package var sign = Duration.seconds(15)
  /// So many of them wait for one that doesn't read; then it is taken for gone.
  package var waitingSigns = 4

  package init() {}
}
