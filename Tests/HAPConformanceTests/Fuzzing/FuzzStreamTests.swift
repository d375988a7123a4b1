import HAPModel
import HAPWire
import Testing

@testable import HAPFuzzing

@Suite("Fuzz message streams") struct FuzzStreamTests {
  /// A home with a lamp (2.9 may be written, 2.10 to 2.120 may not) and a lock (3.9 and 3.10 may not).
  static func facts(_ state: FuzzState) -> FuzzFacts {
    var facts = FuzzFacts()
    facts.state = state
    facts.identifier = Array("11111111-2222-4333-8444-555555555555".utf8)
    facts.publicKey = [UInt8](repeating: 0x5A, count: 32)
    facts.hasCode = true
    facts.proofLimit = 3
    guard state == .paired else { return facts }
    facts.targets = [
      .init(id: AttributeID(aid: 2, iid: 9), values: [.bool(false), .bool(true)], hasEvents: true, isTimed: false)
    ]
    facts.readable = [AttributeID(aid: 2, iid: 9), AttributeID(aid: 3, iid: 9)]
    facts.forbidden = [AttributeID(aid: 3, iid: 9), AttributeID(aid: 3, iid: 10)]
    for iid in 10...120 { facts.forbidden.insert(AttributeID(aid: 2, iid: UInt64(iid))) }
    return facts
  }

  static let all: [(FuzzArea, FuzzState)] = [
    (.tlv, .found), (.tlv, .unpaired), (.tlv, .paired), (.http, .found), (.http, .paired), (.json, .paired),
    (.frame, .paired),
  ]

  static func messages(_ area: FuzzArea, _ state: FuzzState, seed: UInt64, rounds: Int) -> [FuzzMessage] {
    var stream = FuzzStream(area, seed: seed, facts: facts(state))
    return (0..<rounds).flatMap { _ in stream.round() }
  }

  @Test("Equal seeds give equal messages, and different seeds give different ones", arguments: all)
  func seeds(_ area: FuzzArea, _ state: FuzzState) {
    let once = Self.messages(area, state, seed: 7, rounds: 20)
    #expect(once == Self.messages(area, state, seed: 7, rounds: 20))
    #expect(once != Self.messages(area, state, seed: 8, rounds: 20))
  }

  @Test("A seed gives the same stream on each machine and in each version") func vector() {
    var chance = FuzzChance(seed: 1, label: "tlv")
    #expect((0..<4).map { _ in chance.below(1000) } == [11, 586, 151, 993])
  }

  @Test("Messages are bounded and are sent only in the state that allows them", arguments: all)
  func bounds(_ area: FuzzArea, _ state: FuzzState) {
    for message in Self.messages(area, state, seed: 3, rounds: 80) {
      #expect(message.bytes.count <= 3 * ByteMutator.limit)
      #expect((0...1).contains(message.connection))
      switch message.way {
      case .plain: break
      case .sealed, .around, .finish: #expect(state == .paired)
      case .proof, .exchange: #expect(state == .unpaired)
      }
    }
  }

  @Test("The number of sent proofs never exceeds the limit of wrong codes") func proofs() {
    let messages = Self.messages(.tlv, .unpaired, seed: 3, rounds: 300)
    #expect(messages.count { $0.way == .proof } == 3)
  }

  @Test("Each sealed M5 holds the tester's own key, so a resulting pairing can be removed") func ownKey() {
    let messages = Self.messages(.tlv, .unpaired, seed: 3, rounds: 120).filter { $0.way == .exchange }
    #expect(messages.count > 100)
    for message in messages {
      #expect(message.bytes.indices.contains { message.bytes[$0...].starts(with: Self.facts(.unpaired).publicKey) })
    }
  }

  @Test("The tester's own pairing is never removed") func removals() {
    for message in Self.messages(.tlv, .paired, seed: 3, rounds: 100) where message.request == "POST /pairings" {
      #expect(!message.bytes.indices.contains { message.bytes[$0...].starts(with: Self.facts(.paired).identifier) })
    }
  }

  @Test("Only harmless characteristics are written", arguments: [FuzzArea.json, .http, .frame])
  func writes(_ area: FuzzArea) {
    var written = 0
    let forbidden = Self.facts(.paired).forbidden
    for message in Self.messages(area, .paired, seed: 9, rounds: 200) {
      let text = message.wire
      guard let start = text.firstIndex(of: UInt8(ascii: "{")), let node = try? JSONNode.parse(Array(text[start...]))
      else { continue }
      for entry in node["characteristics"]?.elements ?? [] where entry["value"] != nil {
        written += 1
        guard let aid = entry["aid"]?.integerValue, let iid = entry["iid"]?.integerValue else { continue }
        #expect(!forbidden.contains { Int128($0.aid) == aid && Int128($0.iid) == iid })
      }
    }
    #expect(written > 20)
  }

  @Test(
    "A write of a forbidden characteristic is detected, whatever its spelling",
    arguments: [
      (#"{"aid":2,"iid":9,"value":1}"#, true), (#"{"aid":3,"iid":9,"value":1}"#, false),
      (#"{"aid":3,"iid":8,"value":1}"#, true), (#"{"iid":10,"aid":3}"#, false), (#"{"AID":3,"IID":10}"#, false),
      (#"{"aid" : "3", "iid" : "10"}"#, false), (#"{"aid":3,"iid":[10]}"#, false), (#"{"aid":3,"iid":0010}"#, false),
      (#"{"aid":3,"iid":1e1}"#, false), (#"{"aid":3,"iid":10.0}"#, false), (#"{"aid":3,"iid":4294967306}"#, false),
      (#"{"aid":259,"iid":266}"#, false), (#"{"iid":9}"#, false), (#"{"aid":2,"iid":9,"aid":3}"#, false),
      (#"{"aid":2,"iid":9,"value":10,"pid":3}"#, true), ("GET /characteristics?id=3.10 HTTP/1.1", true), ("", true),
    ])
  func harm(_ text: String, _ isHarmless: Bool) {
    #expect(Self.facts(.paired).isHarmless(Array(text.utf8)) == isHarmless)
  }

  @Test("A placeholder is replaced only if it is intact, also in fragments") func marks() {
    let right = [UInt8](repeating: 7, count: 384)
    let whole = TLV([.init(type: 6, value: [3]), .init(type: 3, value: FuzzMark.publicKey)]).encoded()
    let expected = TLV([.init(type: 6, value: [3]), .init(type: 3, value: right)]).encoded()
    #expect(FuzzMark.replace(FuzzMark.publicKey, of: 3, by: right, in: whole) == expected)
    var touched = whole
    touched[100] ^= 1
    #expect(FuzzMark.replace(FuzzMark.publicKey, of: 3, by: right, in: touched) == touched)
    #expect(FuzzMark.replace(FuzzMark.signature, of: 10, by: right, in: []) == [])
  }

  @Test("A valid request states its length, whatever its body") func wire() {
    let message = FuzzMessage(.sealed, [1, 2, 3], request: "POST /pairings")
    func text(_ message: FuzzMessage) -> String { String(decoding: message.wire, as: UTF8.self) }
    let head = "HTTP/1.1\r\nHost: haptest.local\r\n"
    #expect(
      text(message)
        == "POST /pairings \(head)Content-Type: application/pairing+tlv8\r\nContent-Length: 3\r\n\r\n\u{1}\u{2}\u{3}")
    #expect(
      text(FuzzMessage(.plain, [], request: "PUT /prepare"))
        == "PUT /prepare \(head)Content-Type: application/hap+json\r\nContent-Length: 0\r\n\r\n")
    #expect(text(FuzzMessage(.plain, [], request: "GET /x?id=1.1")) == "GET /x?id=1.1 \(head)\r\n")
    #expect(FuzzMessage(.plain, [9]).wire == [9])
  }
}
