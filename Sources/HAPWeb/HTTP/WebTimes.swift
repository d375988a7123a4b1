/// Time limits of clients.
package struct WebTimes: Sendable {
  /// From the first byte of a request to the last.
  package var request = Duration.seconds(20)
  /// Between requests.
  package var idle = Duration.seconds(120)
  /// Until the client has received an answer.
  package var answer = Duration.seconds(60)
  /// After the last answer.
  package var lingering = Duration.seconds(2)
  /// Interval of keep-alive comments in an event stream.
  package var sign = Duration.seconds(15)
  /// Number of unsent keep-alives after which an event stream that isn't read is closed.
  package var waitingSigns = 4

  package init() {}
}
