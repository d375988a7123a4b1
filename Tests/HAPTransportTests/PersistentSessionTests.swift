import HAPCrypto
import HAPLoop
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire
import Synchronization
import Testing

@testable import HAPTransport

private let motion = TestHome.id(TestHome.ID.motion)
private let on = TestHome.id(TestHome.ID.on)

/// The present address of the accessory, and the number of requests for it.
private final class Whereabouts: Sendable {
  private let places = Mutex<(port: UInt16?, asked: Int)>((nil, 0))

  init(_ port: UInt16? = nil) { self.port = port }

  var port: UInt16? {
    get { places.withLock { $0.port } }
    set { places.withLock { $0.port = newValue } }
  }
  var asked: Int { places.withLock { $0.asked } }

  func find() -> [SocketAddress] {
    places.withLock { places in
      places.asked += 1
      return places.port.map { [SocketAddress(host: .loopbackV4, port: $0)] } ?? []
    }
  }
}

@Suite struct PersistentSessionTests {
  private let loop = TestLoop()

  private func session(
    _ whereabouts: Whereabouts, _ identity: ControllerIdentity = TestHome.admin,
    key: [UInt8] = TestHome.accessoryKey.publicKey, identifier: String = TestHome.deviceID
  ) -> PersistentSession {
    PersistentSession(
      on: loop.loop, identity: ControllerCredentials(identifier: identity.identifier, key: identity.key),
      with: PairedAccessory(identifier: Array(identifier.utf8), publicKey: key),
      // Even the busiest machine needs less time for these tests.
      connectTimeout: .seconds(3600), requestTimeout: .seconds(3600),
      backOff: BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    ) { whereabouts.find() }
  }

  /// Reads news until `wanted` returns a value.
  private func news<T>(_ session: PersistentSession, _ wanted: (SessionNews) -> T?) async throws -> T {
    while let news = await session.next() { if let found = wanted(news) { return found } }
    throw Failure(message: "the news ended")
  }

  private struct Failure: Error { let message: String }

  private func connected(_ session: PersistentSession) async throws -> Bool {
    try await news(session) {
      if case .connected(let isAgain, let refused, _) = $0, refused.isEmpty { isAgain } else { nil }
    }
  }

  private func lost(_ session: PersistentSession) async throws -> String {
    try await news(session) { if case .lost(let error, _) = $0 { "\(error)" } else { nil } }
  }

  private func values(_ session: PersistentSession) async throws -> (ids: [AttributeID], isCatchUp: Bool) {
    try await news(session) {
      if case .values(let entries, let isCatchUp, _) = $0 { (entries.map(\.id), isCatchUp) } else { nil }
    }
  }

  private func failure(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "nothing failed"
    } catch { return "\(error)" }
  }

  @Test("It survives its accessory's restart: it subscribes again, and reports only the missed changes")
  func outlives() async throws {
    let home = try ServedHome()
    let whereabouts = Whereabouts(home.port)
    let session = session(whereabouts)
    #expect(try await connected(session) == false)
    #expect(try await session.subscribe(to: [motion, on, TestHome.id(TestHome.ID.button)]) == [])
    home.onLoop { $0.performer.change([(motion, .bool(true))]) }
    let first = try await values(session)
    #expect(first.ids == [motion] && !first.isCatchUp)

    whereabouts.port = nil
    home.stop()
    #expect(try await lost(session).contains("closed the connection"))
    #expect(try await lost(session) == "it has no address")
    let next = try ServedHome()
    // On has its former value, motion doesn't: a new home starts without motion.
    whereabouts.port = next.port
    #expect(try await connected(session) == true)
    let meanwhile = try await values(session)
    #expect(meanwhile.ids == [motion] && meanwhile.isCatchUp)
    next.onLoop { $0.performer.change([(on, .bool(true))]) }
    let later = try await values(session)
    #expect(later.ids == [on] && !later.isCatchUp)
    await session.close()
  }

  @Test("Removed subscriptions are not restored, and refused ones are reported")
  func subscriptions() async throws {
    let home = try ServedHome()
    let whereabouts = Whereabouts(home.port)
    let session = session(whereabouts)
    let refused = try await session.subscribe(to: [motion, on, TestHome.id(TestHome.ID.writeOnly)])
    #expect(refused.map(\.id) == [TestHome.id(TestHome.ID.writeOnly)])
    #expect(try await session.unsubscribe(from: [motion]) == [])
    #expect(try await connected(session) == false)
    let next = try ServedHome()
    next.onLoop { $0.performer.change([(motion, .bool(true)), (on, .bool(true))]) }
    whereabouts.port = next.port
    home.stop()
    #expect(try await connected(session) == true)
    #expect(try await values(session).ids == [on])
    await session.close()
  }

  @Test(
    "A write that was in transit when the connection broke fails and isn't repeated; later ones are sent")
  func neverTwice() async throws {
    let home = try ServedHome()
    let middle = CuttingMiddle(on: loop.loop, to: home.port)
    let session = session(Whereabouts(try await middle.port()))
    #expect(try await session.request(.accessories).status == 200)
    await middle.cutAtNextRequest()
    async let first = failure { _ = try await session.request(.write([.init(on, value: .bool(true))])) }
    let hue = TestHome.id(TestHome.ID.hue)
    #expect(await first.contains("PUT /characteristics: "))
    #expect(try await session.request(.write([.init(hue, value: .float(7))])).status == 204)
    #expect(home.notes.filter { $0 == .wrote(on) }.count == 1, "it was executed exactly once")
    await session.close()
    await middle.close()
  }

  @Test("A request timeout ends the connection; the next request gets a new connection and its own answer")
  func noAnswer() async throws {
    let home = try ServedHome()
    let middle = CuttingMiddle(on: loop.loop, to: home.port)
    let session = session(Whereabouts(try await middle.port()))
    #expect(try await connected(session) == false)
    await middle.swallowNextRequest()
    let said = await failure { _ = try await session.request(.read([on]), timeout: .milliseconds(50)) }
    #expect(said == "GET /characteristics: no answer in time")
    #expect(try await session.request(.accessories).status == 200)
    #expect(try await lost(session) == said)
    #expect(try await connected(session) == true)
    await session.close()
    await middle.close()
  }

  @Test("Cancelling a sent request keeps the connection, and its answer goes to no other request")
  func givenUp() async throws {
    let home = try ServedHome()
    let middle = CuttingMiddle(on: loop.loop, to: home.port)
    let session = session(Whereabouts(try await middle.port()))
    #expect(try await connected(session) == false)
    await middle.holdAnswers()
    let request = Task { try await session.request(.accessories) }
    while await !middle.holdsSomething { await Task.yield() }
    request.cancel()
    #expect(await failure { _ = try await request.value } == "it was cancelled")
    await middle.releaseAnswers()
    let body = try await session.request(.read([on])).body
    #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"characteristics""#))
    #expect(home.notes.filter { $0 == .connected }.count == 1)
    await session.close()
    await middle.close()
  }

  @Test("A released session closes its connection")
  func letGo() async throws {
    let home = try ServedHome()
    var session: PersistentSession? = session(Whereabouts(home.port))
    #expect(try await session?.request(.accessories).status == 200)
    #expect(home.connectionCount == 1)
    session = nil
    while home.connectionCount > 0 { await Task.yield() }
  }

  @Test("A request waits for the connection until its timeout, and a cancelled one is never sent")
  func waiting() async throws {
    let whereabouts = Whereabouts()
    let session = session(whereabouts)
    #expect(try await lost(session) == "it has no address")
    let said = await failure { _ = try await session.request(.accessories, timeout: .milliseconds(30)) }
    #expect(said == "GET /accessories was not sent because there is no connection: it has no address")
    let cancelled = Task { try await session.request(.write([.init(on, value: .bool(true))])) }
    cancelled.cancel()
    await #expect(throws: ClientError.self) { try await cancelled.value }
    let patient = Task { try await session.request(.accessories) }
    let home = try ServedHome()
    whereabouts.port = home.port
    #expect(try await patient.value.status == 200)
    #expect(await session.isConnected)
    #expect(!home.notes.contains(.wrote(on)))
    await session.close()
  }

  @Test("A permanent refusal ends the session with the error; a temporary one doesn't")
  func refusals() async throws {
    let home = try ServedHome()
    let whereabouts = Whereabouts(home.port)
    let stranger = session(whereabouts, TestHome.stranger)
    let request = Task { try await stranger.request(.accessories) }
    let said = try await news(stranger) { if case .gaveUp(let error) = $0 { "\(error)" } else { nil } }
    #expect(said.contains("authentication failed"))
    #expect(await failure { _ = try await request.value } == said)
    #expect(await failure { _ = try await stranger.subscribe(to: [on]) } == said)
    #expect(await stranger.next() == nil)
    #expect(whereabouts.asked == 1)

    let deceived = session(whereabouts, key: TestHome.stranger.key.publicKey)
    #expect(
      try await news(deceived) { if case .gaveUp(let error) = $0 { "\(error)" } else { nil } }.contains("signature"))

    let lost = session(whereabouts, identifier: "AA:BB:CC:DD:EE:FF")
    #expect(try await self.lost(lost).contains("another accessory"))
    #expect(try await self.lost(lost).contains("another accessory"))
    await lost.close()
  }

  @Test("It may be closed repeatedly, and before its start; waiting requests fail, and the news end")
  func closing() async throws {
    let session = session(Whereabouts())
    let request = Task { try await session.request(.accessories) }
    _ = try await lost(session)
    let reader = Task { () -> Bool in
      while await session.next() != nil {}
      return true
    }
    await session.close()
    await session.close()
    #expect(await reader.value)
    #expect(await failure { _ = try await request.value } == "it was cancelled")

    let home = try ServedHome()
    let quiet = self.session(Whereabouts(home.port))
    #expect(try await connected(quiet) == false)
    let waiting = Task { await quiet.next() }
    // By now, the task has begun to wait.
    #expect(try await quiet.request(.accessories).status == 200)
    await quiet.close()
    #expect(await waiting.value == nil)
    #expect(await failure { _ = try await session.request(.accessories) } == "it was cancelled")

    let unused = self.session(Whereabouts())
    await unused.close()
    #expect(await unused.next() == nil)
    #expect(await failure { _ = try await unused.request(.accessories) } == "it was cancelled")
  }

  @Test("A cancelled reader leaves the news to the next one")
  func cancelledReader() async throws {
    let home = try ServedHome()
    let session = session(Whereabouts(home.port))
    #expect(try await connected(session) == false)
    let reader = Task { await session.next() }
    // By now, the task has begun to wait.
    #expect(try await session.request(.accessories).status == 200)
    reader.cancel()
    #expect(await reader.value == nil)
    #expect(try await session.subscribe(to: [motion]) == [])
    home.onLoop { $0.performer.change([(motion, .bool(true))]) }
    #expect(try await values(session).ids == [motion])
    await session.close()
  }

  @Test("A search that takes too long is a failed try, and there is never a second concurrent search")
  func endlessSearch() async throws {
    let asked = Mutex(0)
    let (answers, answer) = AsyncStream<Never>.makeStream()
    let home = try ServedHome()
    let port = home.port
    let session = PersistentSession(
      on: loop.loop,
      identity: ControllerCredentials(identifier: TestHome.admin.identifier, key: TestHome.admin.key),
      with: PairedAccessory(identifier: Array(TestHome.deviceID.utf8), publicKey: TestHome.accessoryKey.publicKey),
      connectTimeout: .milliseconds(500), backOff: BackOff(first: .milliseconds(1), longest: .milliseconds(1))
    ) {
      asked.withLock { $0 += 1 }
      for await _ in answers {}
      return [SocketAddress(host: .loopbackV4, port: port)]
    }
    for _ in 0..<3 { #expect(try await lost(session) == "finding the accessory: no answer in time") }
    #expect(asked.withLock { $0 } == 1)
    answer.finish()
    #expect(try await connected(session) == false)
    await session.close()
  }

  @Test("Unread events end the connection, and it reconnects when they are read")
  func flood() async throws {
    let home = try ServedHome()
    let whereabouts = Whereabouts(home.port)
    let session = session(whereabouts)
    #expect(try await connected(session) == false)
    #expect(try await session.subscribe(to: [motion]) == [])
    // Repeated as needed: the accessory may combine several changes in one event.
    var isMoving = false
    while await session.isConnected {
      isMoving.toggle()
      home.onLoop { [isMoving] in $0.performer.change([(motion, .bool(isMoving))]) }
    }
    let said = await failure { _ = try await session.request(.accessories, timeout: .milliseconds(100)) }
    #expect(
      said.contains("faster than they are read") && whereabouts.asked == 1, "nothing is tried before they are read")
    #expect(try await lost(session).contains("faster than they are read"))
    #expect(try await connected(session) == true)
    await session.close()
  }

  @Test("Requests above the limit are refused at once")
  func crowded() async throws {
    let session = session(Whereabouts())
    _ = try await lost(session)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0...PersistentConnection.requestRoom {
        group.addTask { await failure { _ = try await session.request(.accessories) } }
      }
      #expect(try await group.next()?.contains("too many requests are waiting") == true)
      await session.close()
      for try await said in group { #expect(said == "it was cancelled") }
    }
  }
}
