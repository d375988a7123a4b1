import HAPWire
import Testing
@testable import HAPWeb

/// Uses real sockets on loopback.
@Suite("Connections of clients") struct WebConnectionTests {
  private static let ask = "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private static func big(_ count: Int) -> WebAnswer {
    WebAnswer(200, contentType: "text/plain", body: Array(repeating: 0x78, count: count))
  }

  private static func following(_ place: EventStreamStart.Place) -> WebAnswer {
    var answer = WebAnswer(200, contentType: "text/event-stream")
    answer.stream = EventStreamStart(place)
    return answer
  }

  private static func trouble(_ text: String) -> Note { Note(text: text) }

  // MARK: Requests

  @Test("A request without access is refused after its head, without its body")
  func stranger() async throws {
    try await listening { served in
      for host in ["evil.example", "127.0.0.1.evil.example"] {
        let client = try await served.client()
        client.send("PUT /v1 HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 4000000\r\nExpect: 100-continue\r\n\r\n")
        #expect(await client.until("foreign-host").hasPrefix("HTTP/1.1 403"))
      }
      let proxied = try await served.client()
      proxied.send("GET http://evil.example/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await proxied.until("foreign-host").hasPrefix("HTTP/1.1 403"))
    }
    try await listening(token: "open-sesame") { served in
      let client = try await served.client()
      client.send("POST /v1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n")
      #expect(await client.until("no-token").hasPrefix("HTTP/1.1 401"))
    }
  }

  @Test("An accepted request gets 100 Continue exactly once") func goOn() async throws {
    try await listening { served in
      let client = try await served.client()
      client.send("PUT /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
      await client.until("100 Continue")
      client.send("12")
      client.send("34")
      let said = await client.until("204")
      #expect(said.ranges(of: "100 Continue").count == 1)
    }
  }

  @Test("A refusal of a HEAD request has no body") func head() async throws {
    try await listening { served in
      let client = try await served.client()
      client.send("HEAD /v1 HTTP/1.1\r\nHost: evil.example\r\n\r\n")
      let said = String(decoding: await client.untilEnd(), as: UTF8.self)
      #expect(said.hasPrefix("HTTP/1.1 403") && said.hasSuffix("\r\n\r\n"))
    }
  }

  @Test("After the last answer, further input is discarded") func flood() async throws {
    try await listening { served in
      let client = try await served.client()
      client.send("nonsense\r\n\r\n")
      let flood = [UInt8](repeating: 0x78, count: 1 << 20)
      for _ in 0..<16 { client.send(flood) }
      let said = await client.until("bad-request")
      #expect(said.hasPrefix("HTTP/1.1 400"))
      for _ in 0..<16 { client.send(flood) }
      let kept = try await served.onLoop { served.listener.connections.map { $0.incoming.capacity }.max() ?? 0 }
      #expect(kept <= 1 << 17, "\(kept) bytes")
    }
  }

  // MARK: Answers

  @Test(
    "A long answer arrives complete, even with Connection: close and after the client's FIN",
    arguments: [true, false])
  func whole(_ closes: Bool) async throws {
    var times = WebTimes()
    times.lingering = .milliseconds(1)
    try await listening(times, respond: { _ in Self.big(20_000_000) }) { served in
      let client = try await served.client()
      client.send("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\(closes ? "Connection: close\r\n" : "")\r\n")
      client.finish()
      let answer = await client.untilEnd()
      #expect(answer.count > 20_000_000 && answer.last == 0x78)
    }
  }

  @Test("A client that doesn't read its answer is disconnected", arguments: ["", "Connection: close\r\n"])
  func unread(_ field: String) async throws {
    var times = WebTimes()
    times.answer = .milliseconds(20)
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    let respond = { @Sendable (_: WebRequest) in
      ask.yield()
      return Self.big(20_000_000)
    }
    try await listening(times, respond: respond) { served in
      let client = try await served.client()
      client.send("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n" + Self.ask)
      for await _ in asked { break }
      while try await served.connectionCount() > 0 { try Task.checkCancellation() }
    }
  }

  @Test("At the limit, a connection without a complete request is evicted; one with a pending answer is not")
  func places() async throws {
    try await listening(respond: { _ in Self.big(20_000_000) }) { served in
      let owed = try await served.client()
      owed.send(Self.ask)
      await owed.until(1000)
      var others: [RawClient] = []
      for _ in 0..<WebListener.mostConnections {
        let client = try await served.client()
        client.send("GET /v1 HTTP/1.1\r\nHost: lo")
        others.append(client)
      }
      let last = try await served.client()
      last.send(Self.ask)
      await last.until(1000)
      #expect(await owed.until(20_000_000) >= 20_000_000)
    }
  }

  @Test("[CN.18] Clients without a complete request never block a client with one") func silentClients() async throws {
    try await listening { served in
      let count = WebListener.mostConnections + 20
      var silent: [RawClient] = []
      for number in 0..<count {
        let client = try await served.client()
        if number % 2 == 0 { client.send("GET /v1 HTTP/1.1\r\nHost: lo") }
        silent.append(client)
      }
      let last = try await served.client()
      last.send(Self.ask)
      #expect(await last.until("\r\n\r\n").hasPrefix("HTTP/1.1 204"))
      #expect(try await served.connectionCount() == count + 1)
    }
  }

  @Test("[CN.20] Requests with incomplete bodies never block a complete one, from new or known clients")
  func halfBodies() async throws {
    let half =
      "PUT /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000\r\nExpect: 100-continue\r\n\r\n"
      + String(repeating: "x", count: 3000)
    for isKnown in [false, true] {
      try await listening { served in
        var clients: [RawClient] = []
        for _ in 0..<WebListener.mostConnections + (isKnown ? 0 : 20) {
          let client = try await served.client()
          if isKnown {
            client.send(Self.ask)
            await client.until("204")
          }
          client.send(half)
          await client.until("100 Continue")
          clients.append(client)
        }
        let last = try await served.client()
        last.send(Self.ask)
        #expect(await last.until("\r\n\r\n").hasPrefix("HTTP/1.1 204"))
        #expect(try await served.connectionCount() == WebListener.mostConnections)
      }
    }
  }

  @Test("A first request with a long body is answered") func longBody() async throws {
    try await listening { served in
      let client = try await served.client()
      client.send("PUT /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
      client.send([UInt8](repeating: 0x78, count: 1_000_000))
      #expect(await client.until("\r\n\r\n").hasPrefix("HTTP/1.1 204"))
    }
  }

  // MARK: Events

  @Test("A client that resumes a long journal gets all of it, in pieces, and then new events")
  func backlog() async throws {
    try await listening(respond: { _ in Self.following(.behind(0)) }) { served in
      let text = String(repeating: "x", count: 3000)
      try await served.onLoop { for _ in 0..<2000 { served.journal.append(Self.trouble(text), now: .zero) } }
      let client = try await served.client()
      client.send(Self.ask)
      await client.until("id: here-2000\n")
      try await served.onLoop { served.journal.append(Self.trouble("more"), now: .zero) }
      let said = await client.until("id: here-2001\n")
      #expect(said.ranges(of: "event: trouble").count == 2001 && !said.contains("event: lost"))
    }
  }

  @Test("A slow reader is notified of lost events, and stays connected") func slow() async throws {
    try await listening(respond: { _ in Self.following(.now) }) { served in
      let client = try await served.client()
      client.send(Self.ask)
      await client.until("id: here-0\n")
      let text = String(repeating: "x", count: 30_000)
      try await served.onLoop { for _ in 0..<100 { served.journal.append(Self.trouble(text), now: .zero) } }
      // Bytes in the socket buffers still arrive; the journal drops the rest.
      for round in 1...20 {
        try await served.onLoop {
          for _ in 0..<100 { served.journal.append(Self.trouble("\(round)" + text), now: .zero) }
        }
      }
      let said = await client.until("id: here-2100\n")
      #expect(said.contains("event: lost\ndata: {\"after\":"))
      #expect(try await served.connectionCount() == 1)
    }
  }

  @Test("A client that reads nothing is disconnected") func deaf() async throws {
    var times = WebTimes()
    times.sign = .milliseconds(5)
    times.waitingSigns = 2
    try await listening(times, respond: { _ in Self.following(.now) }) { served in
      let client = try await served.client()
      client.send(Self.ask)
      await client.until("id: here-0\n")
      let text = String(repeating: "x", count: 4_000_000)
      while try await served.connectionCount() == 1 {
        try Task.checkCancellation()
        try await served.onLoop { served.journal.append(Self.trouble(text), now: .zero) }
      }
    }
  }

  @Test("A number from another process's journal is ignored: all known events are sent, after a report of loss")
  func elsewhere() async throws {
    for place in [EventStreamStart.Place.elsewhere, .behind(50)] {
      try await listening(respond: { _ in Self.following(place) }) { served in
        try await served.onLoop { for _ in 0..<3 { served.journal.append(Self.trouble("x"), now: .zero) } }
        let client = try await served.client()
        client.send(Self.ask)
        let said = await client.until("id: here-3\n")
        #expect(said.contains("event: lost") && said.ranges(of: "event: trouble").count == 3)
      }
    }
  }
}
