import Testing

@testable import HAPTransport

@Suite("Rereading the database") struct DatabaseFreshnessTests {
  private static let second: UInt64 = 1_000_000_000

  /// A database that was read at time 0, with `c#` 1 in the record.
  private var read: DatabaseFreshness {
    var freshness = DatabaseFreshness()
    freshness.saw(1)
    freshness.didRead(freshness.willRead(), at: 0)
    return freshness
  }

  @Test("A database that was never read is not stale, whatever the record says") func neverRead() {
    var freshness = DatabaseFreshness()
    freshness.saw(1)
    freshness.saw(2)
    freshness.disconnected()
    #expect(!freshness.isStale && !freshness.hasDatabase && freshness.delayOfRead(at: 0) == nil)
  }

  @Test("Another c# makes the database stale until it is read again") func changed() {
    var freshness = read
    freshness.saw(1)
    #expect(!freshness.isStale)
    freshness.saw(2)
    #expect(freshness.isStale)
    freshness.didRead(freshness.willRead(), at: 0)
    #expect(!freshness.isStale)
  }

  @Test("A c# that is first seen after the read makes the database stale: it may have changed in between")
  func seenLate() {
    var freshness = DatabaseFreshness()
    freshness.didRead(freshness.willRead(), at: 0)
    #expect(!freshness.isStale)
    freshness.saw(7)
    #expect(freshness.isStale)
  }

  @Test("A c# that changes between the request and the answer makes the database stale again") func changedMeanwhile() {
    var freshness = read
    freshness.saw(2)
    let request = freshness.willRead()
    freshness.saw(3)
    freshness.didRead(request, at: 0)
    #expect(freshness.isStale)
    freshness.didRead(freshness.willRead(), at: 0)
    #expect(!freshness.isStale)
  }

  @Test("A lost connection makes the database stale until it is read again") func disconnected() {
    var freshness = read
    freshness.disconnected()
    #expect(freshness.isStale)
    freshness.didRead(freshness.willRead(), at: 0)
    #expect(!freshness.isStale)
  }

  @Test("A failed read leaves the database stale, and is tried again after 1 s, 2 s, 4 s") func failed() {
    var freshness = read
    freshness.saw(2)
    var now = Self.second
    for seconds: UInt64 in [1, 2, 4] {
      #expect(freshness.delayOfRead(at: now) == .zero)
      _ = freshness.willRead()
      freshness.readFailed(at: now)
      #expect(freshness.isStale && freshness.delayOfRead(at: now) == .seconds(Int(seconds)))
      now += seconds * Self.second
    }
    freshness.didRead(freshness.willRead(), at: now)
    freshness.saw(3)
    #expect(freshness.delayOfRead(at: now) == .seconds(1), "a valid answer resets the back-off")
  }

  @Test("A c# that changes all the time causes at most one read per second") func pace() {
    var freshness = read
    var readCount = 0
    for tenth: UInt64 in 1...100 {
      let now = tenth * Self.second / 10
      freshness.saw(UInt32(tenth) + 1)
      guard freshness.delayOfRead(at: now) == .zero else { continue }
      freshness.didRead(freshness.willRead(), at: now)
      readCount += 1
    }
    #expect(readCount == 10)
  }
}
