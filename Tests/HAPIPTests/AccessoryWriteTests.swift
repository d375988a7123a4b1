import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: writing") struct AccessoryWriteTests {
  let accessory = TestHome.accessory()

  /// Writes one value, with a subscribed watcher; expects `status` and, if it is an error, no change and no event.
  private func expectRefused(
    _ id: String, _ value: String, _ status: Int = -70410, _ place: SourceLocation = #_sourceLocation
  ) {
    let watcher = accessory.verified(TestHome.secondAdmin)
    _ = watcher.subscribe(id)
    let controller = accessory.verified()
    let before = controller.get("/characteristics?id=\(id)")?.body
    let reply = controller.set(id, value)
    #expect(reply?.status == 207, sourceLocation: place)
    #expect(reply?.statuses == [id: status], sourceLocation: place)
    #expect(controller.get("/characteristics?id=\(id)")?.body == before, sourceLocation: place)
    accessory.advance(.seconds(2))
    #expect(watcher.takeEvents().isEmpty, sourceLocation: place)
    #expect(accessory.wrote.isEmpty, sourceLocation: place)
  }

  private func expectTaken(_ id: String, _ value: String, _ place: SourceLocation = #_sourceLocation)
    -> MemoryController
  {
    let controller = accessory.verified()
    #expect(controller.set(id, value)?.status == 204, sourceLocation: place)
    return controller
  }

  @Test("[CH.1] A bool accepts true, false, 1 and 0", arguments: ["true", "1"], ["false", "0"])
  func bools(_ on: String, _ off: String) {
    let controller = expectTaken("1.11", on)
    #expect(controller.int("1.11") == 1)
    #expect(controller.set("1.11", off)?.status == 204)
    #expect(controller.int("1.11") == 0)
  }

  @Test(
    "[CH.1, CH.16] A bool refuses any other value",
    arguments: [
      "2", "-1", #""true""#, #""1""#, "1.0", "0.5",
      #""""#,
    ])
  func wrongBools(_ value: String) { expectRefused("1.11", value) }

  @Test(
    "[CH.2] An integer with a fraction or an exponent is refused",
    arguments: ["1.12", "1.33", "1.30", "1.31", "1.26", "1.32"],
    ["1.0", "1.5", "1e1", "10E0", "-0.0"])
  func fractions(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test(
    "[CH.3] A number out of its range is refused",
    arguments: [
      ("1.12", "101"), ("1.12", "-1"), ("1.13", "360.5"), ("1.13", "-0.5"), ("1.14", "100"), ("1.14", "520"),
      ("1.21", "10.1"),
    ])
  func ranges(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test(
    "[CH.3] The bounds of a range are valid",
    arguments: [("1.12", "0"), ("1.12", "100"), ("1.13", "360"), ("1.14", "500"), ("1.21", "10")])
  func ends(_ id: String, _ value: String) { _ = expectTaken(id, value) }

  @Test(
    "[CH.4] A number outside its format is refused and never wraps",
    arguments: [
      ("1.33", "256"), ("1.33", "-1"), ("1.30", "65536"), ("1.30", "-1"), ("1.31", "4294967296"), ("1.31", "-1"),
      ("1.32", "2147483648"), ("1.32", "-2147483649"), ("1.26", "-1"), ("1.26", "18446744073709551616"),
      ("1.33", "99999999999999999999999999999999999999999999999999"),
      ("1.26", "340282366920938463463374607431768211457"),
    ])
  func overflow(_ id: String, _ value: String) {
    let controller = accessory.verified()
    let before = controller.get("/characteristics?id=\(id)")?.body
    let reply = controller.set(id, value)
    if reply?.status == 207 { #expect(reply?.statuses == [id: -70410]) } else { #expect(reply?.status == 400) }
    #expect(controller.get("/characteristics?id=\(id)")?.body == before)
    #expect(accessory.wrote.isEmpty)
  }

  @Test(
    "[CH.4, CH.31] The bounds of a format are valid",
    arguments: [
      ("1.33", "255"), ("1.30", "65535"), ("1.31", "4294967295"), ("1.32", "2147483647"), ("1.32", "-2147483648"),
      ("1.26", "18446744073709551615"), ("1.26", "9007199254740993"),
    ])
  func formatEnds(_ id: String, _ value: String) {
    let controller = expectTaken(id, value)
    #expect(controller.get("/characteristics?id=\(id)")?.text.contains(#""value":\#(value)}"#) == true)
  }

  @Test("[CH.5] An integer off the grid is refused, and the grid starts at minValue", arguments: ["150", "141", "499"])
  func integerGrid(_ value: String) {
    expectRefused("1.14", value)
    _ = expectTaken("1.14", "160")
  }

  @Test(
    "[CH.6] A float within a tenth of a step of the grid is rounded to the grid",
    arguments: [("1.13", "200.05", "200"), ("1.13", "199.95", "200"), ("1.21", "3.005", "3"), ("1.21", "0.3", "0.3")])
  func snapping(_ id: String, _ value: String, _ kept: String) {
    let controller = expectTaken(id, value)
    let text = controller.get("/characteristics?id=\(id)")?.text ?? ""
    #expect(text.contains(#""value":\#(kept)}"#) || text.contains(#""value":\#(kept).0}"#), "\(text)")
  }

  @Test(
    "[CH.6] A float farther off the grid is refused",
    arguments: [("1.13", "200.5"), ("1.13", "200.2"), ("1.21", "3.05"), ("1.21", "0.03")])
  func floatGrid(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test(
    "[CH.7] A number that isn't valid is refused",
    arguments: [("1.27", "2"), ("1.27", "4"), ("1.28", "1"), ("1.28", "5")])
  func validValues(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test("[CH.7] A valid number is accepted", arguments: [("1.27", "0"), ("1.27", "3"), ("1.28", "3"), ("1.28", "4")])
  func taken(_ id: String, _ value: String) { _ = expectTaken(id, value) }

  @Test("[CH.8] A string above its length is refused, counted in bytes")
  func strings() {
    expectRefused("1.23", #""abcdef""#)
    expectRefused("1.23", #""ääx!""#, -70410)
    expectRefused("1.22", "\"\(String(repeating: "x", count: 65))\"")
    _ = expectTaken("1.22", "\"\(String(repeating: "x", count: 64))\"")
    _ = expectTaken("1.23", #""abcde""#)
    _ = expectTaken("1.23", #""""#)
  }

  @Test(
    "[CH.9] Data that isn't base64 or too long is refused", arguments: ["1.24", "1.25"],
    [#""*""#, #""AQI""#, #""A===""#, #""AQ=ID""#])
  func badBase64(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test("[CH.9] Data within its length is accepted, beyond it refused")
  func dataLength() {
    expectRefused("1.24", #""AQIDBAU=""#)
    let controller = expectTaken("1.24", #""AQIDBA==""#)
    #expect(controller.value("1.24") as? String == "AQIDBA==")
    #expect(controller.set("1.24", #""""#)?.status == 204)
    #expect(controller.value("1.24") as? String == "")
    #expect(controller.set("1.25", #""AQEF""#)?.status == 204)
  }

  @Test(
    "[CH.10] A value of another JSON type is refused",
    arguments: [
      ("1.12", #""20""#), ("1.33", #""1""#), ("1.34", #""1.5""#), ("1.22", "1"), ("1.22", "true"), ("1.24", "1"),
      ("1.25", "false"),
      ("1.12", #""""#),
    ])
  func kinds(_ id: String, _ value: String) { expectRefused(id, value) }

  @Test(
    "[CH.10] An object or an array as value makes the whole request 400", arguments: ["{}", "[]", "[1]", #"{"a":1}"#])
  func containers(_ value: String) {
    let controller = accessory.verified()
    let reply = controller.write(
      MemoryController.entry("1.12", value: "20"), MemoryController.entry("1.33", value: value))
    #expect(reply?.status == 400)
    #expect(controller.int("1.12") == 50)
  }

  @Test(
    "[CH.11] null as value makes the whole request 400, and no value is written",
    arguments: ["1.12", "1.11", "1.22", "1.36", "1.999"])
  func null(_ id: String) {
    let controller = accessory.verified()
    let reply = controller.write(
      MemoryController.entry("1.13", value: "20"), MemoryController.entry(id, value: "null"))
    #expect(reply?.status == 400)
    #expect(accessory.wrote.isEmpty)
    #expect(controller.int("1.13") == 120)
  }

  @Test("[CH.12] An entry with neither value nor ev is -70410; an unknown id is checked first")
  func nothingAsked() {
    let reply = accessory.verified().write(MemoryController.entry("1.12"), MemoryController.entry("1.999"))
    #expect(reply?.status == 207)
    #expect(reply?.statuses == ["1.12": -70410, "1.999": -70409])
  }

  @Test(
    "[CH.13] A write without permission is -70404, whatever the value",
    arguments: [#""x""#, "1", "true", "99999999999"])
  func readOnly(_ value: String) { expectRefused("1.36", value, -70404) }

  @Test("[HTTP.10] A write to an unknown id is -70409, whatever the value")
  func unknown() {
    let reply = accessory.verified().write(
      MemoryController.entry("1.999", value: "1"), MemoryController.entry("9.1", value: #""x""#))
    #expect(reply?.statuses == ["1.999": -70409, "9.1": -70409])
  }

  @Test("[CH.17] A read after a write returns the written value, on each connection")
  func readBack() {
    let controller = expectTaken("1.12", "73")
    #expect(controller.int("1.12") == 73)
    #expect(accessory.verified(TestHome.user).int("1.12") == 73)
    #expect(accessory.wrote.map(\.id) == [TestHome.id("1.12")])
    #expect(accessory.wrote.map(\.value) == [73])
  }

  @Test(
    "[CH.18] A float accepts an integer literal and an exponent",
    arguments: [("21", "21"), ("2e1", "20"), ("-3", "-3"), ("1.25", "1.25")])
  func floats(_ value: String, _ kept: String) {
    let controller = expectTaken("1.34", value)
    let text = controller.get("/characteristics?id=1.34")?.text ?? ""
    #expect(text.contains(#""value":\#(kept)}"#) || text.contains(#""value":\#(kept).0}"#), "\(text)")
  }

  @Test("[CH.18] A float beyond the representable numbers is refused", arguments: ["1e999", "-1e999"])
  func hugeFloat(_ value: String) {
    let reply = accessory.verified().set("1.34", value)
    #expect(reply?.status == 400 || reply?.statuses == ["1.34": -70410])
  }

  @Test("[CH.19] true and false written to an integer are 1 and 0", arguments: ["1.33", "1.12", "1.27", "1.26"])
  func boolsAsNumbers(_ id: String) {
    let controller = expectTaken(id, "true")
    #expect(controller.int(id) == 1)
    #expect(controller.set(id, "false")?.status == 204)
    #expect(controller.int(id) == 0)
  }

  @Test(
    "[CH.31] Strings are read back as written",
    arguments: [
      #""grüße""#, #""🏠 שלום""#, #""a\"b\\c\/d""#, #""tab\tnewline\n""#, #""\u00e9\ud83c\udfe0""#, #""\u0000x""#,
    ])
  func utf8(_ literal: String) throws {
    let controller = expectTaken("1.22", literal)
    let sent = AccessoryMessage(startLine: "", fields: [], body: Array(#"{"v":\#(literal)}"#.utf8))
    let expected = try #require(sent.json?["v"] as? String)
    #expect(controller.value("1.22") as? String == expected)
  }

  @Test("[CH.31] A write across many frames is received completely")
  func longWrite() {
    let controller = accessory.verified()
    let entries = (0..<100).map { "{\(MemoryController.entry("1.12", value: "\($0)"))}" }.joined(separator: ",\n   ")
    #expect(controller.put("{\"characteristics\":[\(entries)]}")?.status == 204)
    #expect(controller.int("1.12") == 99)
  }
}
