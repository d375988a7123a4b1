import HAPIP
import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Conditions of rules") struct ConditionTests {
  private static let read = request("GET /characteristics?id=1.9,1.3&ev=1")
  private static let write = request(
    "PUT /characteristics", body: #"{"characteristics":[{"aid":1,"iid":9,"ev":true}]}"#)

  private func condition(_ text: String) -> MessageCondition {
    defect("rules: [{ when: \(text), drop: true }]").rules[0].condition
  }

  @Test(
    "A request matches by method, path, query, ids, head and body",
    arguments: [
      ("{ request: GET /characteristics }", true), ("{ request: \"*\" }", true), ("{ request: \"* /char*\" }", true),
      ("{ request: PUT /characteristics }", false), ("{ request: GET /accessories }", false),
      ("{ answer: \"*\" }", false),
      ("{ request: \"*\", query: { ev: \"1\" } }", true), ("{ request: \"*\", query: { ev: \"2\" } }", false),
      ("{ request: \"*\", query: { meta: null } }", true), ("{ request: \"*\", query: { ev: null } }", false),
      ("{ request: \"*\", ids: 2 }", true), ("{ request: \"*\", ids: \"3+\" }", false),
      ("{ request: \"*\", head: \"*Host: lamp*\" }", true), ("{ request: \"*\", head: \"*host: lamp*\" }", false),
      ("{ request: \"*\", secured: true, admin: true, paired: true }", true),
      ("{ request: \"*\", secured: false }", false),
      ("{ request: \"*\", controller: { nth: 1 } }", true), ("{ request: \"*\", controller: { new: true } }", false),
      ("{ request: \"*\", frames: \"2+\" }", false), ("{ request: \"*\", reads: 1 }", true),
      ("{ request: \"*\", while: { secured: true } }", true),
      ("{ request: \"*\", while: { subscribed: true } }", false),
      ("{ request: \"*\", while: { count: 2 } }", true), ("{ request: \"*\", restarted: 9s }", false),
      ("{ request: \"*\", pipelined: true }", false), ("{ request: \"*\", idle: 1s }", false),
      ("{ request: \"*\", m3: good }", false), ("{ request: \"*\", offline: false }", true),
      ("{ request: \"*\", at: 127.0.0.9 }", false),
    ])
  func requests(_ text: String, _ fits: Bool) {
    #expect(condition(text).fits(facts(.request, Self.read, others: [connection(2)])) == fits)
  }

  @Test(
    "An answer matches by its own members and by its request",
    arguments: [
      ("{ answer: PUT /characteristics, status: 207 }", true), ("{ answer: \"*\", status: [200, 204] }", false),
      ("{ answer: \"*\", where: [\"/characteristics/0[status<0]\"] }", true),
      ("{ answer: \"*\", where: [\"!/characteristics/0\"] }", false),
      ("{ answer: \"*\", asked: [\"/characteristics/*[type=On]\"] }", true),
      ("{ answer: \"*\", asked: [\"/characteristics/*[type=Name]\"] }", false),
      ("{ answer: \"*\", body: '*\"ev\":true*' }", true), ("{ answer: nothing }", false),
      ("{ answer: \"*\", tlv: { state: 2 } }", false),
    ])
  func answers(_ text: String, _ fits: Bool) {
    let answer = answer(207, #"{"characteristics":[{"aid":1,"iid":9,"status":-70406}]}"#)
    #expect(condition(text).fits(facts(.answer, answer, to: Self.write)) == fits)
  }

  @Test("An answer without a request matches only \"nothing\"")
  func answersToNothing() {
    #expect(condition("{ answer: nothing, status: 400 }").fits(facts(.answer, answer(400))))
    #expect(condition("{ answer: \"-\" }").fits(facts(.answer, answer(400))))
    #expect(!condition("{ answer: \"*\" }").fits(facts(.answer, answer(400))))
  }

  @Test(
    "Items of a pairing message are checked",
    arguments: [
      ("{ state: 3 }", true), ("{ state: 1 }", false), ("{ proof: present }", true), ("{ error: null }", true),
      ("{ proof: null }", false),
      ("{ proof: { length: 2 } }", true), ("{ proof: { length: \"-1\" } }", false),
      ("{ proof: { starts: \"0x00\" } }", true),
      ("{ proof: \"0x0001\" }", true), ("{ identifier: A }", false),
    ])
  func items(_ items: String, _ fits: Bool) {
    var message = request("POST /pair-setup")
    message.replaceBody(TLV([.init(type: 6, value: [3]), .init(type: 4, value: [0, 1])]).encoded())
    #expect(condition("{ request: POST /pair-setup, tlv: \(items) }").fits(facts(.request, message)) == fits)
  }

  @Test("Bytes, ends, broken frames, timer beats and events are separate kinds")
  func kinds() {
    #expect(condition("{ bytes: \"GET *\" }").fits(facts(.bytes, bytes: "GET / HTTP/1.1")))
    #expect(
      condition("{ bytes: \"POST *\", missing: 2 }").fits(
        facts(.bytes, bytes: "POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nab")))
    #expect(!condition("{ bytes: \"POST *\", missing: 2 }").fits(facts(.bytes, bytes: "POST /x HTTP/1.1\r\n\r\n")))
    #expect(condition("{ end: true }").fits(facts(.end)))
    #expect(condition("{ broken-frame: tag }").fits(facts(.badTag)))
    #expect(!condition("{ broken-frame: tag }").fits(facts(.tooLong)))
    var long = facts(.tooLong)
    long.frameLength = 1025
    #expect(condition("{ broken-frame: length, length: [1025, \"2000+\"] }").fits(long))
    #expect(condition("{ every: 20ms }").fits(facts(.beat(every: .milliseconds(20)))))
    #expect(!condition("{ every: 20ms }").fits(facts(.beat(every: .milliseconds(30)))))
    #expect(!condition("{ every: 20ms }").fits(facts(.end)))
    #expect(condition("{ event: \"*value*\" }").fits(facts(.event, event(#"{"characteristics":[{"value":1}]}"#))))
  }

  @Test("Messages are counted per connection, per controller or per accessory")
  func counts() {
    var memory = ConditionMemory()
    let second = condition("{ request: \"*\", nth: 2 }")
    let third = condition("{ request: \"*\", nth: 3, per: controller }")
    let fourth = condition("{ request: \"*\", nth: \"4+\", per: accessory }")
    var seen: [[Bool]] = []
    for id: UInt64 in [1, 2, 1, 2] {
      let facts = facts(.request, Self.read, on: connection(id))
      seen.append([memory.fits(second, facts), memory.fits(third, facts), memory.fits(fourth, facts)])
    }
    #expect(seen == [[false, false, false], [false, false, false], [true, true, false], [true, false, true]])
  }

  @Test("An earlier message is remembered within the time limit, and only as long as its connection")
  func earlier() {
    var memory = ConditionMemory()
    let after = condition("{ request: GET *, after: { request: PUT * }, within: 2s }")
    let elsewhere = condition("{ request: GET *, after: { request: PUT * }, per: accessory }")
    let never = condition("{ request: GET *, not-after: { request: PUT * } }")
    func pass(_ message: PlainMessage, _ id: UInt64, _ now: Duration) -> [Bool] {
      let facts = facts(.request, message, on: connection(id), at: now)
      let all = [after, elsewhere, never]
      let fits = all.map { memory.fits($0, facts) }
      for condition in all { memory.note(condition, facts) }
      return fits
    }
    #expect(pass(Self.read, 1, .seconds(1)) == [false, false, true])
    #expect(pass(Self.write, 1, .seconds(2)) == [false, false, false])
    #expect(pass(Self.read, 1, .seconds(4)) == [true, true, false])
    #expect(pass(Self.read, 1, .seconds(5)) == [false, true, false])
    #expect(pass(Self.read, 2, .seconds(5)) == [false, true, true])
    memory.forget(connection: 1)
    #expect(pass(Self.read, 1, .seconds(6)) == [false, true, true])
    #expect(memory.connections == [])
  }

  @Test("A random condition matches its share of the messages, reproducibly for a seed")
  func shares() {
    let often = condition("{ request: \"*\", random: 30% }")
    func draws(_ seed: UInt64) -> [Bool] {
      var memory = ConditionMemory(seed: seed)
      return (0..<1000).map { _ in memory.fits(often, facts(.request, Self.read)) }
    }
    let first = draws(1)
    #expect((250...350).contains(first.count { $0 }))
    #expect(draws(1) == first && draws(2) != first)
  }

  @Test("Only messages that match all other criteria use a random number")
  func sharesOfOthers() {
    let often = condition("{ request: \"*\", random: 30%, nth: 1, per: connection }")
    var memory = ConditionMemory(seed: 1)
    var other = ConditionMemory(seed: 1)
    let plain = (1...50).map { (id: UInt64) in memory.fits(often, facts(.request, Self.read, on: connection(id))) }
    let mixed = (1...50).map { (id: UInt64) in
      let fits = other.fits(often, facts(.request, Self.read, on: connection(id)))
      for _ in 0..<3 {
        let isLater = other.fits(often, facts(.request, Self.read, on: connection(id)))
        #expect(!isLater)
      }
      return fits
    }
    #expect(plain == mixed)
  }

  @Test("An abandoned Pair Setup is remembered within the time limit")
  func abandonedSetups() {
    let soon = condition("{ request: \"*\", abandoned-setup: 100ms }")
    var message = facts(.request, Self.read)
    #expect(!soon.fits(message))
    message.abandonedSetup = .milliseconds(100)
    #expect(soon.fits(message))
    message.abandonedSetup = .milliseconds(101)
    #expect(!soon.fits(message))
  }

  @Test("A mark is seen by conditions that ask for it")
  func marks() {
    var memory = ConditionMemory()
    let marked = condition("{ request: \"*\", after: { mark: broken }, per: accessory }")
    let before = memory.fits(marked, facts(.request, Self.read))
    memory.mark("broken", facts(.badTag, on: connection(7)))
    let behind = memory.fits(marked, facts(.request, Self.read))
    #expect(!before && behind)
  }
}
