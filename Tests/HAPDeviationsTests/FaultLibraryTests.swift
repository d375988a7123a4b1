import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Faults") struct FaultLibraryTests {
  private let library = FaultLibrary.builtIn

  private func refusal(_ text: String) -> String {
    do throws(JSONProblem) {
      _ = try library.choice(text)
      return "taken"
    } catch { return error.message }
  }

  @Test("Each built-in fault is valid, with its default parameters and each of its choices") func builtIn() throws {
    #expect(library.entries.count >= 30)
    #expect(Set(library.entries.map(\.name)).count == library.entries.count)
    for fault in library.entries {
      let choice = try library.choice(fault.name)
      #expect(choice.text == fault.name)
      #expect(
        choice.defect != nil || choice.network != nil || choice.setup != nil || choice.jump != nil
          || choice.datagrams != nil || !choice.begin.isEmpty || !choice.cycle.isEmpty, "\(fault.name) does nothing")
    }
  }

  /// The reports that field-reports marks with "F:", except 6, which concerns haptest (odd Host values).
  private static let fieldReports = [
    2, 3, 5, 8, 9, 11, 12, 15, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 33, 34, 35, 36,
  ]

  @Test("Each field report that requests a fault has one", arguments: fieldReports)
  func reports(_ number: Int) {
    #expect(library.entries.contains { $0.reports.contains(number) })
  }

  @Test("Equal faults with equal parameters are equal") func equality() throws {
    #expect(try library.choice("latency:by=2s") == library.choice("latency:by=2s"))
    #expect(try library.choice("latency:by=2s") != library.choice("latency:by=3s"))
    #expect(try library.choice("stall") != library.choice("deaf"))
  }

  @Test("A cyclic fault has its steps, and a one-shot fault ends by itself") func cycles() throws {
    let flap = try library.choice("flap:off=100ms:on=2s")
    #expect(flap.cycle.map(\.duration) == [.milliseconds(100), .seconds(2)])
    #expect(flap.cycle.map(\.action) == [.radio(false), .radio(true)])
    #expect(flap.end == [.radio(true)] && !flap.isOneShot)
    #expect(try library.choice("power-cut").isOneShot)
    #expect(try library.choice("clock-jump:by=2h").jump == .seconds(7200))
  }

  @Test("The fault of Pair Setup's random numbers selects the number and its form") func setup() throws {
    let both = try #require(try library.choice("leading-zeros").setup)
    #expect(both == SetupFault(leadsKey: true, leadsSalt: true, keepsZeros: true))
    let key = try #require(try library.choice("leading-zeros:which=key:form=stripped").setup)
    #expect(key == SetupFault(leadsKey: true, leadsSalt: false, keepsZeros: false))
    #expect(both.joined(with: key) == SetupFault(leadsKey: true, leadsSalt: true, keepsZeros: false))
  }

  @Test("Parameters are read in the form of the command line") func parameters() throws {
    let choice = try library.choice("latency:by=2s:jitter=500ms")
    #expect(choice.network?.delay == .seconds(2) && choice.network?.jitter == .milliseconds(500))
    #expect(choice.text == "latency:by=2s:jitter=500ms")
    #expect(try library.choice("bandwidth:rate=9600").network?.rate == 9600)
    #expect(try library.choice("chop:at=3").network?.splitAt == 3)
  }

  @Test("An identifier with colons is a single value") func colons() throws {
    let choice = try library.choice("latency:controller=AA:BB:CC:by=1s")
    #expect(choice.scope.controller == Glob("AA:BB:CC"))
    #expect(choice.network?.delay == .seconds(1))
    #expect(choice.scope.fits(connection: 1, controller: "AA:BB:CC"))
    #expect(
      !choice.scope.fits(connection: 1, controller: "AA:BB:CD") && !choice.scope.fits(connection: 1, controller: nil))
  }

  @Test(
    "For an unknown fault or parameter, the error suggests the nearest",
    arguments: [
      ("latncy", "there is no fault \"latncy\": did you mean \"latency\"?"),
      ("zzzzzzzz", "there is no fault \"zzzzzzzz\"; hapsim faults lists them"),
      ("", "there is no fault \"\"; hapsim faults lists them"),
      ("latency:bye=2s", "there is no member \"bye\" here: did you mean \"by\"?"),
      ("latency:by=soon", "by is a duration such as 500ms or 2s, not \"soon\""),
      ("latency:by", "\"by\" is not parameter=value"),
      ("latency:by=1s:by=2s", "by is given twice"),
      ("bandwidth:rate=0", "rate is a number from 1 to 1000000000, not an integer"),
      ("bandwidth:rate=fast", "rate is a number from 1 to 1000000000, not \"fast\""),
      ("drop-message:message=setup-M3", "message is setup-M2, setup-M4, setup-M6"),
      ("refuse:connection=2", "refuse affects the whole accessory"),
      ("wrong-sf:controller=X", "wrong-sf affects the whole accessory"),
      ("flap:off=1ms", "off is a duration such as 2s, at least 50ms, not \"1ms\""),
      ("flap:controller=X", "flap affects the whole accessory"),
      ("event-storm:type=Onn", "the catalogue has no \"Onn\": did you mean \"On\"?"),
      ("event-storm:every=0ms", "every is a duration such as 2s, at least 1ms"),
      ("leading-zeros:which=a", "which is both, key or salt, not \"a\""),
      ("crowded:accessories=1", "accessories is a number from 2 to 1000"),
      ("exact-size:bytes=99", "bytes is a number from 100 to 1000000"),
      ("lost-state:what=keys", "what is pairings, identity, values, configuration or everything"),
      ("latency:connection=x", "a count is expected: 2, \"2+\" or \"-2\""),
    ])
  func wrong(text: String, message: String) {
    #expect(refusal(text).hasPrefix(message), "\(refusal(text))")
  }

  @Test("In a document, a fault is an object or the command-line text; errors have places") func documents() throws {
    let node = try JSONNode.parse(Array(#"{"fault": "latency", "by": "3s", "connection": "2+"}"#.utf8))
    let choice = try library.choice(node)
    #expect(choice.network?.delay == .seconds(3))
    #expect(choice.scope.fits(connection: 2, controller: nil) && !choice.scope.fits(connection: 1, controller: nil))
    let wrong = try JSONNode.parse(Array("{\"fault\": \"latency\",\n \"by\": 3}".utf8))
    #expect(throws: JSONProblem.self) { try library.choice(wrong) }
    do throws(JSONProblem) { _ = try library.choice(wrong) } catch { #expect(error.place.line == 2) }
  }

  @Test("A mistake in a faults file is reported with its place") func files() {
    let text = """
      faults:
        - { name: a, what: A. }
        - { name: b, what: B., network: { dely: 1s } }
        - { name: c, what: C., parameters: { by: { kind: duration, default: soon, what: x } }, network: { delay: $by } }
        - { name: d, what: D., rules: [{ when: { answer: x, statuss: 1 }, drop: true }] }
        - { name: e, what: E., network: { stall: true } }
        - { name: e, what: E., network: { stall: true } }
        - { name: f, what: F., cycle: [{ command: radio, value: false }] }
        - { name: g, what: G., cycle: [{ command: radio, value: false, for: 9ms }] }
        - { name: h, what: H., once: true, network: { stall: true } }
        - { name: i, what: I., setup: { zero-led: [a], form: padded } }
        - { name: j, what: J., setup: { zero-led: [key], form: long } }
        - { name: k, what: K., jump: far }
        - { name: l, what: L., parameters: { by: { kind: duration, from: 2s, default: 1s, what: x } }, jump: $by }
      """
    let file = FaultFile(Array(text.utf8), file: "f.yaml")
    #expect(file.faults.map(\.name) == ["e"])
    #expect(file.problems.count == 12)
    #expect(file.problems.allSatisfy { $0.hasPrefix("f.yaml:") })
  }
}
