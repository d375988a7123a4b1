import HAPTestSupport
import HAPWire
import Testing

@testable import HAPFuzzing

@Suite("Minimising a finding") struct FuzzMinimiserTests {
  private static func messages(_ count: Int) -> [FuzzMessage] {
    (0..<count).map { FuzzMessage(.plain, (0..<64).map { UInt8($0) } + [UInt8(100 + $0)], on: $0 % 2) }
  }

  /// Minimises until no further reduction is possible.
  private static func minimised(
    _ messages: [FuzzMessage], _ fails: ([FuzzMessage]) -> Bool
  ) -> FuzzMinimiser {
    var minimiser = FuzzMinimiser(messages)
    while let candidate = minimiser.candidate() { minimiser.take(fails(candidate)) }
    return minimiser
  }

  @Test("A single faulty byte in a single message is isolated", arguments: 0..<20) func oneByte(_ guilty: Int) {
    let bad = UInt8(100 + guilty)
    let minimiser = Self.minimised(Self.messages(20)) { $0.contains { $0.bytes.contains(bad) } }
    #expect(minimiser.messages.map(\.bytes) == [[bad]])
    #expect(minimiser.messages[0].connection == 0)
    #expect(minimiser.trials < 60)
  }

  @Test("Two messages that fail only together and in order are kept, with the bytes that matter") func two() {
    let minimiser = Self.minimised(Self.messages(30)) { messages in
      guard let first = messages.firstIndex(where: { $0.bytes.contains(104) }) else { return false }
      return messages[first...].contains { $0.bytes.contains(121) && $0.bytes.contains(17) }
    }
    #expect(minimiser.messages.map(\.bytes) == [[104], [17, 121]])
  }

  @Test("A message whose bytes don't matter loses all bytes") func none() {
    let minimiser = Self.minimised(Self.messages(9)) { $0.contains { $0.connection == 1 } }
    #expect(minimiser.messages.map(\.bytes) == [[]])
  }

  @Test("Messages that fail only in their original form stay unchanged") func irreducible() {
    let all = Self.messages(3)
    let minimiser = Self.minimised(all) { $0 == all }
    #expect(minimiser.messages == all)
  }

  @Test("Irrelevant message options are removed, and a relevant one is kept") func extras() {
    var message = FuzzMessage(.sealed, [1, 2, 3], request: "GET /accessories", on: 1)
    message.sizes = [1, 1]
    message.fault.counterOffset = 5
    message.cut = 3
    message.ending = .reset
    let minimiser = Self.minimised([message]) { $0[0].cut == 3 && $0[0].bytes.contains(2) }
    var expected = FuzzMessage(.sealed, [2], request: "GET /accessories")
    expected.cut = 3
    #expect(minimiser.messages == [expected])
  }

  @Test("A JSON body loses whole parts, and stays JSON if that matters") func parts() throws {
    let body = #"{"characteristics":[{"aid":1,"iid":9,"value":"a,]}\""},{"aid":2,"r":true,"iid":3},[[{}]]],"pid":"x"}"#
    let minimiser = Self.minimised([FuzzMessage(.sealed, Array(body.utf8))]) { messages in
      guard let node = try? JSONNode.parse(messages[0].bytes) else { return false }
      return node["characteristics"]?.elements?.contains { $0["r"] != nil } == true
    }
    #expect(String(decoding: minimiser.messages[0].bytes, as: UTF8.self) == #"{"characteristics":[{"r":true}]}"#)
    #expect(minimiser.trials < 200)
  }

  @Test("Parts lie within the bytes, whatever the bytes are", arguments: 0..<200 as Range<UInt64>)
  func anyParts(_ seed: UInt64) {
    var chance = FuzzChance(seed: seed, label: "parts")
    let bytes = (0..<chance.below(60)).map { _ in chance.pick(Array("[]{},\"\\a\n".utf8)) }
    for part in FuzzMinimiser.parts(of: bytes) {
      #expect(part.lowerBound >= 0 && part.upperBound <= bytes.count && !part.isEmpty)
    }
  }

  @Test("Minimising ends with messages that still fail, whatever the rule", arguments: 0..<40 as Range<UInt64>)
  func anyRule(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let all = Self.messages(Int.random(in: 1...20, using: &generator))
    let wanted = Set((0..<3).map { _ in UInt8.random(in: 0...64, using: &generator) })
    let rule = { (messages: [FuzzMessage]) in wanted.isSubset(of: messages.flatMap(\.bytes)) || messages == all }
    let minimiser = Self.minimised(all, rule)
    #expect(rule(minimiser.messages))
    #expect(minimiser.trials < 1000)
    if wanted.isSubset(of: 0...63) { #expect(minimiser.messages.reduce(0) { $0 + $1.bytes.count } == wanted.count) }
  }
}
