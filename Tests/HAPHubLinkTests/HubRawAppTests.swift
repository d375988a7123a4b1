import HAPHome
import HAPLoop
import HAPWorld
import Testing

@testable import HAPHubLink

@Suite("Apps that do not keep to the protocol of the hub's socket") struct HubRawAppTests {
  private static func send(_ app: RawApp, _ text: String, on loop: EventLoop) async throws {
    try loop.performAndWait { app.stream.write(Array(text.utf8)) }
    try await loop.sleep(for: .seconds(1))
  }

  @Test("A line that is not a request gets an error, and the next line is a request again")
  func garbage() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop)
      try await Self.send(
        app, "garbage\n\n{\"id\":5,\"request\":\"x\"}\n\u{0}\n{\"id\":6,\"request\":\"end-search\"}\n", on: loop)
      #expect(app.lines.count == 6 && app.lines.first == #"{"protocol":1}"#)
      #expect(app.lines[1].hasPrefix(#"{"id":null,"error":{"code":3,"message":"not JSON: "#))
      #expect(app.lines[2].hasPrefix(#"{"id":null,"error":{"code":3"#))
      #expect(app.lines[3].hasPrefix(#"{"id":5,"error":{"code":3,"message":"request: \"x\" is not a request"#))
      #expect(app.lines[4].hasPrefix(#"{"id":null,"error"#))
      #expect(app.lines[5] == #"{"id":6,"answer":"done"}"#)
      #expect(!app.hasEnded)
    }
    world.end()
  }

  @Test("A line of more than 1 MiB gets an error without being kept, and the next line is a request again")
  func longLine() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop)
      let fits = String(repeating: " ", count: HubWorld.longestRequest - 26) + #"{"id":1,"request":"search"}"#
      try await Self.send(
        app, String(fits.dropFirst()) + "\n" + fits + "\n{\"id\":2,\"request\":\"search\"}\r\n", on: loop)
      #expect(
        app.lines.dropFirst() == [
          #"{"id":1,"answer":"done"}"#,
          #"{"id":null,"error":{"code":49,"message":"a line of an app has 1048576 bytes at most"}}"#,
          #"{"id":2,"answer":"done"}"#,
        ])
      try await Self.send(app, String(repeating: "x", count: 5 << 20), on: loop)
      #expect(app.lines.count == 4 && !app.hasEnded)
    }
    world.end()
  }

  @Test("A request that comes in pieces is answered when its line is complete")
  func pieces() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop)
      for piece in ["{\"id\":1,", "\"request\":\"se", "arch\"}"] { try await Self.send(app, piece, on: loop) }
      #expect(app.lines.count == 1)
      try await Self.send(app, "\n", on: loop)
      #expect(app.lines.last == #"{"id":1,"answer":"done"}"#)
    }
    world.end()
  }

  @Test("Of an app that reads no answers, requests are not taken")
  func unreadAnswers() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop, reads: false)
      let id = HomeObjectID("00000000-0000-4000-8000-000000000001")!
      let requests = (0..<40).map { #"{"id":\#($0),"request":"explain","trigger":"\#(id)"}"# + "\n" }.joined()
      try await Self.send(app, requests, on: loop)
      try await loop.sleep(for: .seconds(10))
      // Each answer has more than 100 KB.
      let taken = await world.hub.takenCount
      #expect((2...10).contains(taken), "\(taken)")
      try loop.performAndWait { app.stream.resumeReading() }
      try await loop.sleep(for: .seconds(10))
      #expect(app.lines.count == 41)
      for (index, line) in app.lines.dropFirst().enumerated() { #expect(line.hasPrefix("{\"id\":\(index),")) }
    }
    world.end()
  }

  @Test("At most 64 requests wait for accessories; later ones are taken when these are answered")
  func openRequests() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop)
      let requests = (0..<100).map { #"{"id":\#($0),"request":"read","characteristics":[]}"# + "\n" }.joined()
      try await Self.send(app, requests, on: loop)
      #expect(await world.hub.takenCount == HubSocketConnection.mostOpenRequests)
      await world.hub.release()
      try await loop.sleep(for: .seconds(1))
      #expect(await world.hub.takenCount == 100)
      await world.hub.release()
      try await loop.sleep(for: .seconds(1))
      #expect(app.lines.count == 101)
    }
    world.end()
  }

  @Test("An app that ends with a request and an incomplete line is forgotten")
  func ended() throws {
    let world = try HubWorld()
    try world.run {
      let (_, loop) = try world.process("raw")
      let app = try RawApp.connect(loop)
      try await Self.send(app, #"{"id":1,"request":"read","characteristics":[]}"# + "\n{\"id\":", on: loop)
      #expect(await world.hub.heldCount == 1)
      try loop.performAndWait { app.stream.close() }
      await world.hub.wait { $0.clientCount == 0 }
      await world.hub.release()
      try await loop.sleep(for: .seconds(1))
      #expect(try world.hub.loop.performAndWait { world.server?.appCount } == 0)
    }
    world.end()
  }

  // MARK: Hubs

  /// Listens as a hub that sends these bytes, and returns the error of a link.
  private static func connect(sending text: String, then ends: Bool) throws -> HomeError? {
    let world = try HubWorld()
    world.hubProcess.kill()
    let (_, hub) = try world.process("hub")
    let (_, loop) = try world.process("app")
    let error: HomeError? = try world.run {
      try hub.performAndWait {
        _ = try LocalListener(hub, path: HubWorld.path) { stream in
          stream.startReading { _ in }
          stream.write(Array(text.utf8))
          if ends { stream.closeAfterWriting() }
        }
      }
      do throws(HomeError) {
        let link = try await HubSocketLink.connect(to: HubWorld.path, on: loop)
        _ = try await link.ask(.status)
        return nil
      } catch { return error }
    }
    world.end()
    return error
  }

  @Test(
    "A hub that does not keep to the protocol ends the link with 91 and the reason",
    arguments: [
      ("", false, "there is no answer within 10 s"), ("", true, "the hub has ended"),
      ("{\"protocol\":2}\n", false, "the hub has version 2 of the protocol, and this program version 1"),
      ("{\"protocol\":1}\n", true, "the hub has ended"), ("{\"protocol\":1}\n{\"protocol\":1}\n", false, "version 1"),
      ("{\"event\":\"missed\"}\n", false, "the hub sent no version"),
      ("{\"id\":1,\"answer\":\"done\"}\n", false, "the hub sent no version"),
      ("{\"protocol\":1}\nx\n", false, "a line that is not valid: not JSON"),
      (
        "{\"protocol\":1}\n{\"id\":1,\"answer\":\"x\"}\n", false,
        "a line that is not valid: answer: \"x\" is not an answer"
      ),
      ("{\"protocol\":1}\n{\"id\":9,\"answer\":\"done\"}\n", true, "the hub has ended"),
    ])
  func wrongHub(_ text: String, _ ends: Bool, _ message: String) throws {
    let error = try #require(try Self.connect(sending: text, then: ends))
    #expect(error.code == .noHomeHub && error.message.contains(message), "\(error.message)")
    #expect(error.message.contains("run 'hapctl hub run'"))
  }

  @Test("A refusal without a number ends the link with its error")
  func refusal() throws {
    let text = "{\"id\":null,\"error\":{\"code\":17,\"message\":\"no\"}}\n"
    #expect(try Self.connect(sending: text, then: true) == HomeError(.insufficientPrivileges, nil, "no"))
  }

  @Test("A request that is longer than a line may be is refused with 49, and the link continues")
  func longRequest() throws {
    let world = try HubWorld()
    try world.run {
      let app = try await TestApp.start("one", in: world)
      let home = try #require(app.snapshot?.model.homes.first).id
      let name = String(repeating: "x", count: HubProtocol.longestRequest)
      let error = await #expect(throws: HomeError.self) {
        try await app.link.ask(.perform(.addRoom(home: home, name: name)))
      }
      #expect(error?.code == .maximumObjectLimitReached)
      #expect(try await app.link.ask(.search) == .done)
    }
    world.end()
  }
}
