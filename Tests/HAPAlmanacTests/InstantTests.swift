import Testing

@testable import HAPAlmanac

@Suite("Instants") struct InstantTests {
  @Test("Seconds are rounded down, also before 1970, and the nanoseconds are the rest")
  func seconds() {
    for (nanoseconds, seconds, rest) in [
      (0, 0, 0), (1, 0, 1), (1_999_999_999, 1, 999_999_999), (-1, -1, 999_999_999), (-1_000_000_000, -1, 0),
      (-1_000_000_001, -2, 999_999_999), (.max, 9_223_372_036, 854_775_807), (.min, -9_223_372_037, 145_224_192),
    ] as [(Int64, Int64, Int64)] {
      let instant = Instant(nanoseconds: nanoseconds)
      #expect((instant.seconds, instant.nanosecond) == (seconds, rest))
      #expect(Instant(seconds: seconds, nanosecond: rest) == instant)
    }
    #expect(Instant(seconds: 1, nanosecond: 2_000_000_003).nanoseconds == 3_000_000_003)
  }

  @Test("Values outside of the range give its first or last instant")
  func limits() {
    #expect(Instant(seconds: .max, nanosecond: .max) == .distantFuture)
    #expect(Instant(seconds: .min, nanosecond: .min) == .distantPast)
    #expect(Instant(seconds: 9_223_372_037) == .distantFuture)
    #expect(Instant.distantFuture.advanced(by: .nanoseconds(1)) == .distantFuture)
    #expect(Instant.distantPast.advanced(by: .seconds(-Int64.max)) == .distantPast)
    #expect(Instant(nanoseconds: 0).advanced(by: .seconds(Int64.max)) == .distantFuture)
  }

  @Test("Advancing by the duration to another instant leads to it")
  func durations() {
    let values: [Int64] = [.min, .min + 1, -1_500_000_000, -1, 0, 1, 999_999_999, 1_000_000_001, .max - 1, .max]
    for left in values.map(Instant.init(nanoseconds:)) {
      for right in values.map(Instant.init(nanoseconds:)) {
        #expect(left.advanced(by: left.duration(to: right)) == right)
        #expect(left.duration(to: right) == .zero - right.duration(to: left))
        #expect((left < right) == (left.duration(to: right) > .zero))
      }
    }
    #expect(Instant(seconds: 1).duration(to: Instant(seconds: 3, nanosecond: 5)) == .nanoseconds(2_000_000_005))
  }

  @Test("An instant prints as its time in UTC")
  func description() {
    #expect("\(Instant(seconds: 1_792_888_200))" == "2026-10-25T00:30:00Z")
    #expect("\(Instant(nanoseconds: -1_500_000))" == "1969-12-31T23:59:59.9985Z")
    #expect("\(Instant.distantPast)" == "1677-09-21T00:12:43.145224192Z")
    #expect("\(Instant.distantFuture)" == "2262-04-11T23:47:16.854775807Z")
  }
}
