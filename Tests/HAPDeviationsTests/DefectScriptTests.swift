import HAPIP
import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Defects in effect") struct DefectScriptTests {
  private let lamp = Lamp()
  private let read = request("GET /characteristics?id=1.9")

  private func script(_ rules: String) -> DefectScript { DefectScript(defect(rules)) }

  private func texts(_ sendings: [DefectScript.Sending]) -> [String] {
    sendings.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// An unchanged request and its answer.
  private func exchange(_ script: DefectScript, _ request: PlainMessage, _ answer: PlainMessage) -> [String] {
    let outcome = script.request(facts(.request, request), lamp)
    #expect(outcome.requests == nil && outcome.answers.isEmpty)
    return texts(script.message(answer.bytes, key: nil, facts(.answer, answer, to: request), lamp).sendings)
  }

  @Test("Messages that match no rule stay unchanged")
  func untouched() {
    let script = self.script("rules: [{ when: { answer: PUT * }, status: 500 }]")
    let answer = answer(200, #"{"characteristics":[]}"#)
    #expect(exchange(script, read, answer) == [String(decoding: answer.bytes, as: UTF8.self)])
  }

  @Test("An answer's status, fields, head and body are changed, and its length is updated")
  func answers() {
    let script = self.script(
      """
      rules:
        - when: { answer: GET /characteristics }
          status: 207
          headers: { Content-Type: text/plain, X-Odd: 1 }
          json: [{ set: "/characteristics/0/status", to: 0 }]
          text: [{ replace: '"status"', with: '"state"' }]
          head: [{ replace: X-Odd, with: x-odd }]
          behind: "!"
      """)
    #expect(
      exchange(script, read, answer(200, #"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#)) == [
        "HTTP/1.1 207 Multi-Status\r\nContent-Type: text/plain\r\nContent-Length: 59\r\nx-odd: 1\r\n\r\n"
          + #"{"characteristics":[{"aid":1,"iid":9,"value":1,"state":0}]}!"#
      ])
  }

  @Test("A request is changed, dropped, answered by the rule, or executed with others around it")
  func requests() throws {
    var outcome = script("rules: [{ when: { request: GET * }, target: /accessories }]").request(
      facts(.request, read), lamp)
    #expect(
      outcome.requests.map { String(decoding: $0, as: UTF8.self) } == "GET /accessories HTTP/1.1\r\nHost: lamp\r\n\r\n")
    outcome = script("rules: [{ when: { request: GET * }, drop: true }]").request(facts(.request, read), lamp)
    #expect(outcome.requests == [] && outcome.answers.isEmpty)
    outcome = script("rules: [{ when: { request: GET * }, answer: { status: 200, body: values } }]").request(
      facts(.request, read), lamp)
    #expect(outcome.requests == [])
    #expect(texts(outcome.answers)[0].hasSuffix(#"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#))

    let around = script(
      "rules: [{ when: { request: GET * }, first: [{ method: PUT, target: /x, body: hm }], then: [{ method: GET, target: /y }] }]"
    )
    outcome = around.request(facts(.request, read), lamp)
    let text = String(decoding: try #require(outcome.requests), as: UTF8.self)
    #expect(
      text.hasPrefix(
        "PUT /x HTTP/1.1\r\nHost: hapsim\r\nContent-Length: 2\r\n\r\nhmGET /characteristics?id=1.9 HTTP/1.1"))
    // The controller gets one answer: that to its own request.
    let answers = ["first", "own", "then"].map { answer(200, "\"\($0)\"") }
    let heard = answers.map {
      around.message($0.bytes, key: nil, facts(.answer, $0, to: around.awaitedRequest(on: 1)), lamp).sendings.count
    }
    #expect(heard == [0, 1, 0])
  }

  @Test("A request is remembered and executed again: the latest one, or this controller's latest")
  func remembering() throws {
    let script = self.script(
      """
      rules:
        - when: { request: PUT * }
          remember: write
        - when: { request: GET * }
          first: [{ remembered: write, per: controller }]
      """)
    for (controller, path) in [("A", "/1"), ("A", "/2"), ("B", "/3")] {
      _ = script.request(facts(.request, request("PUT \(path)"), on: connection(controller: controller)), lamp)
    }
    let outcome = script.request(facts(.request, read, on: connection(9, controller: "A")), lamp)
    #expect(String(decoding: try #require(outcome.requests), as: UTF8.self).hasPrefix("PUT /2 "))
    #expect(script.request(facts(.request, read, on: connection(8, controller: "C")), lamp).requests == nil)
  }

  @Test("Events are sent before, after or inside an answer, with the present value or another")
  func events() {
    func sent(_ event: String) -> [String] {
      exchange(script("rules: [{ when: { answer: GET * }, event: \(event) }]"), read, answer(204))
    }
    let event = "EVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 49\r\n\r\n"
    #expect(
      sent("{ of: asked, at: before }") == [
        event + #"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#, "HTTP/1.1 204 No Content\r\n\r\n",
      ])
    #expect(sent("{ of: On, at: inside, value: 0 }").count == 1)
    #expect(sent("{ of: On, at: inside, value: 0 }")[0].contains("EVENT/1.0"))
    #expect(sent("{ of: Brightness, at: before }").count == 1)
    let all = script("rules: [{ when: { answer: GET * }, event: { of: all, aid: 7 } }]")
    _ = all.request(facts(.request, read), lamp)
    let outcome = all.message(answer(204).bytes, key: nil, facts(.answer, answer(204), to: read), lamp)
    #expect(texts(outcome.effects.events)[0].contains(#""aid":7,"iid":9"#))
  }

  @Test(
    "A message is padded to the exact number of bytes, whatever the digits of its length",
    arguments: Array(150...1200))
  func sizes(_ size: Int) throws {
    let script = self.script("rules: [{ when: { answer: GET * }, size: \(size) }]")
    let sent = exchange(script, read, answer(200, #"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#))[0]
    #expect(sent.utf8.count == size)
    let message = try #require(PlainMessage(answer: utf8(sent)))
    #expect(message.json?["characteristics"]?.elements?.count == 1)
    #expect(message.body.count == size - PlainMessage.headCount(of: utf8(sent)) - 4)
  }

  @Test("A longer message and a message without a length stay unchanged")
  func sizesThatAreTooSmall() {
    let long = answer(200, #"{"characteristics":[]}"#)
    #expect(
      exchange(script("rules: [{ when: { answer: GET * }, size: 50 }]"), read, long)
        == [String(decoding: long.bytes, as: UTF8.self)])
    #expect(
      exchange(script("rules: [{ when: { answer: GET * }, size: 500 }]"), read, answer(204))
        == ["HTTP/1.1 204 No Content\r\n\r\n"])
  }

  @Test("A chunked answer stays chunked, whatever other rules change")
  func chunksStay() {
    let script = self.script(
      """
      rules:
        - { when: { answer: GET * }, chunked: true }
        - { when: { answer: GET * }, json: [{ set: /x, to: 1 }] }
      """)
    let sent = exchange(script, read, answer(200, "{}"))[0]
    #expect(sent.contains("Transfer-Encoding: chunked") && sent.hasSuffix("0\r\n\r\n"))
  }

  @Test("A timer sends events to subscribed connections, or to all")
  func beats() {
    let pause = Duration.milliseconds(20)
    func sent(_ event: String, on id: UInt64) -> [String] {
      let script = self.script("rules: [{ when: { every: 20ms, secured: true }, event: \(event) }]")
      #expect(script.defect.beats == [pause])
      return texts(script.bytes(facts(.beat(every: pause), on: connection(id)), lamp).effects.events)
    }
    #expect(sent("{ of: On, subscribed: true }", on: 1).count == 1)
    #expect(sent("{ of: On, subscribed: true }", on: 2).isEmpty)
    #expect(sent("{ of: On }", on: 2)[0].hasSuffix(#"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#))
    #expect(defect("idle: 1s").beats.isEmpty)
  }

  @Test("An event without remaining entries isn't sent")
  func emptyEvents() {
    let script = self.script("rules: [{ when: { event: \"*\" }, json: [{ remove: \"/characteristics/*\" }] }]")
    let event = event(#"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#)
    #expect(script.message(event.bytes, key: nil, facts(.event, event), lamp).sendings.isEmpty)
  }

  @Test("Answers are replayed, repeated, delayed and chunked")
  func manners() {
    let replay = script("rules: [{ when: { answer: GET * }, replay: true }]")
    #expect(exchange(replay, read, answer(200, "1"))[0].hasSuffix("\r\n1"))
    #expect(exchange(replay, read, answer(200, "2"))[0].hasSuffix("\r\n1"))
    #expect(exchange(script("rules: [{ when: { answer: \"*\" }, twice: true }]"), read, answer(204)).count == 2)
    #expect(exchange(script("rules: [{ when: { answer: \"*\" }, drop: true }]"), read, answer(204)).isEmpty)
    let chunked = exchange(script("rules: [{ when: { answer: \"*\" }, chunked: true }]"), read, answer(200, "1234"))[0]
    #expect(chunked.contains("Transfer-Encoding: chunked") && chunked.hasSuffix("2\r\n12\r\n2\r\n34\r\n0\r\n\r\n"))
    let late = script("rules: [{ when: { answer: \"*\" }, delay: 3s, overtaken: true }]")
    _ = late.request(facts(.request, read), lamp)
    let sending = late.message(answer(204).bytes, key: nil, facts(.answer, answer(204), to: read), lamp).sendings[0]
    #expect(sending.delay == .seconds(3) && sending.isOvertaken)
  }

  @Test("Actions of the accessory are suppressed until the connection's next request")
  func suppression() {
    let script = self.script("rules: [{ when: { request: PUT * }, suppress: [close, store] }]")
    _ = script.request(facts(.request, request("PUT /pairings")), lamp)
    #expect(script.isSuppressed(.close) && script.isSuppressed(.store) && !script.isSuppressed(.advertise))
    _ = script.request(facts(.request, read, on: connection(2)), lamp)
    #expect(script.isSuppressed(.close))
    _ = script.request(facts(.request, read), lamp)
    #expect(!script.isSuppressed(.close))
  }

  @Test("A rule applies the values of the request, or values of a type")
  func application() {
    let write = request(
      "PUT /characteristics", body: #"{"characteristics":[{"aid":1,"iid":9,"value":7},{"iid":3,"value":1}]}"#)
    let asked = script("rules: [{ when: { request: PUT * }, apply: asked }]").request(facts(.request, write), lamp)
      .effects.values
    #expect(asked.map { "\($0.id)" } == ["1.9"] && asked[0].value.integerValue == 7)
    let types = script("rules: [{ when: { request: PUT * }, apply: { On: 0 } }]").request(facts(.request, write), lamp)
      .effects.values
    #expect(types.map { "\($0.id)" } == ["1.9"])
  }

  @Test("A frame's sealing is altered from a frame number on, once, or for matching messages")
  func sealing() {
    let script = self.script("sealing: { after: 3, counter: repeat }")
    func counter(_ frames: UInt64) -> Bool {
      var facts = facts(.answer, answer(204), to: read)
      facts.sealedFrames = frames
      return script.message(answer(204).bytes, key: nil, facts, lamp).sendings[0].frames.counter == .repeat
    }
    #expect([0, 2, 3, 4].map { counter($0) } == [false, false, true, false])
  }

  @Test("Bytes and broken frames are answered, dropped or accepted")
  func noMessages() {
    let script = self.script(
      """
      rules:
        - when: { bytes: "GET *", secured: true }
          drop: true
          answer: { status: 200, body: accessories }
        - when: { broken-frame: tag }
          frame: recount
          close: others
      """)
    let bytes = script.bytes(facts(.bytes, bytes: "GET / HTTP/1.1"), lamp)
    #expect(bytes.drops && texts(bytes.answers)[0].hasSuffix("{\"accessories\":[]}"))
    let broken = script.bytes(facts(.badTag), lamp)
    #expect(broken.fate == .recount(16) && broken.effects.closing == .others)
    #expect(script.bytes(facts(.tooLong), lamp).fate == .close)
  }

  @Test("A restart clears connections and their remembered messages")
  func restart() {
    let script = self.script(
      "rules: [{ when: { request: PUT * }, suppress: [close] }, { when: { request: GET *, nth: 2 }, drop: true }]")
    _ = script.request(facts(.request, request("PUT /x")), lamp)
    _ = script.request(facts(.request, read), lamp)
    script.restarted()
    #expect(!script.isSuppressed(.close))
    #expect(script.request(facts(.request, read), lamp).requests == nil)
  }
}
