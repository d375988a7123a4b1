import Foundation
import HAPCommandLine
import Testing

@Suite("The time of day in reports") struct WallClockTests {
  @Test(
    "Seconds since 1970 become a date of the Gregorian calendar",
    arguments: [
      (-1, "1970-01-01T00:00:00Z"), (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
      (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"),
      (1_767_225_600, "2026-01-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
    ])
  func stamp(_ seconds: Int, _ text: String) {
    #expect(WallClock.stamp(.seconds(seconds)) == text)
  }

  @Test("Each day of 400 years agrees with Foundation") func days() {
    let formatter = ISO8601DateFormatter()
    for day in 0..<146_097 {
      let seconds = day * 86_400 + day % 86_400
      let wanted = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      guard WallClock.stamp(.seconds(seconds)) != wanted else { continue }
      Issue.record("\(seconds) is \(wanted), not \(WallClock.stamp(.seconds(seconds)))")
      return
    }
  }
}
