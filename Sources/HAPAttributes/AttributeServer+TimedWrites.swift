import HAPModel

/// A prepared timed write: good for one request of the session that prepared it, until it expires. HAP R2 §6.7.2.4.
struct TimedWrite {
  /// Most that a session keeps if a later one does not replace the earlier ones. The oldest one is dropped first.
  static let limit = 16

  var key: UInt64
  var expires: Duration
}

extension AttributeServer {
  /// Prepares a timed write.
  /// - Parameters:
  ///   - key: names it. The front end chooses what it is.
  ///   - time: how long it is good.
  package func prepare(_ key: UInt64, for time: Duration, in session: AttributeSession, at now: Duration) {
    if quirks.laterPrepareReplaces { session.timedWrites.removeAll() }
    session.timedWrites.removeAll { $0.key == key || $0.expires < now }
    if session.timedWrites.count == TimedWrite.limit { session.timedWrites.removeFirst() }
    session.timedWrites.append(TimedWrite(key: key, expires: now + time))
  }

  /// Whether a write request with this key was prepared. The prepared write is spent by it, right or wrong.
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
