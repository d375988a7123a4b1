import HAPLoop

/// Decides when a controller reads the database again. It does so if the configuration number (`c#`) in the accessory's
/// record differs from that of the last read, or if there was no connection for a while. HAP R2 §6.4 Table 6-7.
///
/// A failed read is retried after a back-off. Times are on the caller's monotonic clock, in nanoseconds.
package struct DatabaseFreshness: Sendable {
  /// The minimum time between two automatic reads: even a record whose `c#` keeps changing causes only one read in
  /// this time.
  package static let pace: Duration = .seconds(1)

  /// A database request without an answer yet.
  package struct Request: Sendable {
    /// `c#` when the request was sent. A different number that arrives before the answer makes the database stale
    /// again.
    fileprivate let recordNumber: UInt32?
  }

  /// The last `c#` of the record; nil: none yet.
  private(set) package var recordNumber: UInt32?
  /// `c#` of the record when the current database was requested.
  private var readNumber: UInt32?
  /// Whether the database was read. It is not kept up to date before that.
  private(set) package var hasDatabase = false
  private var wasDisconnected = false
  private let pace: Duration
  private var backOff: BackOff
  /// The earliest time of the next automatic read.
  private var earliest: UInt64 = 0

  /// - Parameters:
  ///   - pace: the minimum time between two automatic reads.
  ///   - backOff: the delays after failed reads; at least `pace`.
  package init(pace: Duration = Self.pace, backOff: BackOff = BackOff()) {
    self.pace = pace
    self.backOff = backOff
  }

  /// Whether the database was read and may have changed since. A first number that is seen after the read counts as a
  /// change: the database may have changed in between.
  package var isStale: Bool {
    hasDatabase && (wasDisconnected || recordNumber != nil && recordNumber != readNumber)
  }

  /// Returns the time until the database must be read again: zero means now; nil means that it is not stale.
  package func delayOfRead(at now: UInt64) -> Duration? {
    guard isStale else { return nil }
    return .nanoseconds(earliest > now ? Int64(clamping: earliest - now) : 0)
  }

  package mutating func saw(_ number: UInt32) { recordNumber = number }

  /// The connection was lost: changes of the database may have been missed.
  package mutating func disconnected() { wasDisconnected = true }

  /// Must be called when the request is sent.
  package func willRead() -> Request { Request(recordNumber: recordNumber) }

  /// The answer to the request arrived and was valid.
  package mutating func didRead(_ request: Request, at now: UInt64) {
    hasDatabase = true
    wasDisconnected = false
    readNumber = request.recordNumber
    backOff.reset()
    wait(pace, from: now)
  }

  /// The request failed, or its answer was not valid.
  package mutating func readFailed(at now: UInt64) { wait(max(pace, backOff.delay()), from: now) }

  private mutating func wait(_ duration: Duration, from now: UInt64) {
    earliest = now &+ UInt64(max(duration / .nanoseconds(1), 0))
  }
}
