import HAPLoop

/// Decides when a controller reads the database again: when the accessory's record has another configuration number (`c#`) than at the
/// last read, or when there was no connection for a while. HAP R2 §6.4 Table 6-7.
///
/// A failed read is tried again after a back-off. Times are on the caller's monotonic clock, in nanoseconds.
package struct DatabaseFreshness: Sendable {
  /// The time between two automatic reads: a record whose `c#` changes all the time causes one read in this time.
  package static let pace: Duration = .seconds(1)

  /// A request for the database that has no answer yet.
  package struct Request: Sendable {
    /// `c#` when the request was sent. A number that comes before the answer makes the database stale again.
    fileprivate let recordNumber: UInt32?
  }

  /// `c#` of the record, as it was last seen; nil: not seen yet.
  private(set) package var recordNumber: UInt32?
  /// `c#` of the record when the database that is known was requested.
  private var readNumber: UInt32?
  /// Whether the database was read. Nothing is kept up to date before that.
  private(set) package var hasDatabase = false
  private var wasDisconnected = false
  private let pace: Duration
  private var backOff: BackOff
  /// No automatic read before this time.
  private var earliest: UInt64 = 0

  /// - Parameters:
  ///   - pace: the time between two automatic reads.
  ///   - backOff: the times after failed reads; never less than `pace`.
  package init(pace: Duration = Self.pace, backOff: BackOff = BackOff()) {
    self.pace = pace
    self.backOff = backOff
  }

  /// Whether the database was read, and may be another one now. A number that is seen for the first time after the read counts as another:
  /// the database may have changed in between.
  package var isStale: Bool {
    hasDatabase && (wasDisconnected || recordNumber != nil && recordNumber != readNumber)
  }

  /// The time until the database is to be read again: zero, if now; nil, if it is not stale.
  package func delayOfRead(at now: UInt64) -> Duration? {
    guard isStale else { return nil }
    return .nanoseconds(earliest > now ? Int64(clamping: earliest - now) : 0)
  }

  package mutating func saw(_ number: UInt32) { recordNumber = number }

  /// The connection was lost: changes of the database may have been missed.
  package mutating func disconnected() { wasDisconnected = true }

  /// To be called when the request is sent.
  package func willRead() -> Request { Request(recordNumber: recordNumber) }

  /// The answer to the request came and was understood.
  package mutating func didRead(_ request: Request, at now: UInt64) {
    hasDatabase = true
    wasDisconnected = false
    readNumber = request.recordNumber
    backOff.reset()
    wait(pace, from: now)
  }

  /// The request failed, or its answer was not understood.
  package mutating func readFailed(at now: UInt64) { wait(max(pace, backOff.delay()), from: now) }

  private mutating func wait(_ duration: Duration, from now: UInt64) {
    earliest = now &+ UInt64(max(duration / .nanoseconds(1), 0))
  }
}
