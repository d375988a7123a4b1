import HAPLoop
import HAPWire

/// A name that the observer holds against everybody, as a responder would that had it before. RFC 6762 §9.
package struct NameClaim: Hashable, Sendable {
  /// In full.
  package let name: DNSName
  let number: Int

  /// A claim that stands.
  struct Standing {
    let claim: NameClaim
    let records: [DNSRecord]
    /// For the second announcement.
    let timer: LoopTimer
    /// How many answers were given in the second that began then.
    var second = Duration.zero
    var answerCount = 0
  }

  /// A probe is answered at once, and there are three of them; who asks more often than this in a second is not answered.
  static let answersPerSecond = 50
}

extension MDNSObserver {
  /// Announces an instance's name as ours, and answers who asks for it or probes for it, until it is released.
  ///
  /// No PTR record goes with it, so that nobody who looks for services finds ours.
  /// - Parameters:
  ///   - port: and the host: where nobody is.
  ///   - text: anything that the other's TXT record is not.
  /// - Throws: when it could not be sent at all.
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
    // RFC 6762 §8.3: twice at least, a second apart.
    timer.start(after: .seconds(1))
    claims.append(NameClaim.Standing(claim: claim, records: records, timer: timer))
    return claim
  }

  /// Gives a name up, with a goodbye. Any number of times.
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

  /// Answers a question that somebody asked, for the names that are claimed.
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
