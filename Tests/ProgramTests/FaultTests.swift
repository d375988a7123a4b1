import Foundation
import HAPDeviations
import Testing

@Suite("haptest against the faults of hapsim, in a simulated world") struct FaultTests {
  struct Named: Sendable, CustomTestStringConvertible {
    var fault: String
    /// The case that detects it.
    var id: String
    var profile = "light-colour"
    var testDescription: String { fault }
  }

  private static let named = [
    Named(fault: "lost-events", id: "EV-01"),
    Named(fault: "double-events", id: "EV-12"),
    Named(fault: "echo-subscription", id: "EV-19"),
    Named(fault: "event-storm", id: "EV-14"),
    Named(fault: "late-event", id: "EV-04"),
    Named(fault: "early-session", id: "EV-19"),
    Named(fault: "ghost-press", id: "RD-14", profile: "button-single"),
    Named(fault: "cut:bytes=2000", id: "SEC-02"),
    Named(fault: "reset:bytes=2000", id: "SEC-02"),
    Named(fault: "cut-before:message=read", id: "RD-01"),
    Named(fault: "cut-after:message=setup-M4", id: "PS-40"),
    Named(fault: "cut-request:message=read", id: "RD-01"),
    Named(fault: "drop-message:message=verify-M2", id: "PV-02"),
    Named(fault: "lower-case-identifiers", id: "DISC-07"),
    Named(fault: "session-cap:sessions=4", id: "CN-02"),
    Named(fault: "silence", id: "DISC-01"),
    Named(fault: "record-flap:off=20s:on=1s", id: "DISC-01"),
    Named(fault: "record-storm", id: "DISC-27"),
    Named(fault: "early-sf", id: "PS-38"),
    Named(fault: "wrong-sf", id: "DISC-14"),
    Named(fault: "frozen-record", id: "DISC-14"),
    Named(fault: "late-record", id: "DISC-11"),
    Named(fault: "wrong-config-number", id: "DISC-11"),
    Named(fault: "lost-state", id: "CN-11"),
    Named(fault: "long-text:bytes=100", id: "ADB-08"),
    Named(fault: "out-of-range", id: "ADB-20"),
    Named(fault: "failing-read", id: "WR-01"),
    Named(fault: "slow-read:characteristic=Hue", id: "WR-01"),
    Named(fault: "shifted-iids", id: "RD-01"),
    Named(fault: "shuffled-iids", id: "ADB-42"),
    Named(fault: "crowded:accessories=151", id: "ADB-11", profile: "bridge-two-lights"),
  ]
  /// Faults that make the accessory unreachable, so haptest does not judge it.
  private static let unreachable = ["refuse", "stall", "deaf", "off-network"]
  /// Faults that violate no rule, because networks and accessories may behave so.
  private static let right = [
    "latency:by=30ms:jitter=20ms", "latency-in:by=30ms", "bandwidth:rate=200000", "trickle:bytes=100:every=1ms",
    "chop:at=3:pause=1ms", "delay-message:message=read:by=500ms", "chunked", "exact-size", "reversed-events",
    "wrong-state-number", "rival-name", "clock-jump", "reboot", "power-cut",
  ]
  /// Faults in none of the lists above, each with the reason.
  private static let elsewhere = [
    "flap": "the accessory comes and goes, so the result depends on the moment of each case",
    "factory-reset": "the accessory is unpaired at the start of the run, as haptest requires",
    "missing-accessory": "a database without one accessory is another valid database",
    "leading-zeros": "it is valid but slow: each Pair Setup draws about 256 keys",
  ]

  @Test("A fault that violates a rule is detected", arguments: named) func isNamed(_ entry: Named) throws {
    let result = try Laboratory.test(entry.profile, ["--fault", entry.fault], select: entry.id)
    // The case fails, or it is blocked by the owner of a procedure that it uses.
    let verdict = try #require(result.verdicts[entry.id])
    #expect(["fail", "blocked"].contains(verdict) && result.verdicts.values.contains("fail"), "\(result.output)")
    #expect(result.verdicts.count == (verdict == "fail" ? 1 : 2), "\(result.verdicts)")
    #expect(result.test.code == .problem)
    #expect(result.test.foreignJobCount == 0)
  }

  @Test("An unreachable accessory is not judged", arguments: unreachable)
  func isNotJudged(_ fault: String) throws {
    let result = try Laboratory.test("light-colour", ["--fault", fault], select: "RD-01")
    #expect(result.test.code != .well, "\(result.output)")
    #expect(!result.verdicts.values.contains("pass"))
    #expect(result.test.foreignJobCount == 0)
  }

  @Test("A fault that violates no rule causes no failure", arguments: right) func isNotAccused(_ fault: String) throws {
    let cases = "RD-01,WR-01,EV-01,EV-03,ADB-01,SEC-02,DISC-01,HTTP-01,PV-02"
    let result = try Laboratory.test("light-colour", ["--fault", fault], select: cases)
    #expect(result.isWell, "\(result.output)")
    #expect(result.verdicts.values.filter { $0 == "pass" }.count >= 8)
  }

  @Test("Each fault that affects HAP is in one of the lists") func places() {
    let faults = Self.named.map(\.fault) + Self.unreachable + Self.right
    let placed = Set(faults.map { String($0.prefix { $0 != ":" }) } + Self.elsewhere.keys)
    #expect(placed == Set(FaultLibrary.builtIn.entries.filter { $0.plain.protocols.contains(.hap) }.map(\.name)))
  }

  /// Cases that restart the accessory are left out, because a command to a starting accessory fails the scenario.
  @Test("While a scenario plays, no case fails") func scenario() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = """
      scenario: Somebody turns the knob of the colours
      steps:
        - do:
            - { set: { characteristic: Saturation, value: 10 } }
            - { after: 2s, set: { characteristic: Saturation, value: 90 } }
          every: 7s

      """
    try Data(text.utf8).write(to: file)
    let result = try Laboratory.test(
      "light-colour", ["--scenario", file.path], select: "read,write,events,services,pair-verify")
    #expect(result.isWell, "\(result.output)")
    #expect(result.verdicts.values.filter { $0 == "pass" }.count > 60)
  }
}
