import HAPLoop
import HAPReport
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation

@Suite("Recognition of accessories") struct RecognitionTests {
  /// Runs no case, against a peer that gives each connection one answer. Returns the error that ends the run before its
  /// first case.
  private func refusal(isDeclared: Bool = false, _ answer: @escaping @Sendable (String) -> String) async throws
    -> String?
  {
    var tiny = TinyRun(TinyCase.text("AA-01", steps: "send: { path: / }"))
    tiny.answerLimit = .milliseconds(500)
    tiny.isDeclared = isDeclared
    return try await withLoop { [tiny] loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        peer.onBytes = { peer, number, heard in
          let text = answer(String(decoding: heard, as: UTF8.self))
          if text == Self.close { peer.streams[number].closeAfterWriting() }
          if text != Self.close, !text.isEmpty { peer.say(text, on: number) }
        }
        do throws(Runner.Unreachable) {
          _ = try await tiny.look(at: peer.address, on: loop)
          return nil
        } catch { return error.message.replacing("\(peer.address)", with: "ADDRESS") }
      }
    }
  }

  /// An answer that ends the connection.
  private static let close = "close"
  private static let page = "HTTP/1.0 404 Not Found\r\nServer: pages/1\r\nContent-Length: 2\r\n\r\nno"

  @Test("A web server is not an accessory, and its first answer is in the message") func webServer() async throws {
    #expect(
      try await refusal { _ in Self.page }
        == "no HAP accessory answers at ADDRESS. GET /accessories: HTTP/1.0 404 Not Found, Server: pages/1")
  }

  @Test("A target that a record or a ready line declares an accessory is tested, whatever it answers") func declared()
    async throws
  {
    #expect(try await refusal(isDeclared: true) { _ in Self.page } == nil)
  }

  @Test("Silence and a close are not answers: the message says so and suggests what to do", arguments: [true, false])
  func noAnswers(_ closes: Bool) async throws {
    let what = closes ? "the connection was closed" : "no answer within 500ms"
    #expect(
      try await refusal { _ in closes ? Self.close : "" }
        == "nothing answers at ADDRESS. GET /accessories: \(what); POST /pair-verify: \(what). "
        + "If an accessory is there, restart it, or use --txt sf=1 to skip this check")
    #expect(try await refusal(isDeclared: true) { _ in closes ? Self.close : "" } == nil)
  }

  @Test("A single answer without a sign of HAP means another server, even if the other probe gets no answer")
  func oneAnswer() async throws {
    let message = try await refusal { $0.contains("/pair-verify") ? Self.page : "" }
    #expect(message?.hasPrefix("no HAP accessory answers at ADDRESS. POST /pair-verify: HTTP/1.0 404") == true)
  }

  @Test(
    "A single sign of HAP in any answer is enough to test a broken accessory",
    arguments: [
      "HTTP/1.1 470 Refused\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 500 No\r\nContent-Type: application/hap+json\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{\"accessories\": []}",
      "HTTP/1.1 400 No\r\nContent-Length: 3\r\n\r\n\u{6}\u{1}\u{2}",
      "HTTP/1.1 400 No\r\nContent-Length: 19\r\n\r\n{\"status\": -70401 }",
    ])
  func oneSign(_ sign: String) async throws {
    #expect(try await refusal { $0.contains("/pair-verify") ? sign : Self.page } == nil)
    #expect(try await refusal { $0.contains("/accessories") ? sign : Self.page } == nil)
  }

  @Test(
    "A feature that only HAP has is a sign of HAP",
    arguments: [
      "HTTP/2.0 470 Nope", "EVENT/1.0 200 OK\r\ngarbage", "content-type: application/HAP+JSON",
      "application/pairing+tlv8",
    ])
  func brokenAnswers(_ text: String) {
    #expect(Arrival.garbage(reason: "no HTTP", bytes: Array(text.utf8), time: .zero).hasSignOfHAP)
  }

  @Test(
    "Other servers show no sign of HAP, and their answer is shortened in the message",
    arguments: [
      ("SSH-2.0-OpenSSH_9.2p1\r\n", "\"SSH-2.0-OpenSSH_9.2p1\", which isn't HTTP"),
      ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}F", "bytes 15030300020246, which aren't HTTP"),
    ])
  func others(_ text: String, _ brief: String) {
    let arrival = Arrival.garbage(reason: "no HTTP", bytes: Array(text.utf8), time: .zero)
    #expect(!arrival.hasSignOfHAP && arrival.brief == brief)
    #expect(!Arrival.silence(.seconds(4)).hasSignOfHAP && !Arrival.closed(reset: true, time: .zero).hasSignOfHAP)
  }
}
