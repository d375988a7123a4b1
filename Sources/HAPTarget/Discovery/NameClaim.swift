import HAPLoop
import HAPWire

/// A name that the observer defends against conflicting hosts, like the first owner of the name. RFC 6762 §9.
package struct NameClaim: Hashable, Sendable {
  /// The full name.
  package let name: DNSName
  let number: Int

  /// An active claim.
  struct Standing {
    let claim: NameClaim
    let records: [DNSRecord]
    /// Fires the second announcement.
    let timer: LoopTimer
    /// Start of the current second, for the rate limit.
    var second = Duration.zero
    var answerCount = 0
  }

  /// Rate limit. A host sends three probes, and each is answered at once; further questions within a second get no answer.
  static let answersPerSecond = 50
}

extension MDNSObserver {
  /// Announces an instance's name as ours, and answers questions and probes for it until its release.
  ///
  /// It announces no PTR record, so browsing doesn't find the claimed name.
  /// - Parameters:
  ///   - port: a port without a listener. The claim's host name has no address either.
  ///   - text: a TXT record that differs from the accessory's.
  /// - Throws: if it could not be sent at all.
  package func claim(
    _ name: DNSName, port: UInt16 = 9, text: [[UInt8]] = [Array("claimed=1".utf8)]
  ) throws(LoopError) -> NameClaim {
    lastClaim += 1
    let claim = NameClaim(name: name, number: lastClaim)
    let host = DNSName([Array("haptest-claim".utf8), Array("local".utf8)])
    let records = [
      DNSRecord(
        name, DNSType.srv, ttl: 120, flushesCache: true, .service(priority: 0, weight: 0, port: port, target: host)),
      DNSRecord(name, DNSType.txt, ttl: 4500, flushesCache: true, .text(text)),
    ]
    watch(name)
    try announce(records)
    let timer = LoopTimer(loop)
    timer.onFire = { [weak self] in self?.assumeIsolated { try? $0.announce(records) } }
    // RFC 6762 §8.3: at least two announcements, one second apart.
    timer.start(after: .seconds(1))
    claims.append(NameClaim.Standing(claim: claim, records: records, timer: timer))
    return claim
  }

  /// Releases a name with a goodbye. Can be called repeatedly.
  package func release(_ claim: NameClaim) {
    guard let index = claims.firstIndex(where: { $0.claim == claim }) else { return }
    let standing = claims.remove(at: index)
    standing.timer.close()
    let goodbyes = standing.records.map { record in
      var record = record
      record.ttl = 0
      return record
    }
    try? announce(goodbyes)
  }

  private func announce(_ records: [DNSRecord]) throws(LoopError) {
    try send(DNSMessage(flags: DNSMessage.response | DNSMessage.authoritative, answers: records))
  }

  /// Answers another host's question for a claimed name.
  func defendClaims(against query: DNSMessage) {
    for index in claims.indices {
      let records = claims[index].records
      guard query.questions.contains(where: { question in records.contains { question.isAnswered(by: $0) } }) else {
        continue
      }
      let now = Duration.nanoseconds(Int64(loop.readClock()))
      if now - claims[index].second > .seconds(1) {
        claims[index].second = now
        claims[index].answerCount = 0
      }
      claims[index].answerCount += 1
      if claims[index].answerCount <= NameClaim.answersPerSecond { try? announce(records) }
    }
  }
}
