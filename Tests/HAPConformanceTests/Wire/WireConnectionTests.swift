import HAPCrypto
import HAPLoop
import HAPPairing
import HAPSuite
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation

@Suite("A connection of the tester") struct WireConnectionTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}"
  private static let chunked =
    "HTTP/1.1 207 Multi-Status\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3\r\na\":\r\n2\r\n1}\r\n0\r\n\r\n"
  private static let event = "EVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}"
  private static let patience = Duration.seconds(20)

  /// The arrivals for this text, in order, up to the end of the connection.
  private func arrivals(of said: String, closing: Bool = true) async throws -> [Arrival] {
    try await withPeer { actor, connection, peer in
      peer.say(said)
      if closing { peer.streams[0].closeAfterWriting() }
      var arrivals: [Arrival] = []
      while true {
        let next = await connection.next(within: Self.patience)
        arrivals.append(next)
        guard case .message = next else { return arrivals }
      }
    }
  }

  private func message(_ arrival: Arrival?) throws -> WireMessage {
    guard case .message(let message) = arrival else { throw StepError(.text(""), "\(String(describing: arrival))") }
    return message
  }

  @Test("An answer arrives unchanged, chunked or not, at once or byte by byte", arguments: [0, 1], [false, true])
  func whole(_ which: Int, _ isByteWise: Bool) async throws {
    let text = [Self.answer, Self.chunked][which]
    let message = try await withPeer { actor, connection, peer in
      if isByteWise {
        for byte in text.utf8 {
          peer.say([byte])
          try await actor.loop.sleep(for: .milliseconds(1))
        }
      } else {
        peer.say(text)
      }
      return try self.message(await connection.next(within: Self.patience))
    }
    #expect(message.status == (which == 0 ? 200 : 207) && message.isChunked == (which == 1) && !message.isSealed)
    #expect(String(decoding: message.body, as: UTF8.self) == (which == 0 ? "{}" : #"{"a":1}"#))
    #expect(message.frames.isEmpty && !message.isEvent)
  }

  @Test("Concatenated answers arrive one by one, events are kept separately, and 1xx are skipped") func pipelined()
    async throws
  {
    let (answers, events) = try await withPeer { actor, connection, peer in
      peer.say(
        "HTTP/1.1 100 Continue\r\n\r\n" + Self.answer + Self.event + Self.chunked + Self.event
          + "HTTP/1.1 204 No Content\r\n\r\n")
      var answers: [WireMessage] = []
      for _ in 0..<3 { answers.append(try self.message(await connection.next(within: Self.patience))) }
      return (answers, connection.events)
    }
    #expect(answers.map(\.status) == [200, 207, 204] && events.count == 2 && events.allSatisfy(\.isEvent))
  }

  @Test("Thousands of tiny answers in one segment arrive as separate answers") func many() async throws {
    let count = try await withPeer { actor, connection, peer in
      peer.say(String(repeating: "HTTP/1.1 204\r\n\r\n", count: 4000))
      var count = 0
      while count < 4000, case .message = await connection.next(within: Self.patience) { count += 1 }
      return count
    }
    #expect(count == 4000)
  }

  @Test("A flood of events ends the connection; the events received before stay readable") func flood() async throws {
    let (arrival, events, isClosed) = try await withPeer { actor, connection, peer in
      peer.say(String(repeating: Self.event, count: WireConnection.queueLimit + 10_000))
      let arrival = await connection.next(within: Self.patience)
      return (arrival, connection.events.count, connection.isClosed)
    }
    guard case .garbage(let reason, _, _) = arrival else { return #expect(Bool(false), "\(arrival)") }
    #expect(reason == "too many unexpected messages" && isClosed)
    #expect(events > WireConnection.queueLimit && events < WireConnection.queueLimit + 5000)
  }

  private static let rubbish: [(said: String, reason: String)] = [
    ("hello\r\n\r\n", "not HTTP:"), ("HTTP/2 200 OK\r\n\r\n", "not HTTP:"), ("HTTP/1.1 20 OK\r\n\r\n", "not HTTP:"),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "not HTTP:"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "not HTTP:"),
    ("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 20_000), "not HTTP:"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc", "the connection ended inside a message"),
    ("HTTP/1.1 200 OK\r\nContent", "the connection ended inside a message"),
    ("HT", "the connection ended inside a message"),
  ]

  @Test("Malformed bytes are reported as garbage, with the reason and the bytes", arguments: rubbish.indices)
  func garbage(_ index: Int) async throws {
    let (said, expected) = Self.rubbish[index]
    guard case .garbage(let reason, let bytes, _) = try await arrivals(of: said).last else {
      return #expect(Bool(false), "\(said) is not garbage")
    }
    #expect(reason.hasPrefix(expected) && bytes == Array(said.utf8.prefix(4096)), "\(reason)")
  }

  @Test("Garbage after an answer doesn't affect the answer") func garbageBehind() async throws {
    let all = try await arrivals(of: Self.answer + "rubbish")
    #expect(all.count == 2 && (try? message(all[0]))?.status == 200)
    guard case .garbage("the connection ended inside a message", let bytes, _)? = all.last else {
      return #expect(Bool(false), "\(all)")
    }
    #expect(bytes == Array("rubbish".utf8))
  }

  @Test("A close or reset is final; a body without a length lasts until the close") func ends() async throws {
    guard case .closed(reset: false, _)? = try await arrivals(of: "").last else {
      return #expect(Bool(false), "no end")
    }
    let open = try await arrivals(of: "HTTP/1.0 200 OK\r\n\r\nall of it")
    #expect(try message(open.first).body == Array("all of it".utf8))
    guard case .closed(reset: false, _)? = open.last else { return #expect(Bool(false), "no end") }
    let (first, second) = try await withPeer { actor, connection, peer in
      peer.streams[0].reset()
      return (await connection.next(within: Self.patience), await connection.next(within: Self.patience))
    }
    guard case .closed(reset: true, _) = first else { return #expect(Bool(false), "\(first)") }
    #expect(first == second)
  }

  @Test("Endless answers are bounded: without a length, in chunks, and in their heads", arguments: 0..<3)
  func endless(_ which: Int) async throws {
    let starts = [
      "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nX: ",
    ]
    let arrival = try await withPeer { actor, connection, peer in
      peer.say(starts[which])
      let size = 65_536
      let piece = Array(repeating: UInt8(ascii: "x"), count: size)
      peer.sayWithoutEnd(which == 1 ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece)
      return await connection.next(within: Self.patience)
    }
    guard case .garbage(let reason, let bytes, _) = arrival else { return #expect(Bool(false), "\(arrival)") }
    #expect(reason.hasPrefix("not HTTP:") && bytes.count <= 4096, "\(reason)")
  }

  @Test("Silence is reported after the given time; events are found by a condition") func silence() async throws {
    try await withPeer { actor, connection, peer in
      #expect(await connection.next(within: .milliseconds(20)) == .silence(.milliseconds(20)))
      #expect(try await connection.event(within: .milliseconds(20)) { _ in true } == nil)
      #expect(await connection.silence(for: .milliseconds(20)) { _ in true } == nil)
      peer.say(Self.event)
      let event = try await connection.event(within: Self.patience) { $0.isEvent }
      #expect(event?.title == "EVENT/1.0 200 OK" && connection.events.isEmpty)
      peer.say(Self.event + Self.event.replacing("200 OK", with: "207 Other"))
      let later = try await connection.event(within: Self.patience) { $0.status == 207 }
      #expect(later != nil && connection.events.count == 1)
      let seen = await connection.silence(for: Self.patience) { _ in true }
      #expect(seen != nil)
      connection.forgetEvents()
      #expect(connection.events.isEmpty)
      peer.say(Self.event)
      do throws(StepError) {
        _ = try await connection.event(within: Self.patience) { _ throws(StepError) in throw StepError(.text(""), "no")
        }
        Issue.record("the condition's error is lost")
      } catch { #expect(error.message == "no") }
    }
  }

  @Test("A wait for an event finds it even if an earlier event is removed in the meantime") func taken() async throws {
    let status = try await withPeer { actor, connection, peer in
      peer.say(Self.event)
      let looks = LookCount()
      let task = Task {
        await actor.run { actor in
          (try? await connection.event(within: Self.patience) { event in
            looks.count += 1
            return event.status == 207
          })?.status
        }
      }
      try await wait(on: actor.loop) { looks.count > 0 }
      connection.forgetEvents()
      peer.say(Self.event.replacing("200 OK", with: "207 Other"))
      return await task.value
    }
    #expect(status == 207)
  }

  /// Confined to the loop's thread.
  private final class LookCount: @unchecked Sendable { var count = 0 }

  @Test("Empty lines before a chunked answer are not part of its head") func emptyLines() async throws {
    let message = try await withPeer { actor, connection, peer in
      peer.say("\r\n\r\n" + Self.chunked)
      return try self.message(await connection.next(within: Self.patience))
    }
    #expect(message.title == "HTTP/1.1 207 Multi-Status" && message.field("transfer-encoding") == "chunked")
    #expect(message.bytes.suffix(11).elementsEqual("\r\n\r\n{\"a\":1}".utf8))
  }

  @Test("Two simultaneous requests for a named connection get the same one, and the spare one is closed") func twice()
    async throws
  {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        let device = TestedAccessory(on: loop, addresses: [peer.address], code: nil, random: .seeded(1))
        let run = CaseRun(
          PairingManager.definition, on: device, world: CaseWorld(), recorder: Recorder(on: loop, start: device.start),
          expectations: NamedExpectations(),
          random: .seeded(2))
        async let first = run.connection("main")
        async let second = run.connection("main")
        #expect(try await first === second)
        // The peer accepts a connection, and notices its end, a moment later.
        try await wait(on: loop) { peer.streams.count == 2 }
        await run.close()
        try await wait(on: loop) { peer.endCount == 2 }
      }
    }
  }

  @Test(
    "A refused restore of former values is a failure",
    arguments: [
      ("HTTP/1.1 204 No Content\r\n\r\n", nil), ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"status\":0}", nil),
      ("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"status\":-70410}", "w: HTTP/1.1 200 OK, status -70410"),
      (
        "HTTP/1.1 207 Multi\r\nContent-Length: 68\r\n\r\n{\"characteristics\":[{\"aid\":1,\"iid\":2,\"status\":0},{\"status\":-70402}]}",
        "w: HTTP/1.1 207 Multi, status -70402"
      ), ("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n", "w: HTTP/1.1 400 Bad"),
    ])
  func refused(_ answer: String, _ problem: String?) async throws {
    let message = try await withPeer { actor, connection, peer in
      peer.say(answer)
      return try self.message(await connection.next(within: Self.patience))
    }
    var failure: String?
    do throws(CaseFailure) { try PairingManager.refuse(message, "w") } catch { failure = error.message }
    #expect(failure == problem)
  }

  @Test("A cancelled wait ends at once, but cancelling doesn't shorten the settling") func cancelled() async throws {
    try await withPeer { actor, connection, peer in
      peer.closesAtEnd = false
      let waits: [@Sendable (isolated LoopActor) async -> Bool] = [
        { actor in await connection.next(within: .seconds(3600)) == .silence(.seconds(3600)) },
        { actor in (try? await connection.event(within: .seconds(3600)) { _ in true }) == nil },
        { actor in await connection.silence(for: .seconds(3600)) { _ in true } == nil },
      ]
      for wait in waits {
        let task = Task { await actor.run(wait) }
        await Task.yield()
        task.cancel()
        #expect(await task.value)
      }
      let start = actor.loop.readClock()
      let task = Task { await actor.run { actor in await connection.settle(within: .milliseconds(50)) } }
      task.cancel()
      await task.value
      #expect(actor.loop.readClock() - start == 50_000_000 && connection.isClosed)
    }
  }

  @Test("Settling closes the connection, and ends when the peer has closed, too") func settle() async throws {
    let (ends, time) = try await withPeer { actor, connection, peer in
      let start = actor.loop.readClock()
      peer.say(Self.answer + Self.event)
      await connection.settle(within: Self.patience)
      return (peer.endCount, actor.loop.readClock() - start)
    }
    #expect(ends == 1 && time < 1_000_000_000)
  }

  @Test("A connection to a closed port is refused") func refused() async throws {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        let address = peer.address
        peer.close()
        let outcome = await WireConnection.connect(
          "main", to: address, within: Self.patience, recorder: Recorder(on: loop, start: 0), on: loop)
        guard case .refused = outcome else { return #expect(Bool(false), "\(outcome)") }
      }
    }
  }

  // MARK: Sessions

  private static let keys = SessionKeys(pairVerify: SecretBytes([UInt8](repeating: 7, count: 32)))

  /// Texts, sealed by the accessory.
  private func sealed(_ texts: String..., size: Int = 1024) -> [UInt8] {
    let accessory = AccessoryEnd(Self.keys)
    return texts.flatMap { accessory.seal(Array($0.utf8), size: size) }
  }

  @Test("In a session, messages and events are read from frames, and name their frames", arguments: [1, 7, 1024])
  func session(_ size: Int) async throws {
    let (message, event) = try await withPeer { actor, connection, peer in
      connection.secure(Self.keys)
      peer.say(self.sealed(Self.event, Self.answer, size: size))
      return (try self.message(await connection.next(within: Self.patience)), connection.events.first)
    }
    #expect(message.isSealed && message.body == Array("{}".utf8) && event?.isSealed == true)
    let count = Self.answer.utf8.count
    #expect(message.frames.count == (count + size - 1) / size && message.frames.reduce(0) { $0 + $1.count } == count)
    #expect(message.frames.map(\.counter).first == UInt64((Self.event.utf8.count + size - 1) / size))
  }

  @Test("Sealed bytes in the same segment as M4, or right after it, are kept for the session", arguments: 0..<4)
  func behindM4(_ which: Int) async throws {
    let sealedAnswer = sealed(Self.answer)
    let status = try await withPeer { actor, connection, peer in
      switch which {
      case 0: peer.say(Array(Self.answer.utf8) + sealedAnswer)
      // The first byte of a frame alone could also begin a message: the length is 72, an H.
      case 1: peer.say(Array(Self.answer.utf8) + self.sealed(Self.answer, size: 72).prefix(1))
      case 2: peer.say(Array(Self.answer.utf8) + sealedAnswer.prefix(10))
      default: peer.say(Self.answer)
      }
      let fourth = try self.message(await connection.next(within: Self.patience))
      #expect(!fourth.isSealed)
      connection.secure(Self.keys)
      switch which {
      case 0: break
      case 1: peer.say(Array(self.sealed(Self.answer, size: 72).dropFirst(1)))
      case 2: peer.say(Array(sealedAnswer.dropFirst(10)))
      default: peer.say(sealedAnswer)
      }
      return try self.message(await connection.next(within: Self.patience)).status
    }
    #expect(status == 200)
  }

  private static let badSessions = ["plain", "flipped", "out of order", "too long"]

  @Test("A malformed frame ends a session, with the reason; the messages before it count", arguments: badSessions)
  func badSession(_ which: String) async throws {
    let (first, second) = try await withPeer { actor, connection, peer in
      connection.secure(Self.keys)
      let accessory = AccessoryEnd(Self.keys)
      peer.say(accessory.seal(Array(Self.answer.utf8)))
      var next = accessory.seal(Array(Self.answer.utf8))
      switch which {
      case "plain": next = Array(Self.answer.utf8)
      case "flipped": next[20] ^= 1
      case "out of order": next = accessory.seal(Array(Self.answer.utf8))
      default: next = [1, 4] + next
      }
      peer.say(next)
      return (
        try self.message(await connection.next(within: Self.patience)), await connection.next(within: Self.patience)
      )
    }
    #expect(first.status == 200)
    guard case .garbage(let reason, let bytes, _) = second else { return #expect(Bool(false), "\(second)") }
    switch which {
    case "plain": #expect(reason.hasPrefix("a frame announces 21576 bytes") && bytes == Array(Self.answer.utf8))
    case "too long": #expect(reason == "a frame announces 1025 bytes; the maximum is 1024")
    default: #expect(reason == "frame 1 doesn't authenticate")
    }
  }

  @Test("Endless empty frames are bounded, and so are short frames that never complete a message", arguments: [0, 1])
  func framesWithoutEnd(_ size: Int) async throws {
    let arrival = try await withPeer { actor, connection, peer in
      connection.secure(Self.keys)
      let accessory = AccessoryEnd(Self.keys)
      peer.say(accessory.seal(Array("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n".utf8)))
      var frames: [UInt8] = []
      for _ in 0...WireConnection.frameLimit { frames += accessory.frame([UInt8](repeating: 0x78, count: size)) }
      peer.say(frames)
      return await connection.next(within: Self.patience)
    }
    guard case .garbage(let reason, _, _) = arrival else { return #expect(Bool(false), "\(arrival)") }
    #expect(reason == "too many frames for one message")
  }

  @Test("Sent bytes arrive sealed in a session, and unchanged outside it") func sending() async throws {
    let (heard, plain) = try await withPeer { actor, connection, peer in
      connection.write(Array("plain".utf8))
      connection.secure(Self.keys)
      let (bytes, frames) = connection.prepared(Array("sealed".utf8), sizes: [2, 0, 4])
      #expect(frames.map(\.count) == [2, 0, 4] && frames.map(\.counter) == [0, 1, 2])
      connection.write(bytes)
      connection.close(.half)
      try await wait(on: actor.loop) { peer.endCount > 0 }
      return (peer.heard[0], try AccessoryEnd(Self.keys).open(Array(peer.heard[0].dropFirst(5))))
    }
    #expect(heard.starts(with: Array("plain".utf8)) && plain == Array("sealed".utf8))
  }
}
