import HAPModel

/// A prepared timed write: valid for one request of the session that prepared it, until it expires. HAP R2 §6.7.2.4.
struct TimedWrite {
  /// The maximum number per session if a later one does not replace the earlier ones. The oldest one is dropped
  /// first.
  static let limit = 16

  var key: UInt64
  var expires: Duration
}

extension AttributeServer {
  /// Prepares a timed write.
  /// - Parameters:
  ///   - key: identifies the timed write. The front end chooses its meaning.
  ///   - time: the time until it expires.
  package func prepare(_ key: UInt64, for time: Duration, in session: AttributeSession, at now: Duration) {
    if quirks.laterPrepareReplaces { session.timedWrites.removeAll() }
    session.timedWrites.removeAll { $0.key == key || $0.expires < now }
    if session.timedWrites.count == TimedWrite.limit { session.timedWrites.removeFirst() }
    session.timedWrites.append(TimedWrite(key: key, expires: now + time))
  }

  /// Returns whether a write request with this key was prepared. Consumes the prepared write; with `wrongPIDSpends`, a
  /// wrong key does, too.
  package func spendTimedWrite(_ key: UInt64, in session: AttributeSession, at now: Duration) -> Bool {
    func isPrepared(_ session: AttributeSession) -> Bool {
      session.timedWrites.contains { $0.key == key && now <= $0.expires }
    }
    let holder: AttributeSession =
      switch quirks.timedWriteScope {
      case .session: session
      case .accessory: sessions.first(where: isPrepared) ?? session
      }
    let isGood = isPrepared(holder)
    if isGood || quirks.wrongPIDSpends { holder.timedWrites.removeAll { $0.key == key || quirks.wrongPIDSpends } }
    return isGood
  }
}
