import HAPWire
import Testing

@testable import HAPFuzzing

@Suite("Reproducers") struct FuzzReproducerTests {
  private static let message: FuzzMessage = {
    var message = FuzzMessage(.sealed, [0, 1, 0xFF], request: "PUT /characteristics", on: 1, note: "a \"write\"\n")
    message.sizes = [0, 1, 65_535]
    message.fault.counterOffset = .min
    message.fault.length = 65_535
    message.fault.fills = true
    message.fault.flip = .tag
    message.cut = 4
    message.ending = .half
    return message
  }()

  private static func file(_ messages: [FuzzMessage]) -> FuzzReproducer {
    FuzzReproducer(
      area: .frame, seed: .max, target: "127.0.0.1:5", state: .paired,
      finding: FuzzFinding(kind: .ended, message: "it ended", details: ["x"]), isConfirmed: true, messages: messages)
  }

  @Test("A written reproducer is read back unchanged") func roundTrip() throws {
    let file = Self.file([Self.message, FuzzMessage(.plain, [])])
    #expect(try FuzzReproducer(file.bytes) == file)
  }

  @Test("Each message of every stream survives writing and reading", arguments: FuzzStreamTests.all)
  func everything(_ area: FuzzArea, _ state: FuzzState) throws {
    let file = Self.file(FuzzStreamTests.messages(area, state, seed: 4, rounds: 20))
    #expect(try FuzzReproducer(file.bytes) == file)
  }

  @Test(
    "A mistake is reported with its place",
    arguments: [
      ("{", 1, 2, "ends too early"), ("[]", 1, 1, "an object is expected"),
      (file(area: "html"), 1, 20, "expected: tlv"),
      (file(format: "2"), 1, 11, "not in 1...1"), (file(seed: "-1"), 1, 33, "not in 0..."),
      (file(state: "broken"), 1, 43, "expected: found"), (file(finding: "x"), 1, 61, "expected: ended"),
      (file(messages: "{}"), 1, 80, "a list is expected"), (file(messages: "[]"), 1, 80, "1 to 4096 messages"),
      (file(messages: "[5]"), 1, 81, "an object is expected"), (file(message: "{}"), 1, 81, "\"bytes\" is missing"),
      (file(message: #"{"bytes":"0"}"#), 1, 90, "even number"),
      (file(message: #"{"bytes":"","way":"around it"}"#), 1, 99, "expected: plain"),
      (file(message: #"{"bytes":"","way":"plain","connection":16}"#), 1, 120, "not in 0...15"),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"request":"GET"}"#), 1, 132, "a method and a target"),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"request":"GET /\r\n"}"#), 1, 132, "a method and"),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"sizes":[70000]}"#), 1, 131, "not in 0...65535"),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"cut":-1}"#), 1, 128, "not in 0..."),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"flip":"all"}"#), 1, 129, "expected: ciphertext"),
      (file(message: #"{"bytes":"","way":"plain","connection":0,"endign":"fin"}"#), 1, 122, "did you mean"),
    ])
  func wrong(_ text: String, _ line: Int, _ column: Int, _ part: String) throws {
    let problem = try #require(throws: JSONProblem.self) { try FuzzReproducer(Array(text.utf8)) }
    #expect(problem.message.contains(part), "\(problem)")
    #expect(problem.place == JSONPlace(line: line, column: column), "\(problem)")
  }

  private static func file(
    format: String = "1", area: String = "tlv", seed: String = "1", state: String = "found", finding: String = "ended",
    messages: String? = nil, message: String = "{}"
  ) -> String {
    #"{"format":\#(format),"area":"\#(area)","seed":\#(seed),"state":"\#(state)","finding":"\#(finding)","messages":"#
      + (messages ?? "[\(message)]") + "}"
  }

  @Test("No input traps the reader", arguments: 0..<300 as Range<UInt64>) func hostile(_ seed: UInt64) {
    var chance = FuzzChance(seed: seed, label: "hostile")
    let whole = Self.file([Self.message]).bytes
    let bytes = ByteMutator(words: ["\"sizes\":", "1e999", "ff"]).mutated(whole, with: whole, &chance)
    _ = try? FuzzReproducer(bytes)
  }
}
