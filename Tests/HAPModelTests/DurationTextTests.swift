import Testing

@testable import HAPModel

@Suite("Durations as text")
struct DurationTextTests {
  @Test(
    "A number and its unit are read",
    arguments: [
      ("12s", Duration.seconds(12)), ("500ms", .milliseconds(500)), ("1.5min", .seconds(90)), ("2h", .seconds(7200)),
      ("0s", .zero), ("0.001s", .milliseconds(1)), ("0.05min", .seconds(3)), ("1000h", .seconds(3_600_000)),
    ])
  func reads(_ text: String, _ expected: Duration) { #expect(Duration(text) == expected) }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "12", "s", "-1s", "+1s", "1 s", "1e3s", "1.s", ".5s", "1.2.3s", "1m", "1sec", "1S", "1000.1h", "99999999999s",
      "٣s",
      "9999999999999999999999h", "1.1234567890s",
    ])
  func refuses(_ text: String) { #expect(Duration(text) == nil) }
}
