import HAPLoop
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPTransport

@Suite("A persistent session keeps its database up to date")
struct PersistentSessionDatabaseTests {
  private let loop = TestLoop()
  private let first = AttributeID(aid: 1, iid: 9)
  private let second = AttributeID(aid: 1, iid: 10)

  private func session(_ home: ScriptedHome, pace: Duration = .zero) -> PersistentSession {
    let address = SocketAddress(host: .loopbackV4, port: home.port)
    return PersistentSession(
      on: loop.loop,
      identity: ControllerCredentials(identifier: TestHome.admin.identifier, key: TestHome.admin.key),
      with: PairedAccessory(identifier: Array(TestHome.deviceID.utf8), publicKey: TestHome.accessoryKey.publicKey),
      connectTimeout: .seconds(3600), requestTimeout: .seconds(3600),
      backOff: BackOff(first: .milliseconds(1), longest: .milliseconds(20)), databasePace: pace
    ) { [address] }
  }

  /// Reads the database for the first time.
  private func read(_ session: PersistentSession, _ home: ScriptedHome) async throws {
    async let mirror = session.database()
    #expect(await home.request()?.name == "GET /accessories")
    home.answerDatabase([9, 10])
    #expect(try await mirror.database.slot(of: second) != nil)
  }

  /// The next news of a database or of an unreadable answer.
  private func databaseNews(_ session: PersistentSession) async -> String? {
    while let news = await session.next() {
      switch news {
      case .database(let mirror): return mirror.database.slot(of: second) == nil ? "one" : "both"
      case .unreadable: return "unreadable"
      default: continue
      }
    }
    return nil
  }

  /// Sends a request of the caller, which must be the next one that the accessory receives.
  private func expectNoRead(_ session: PersistentSession, _ home: ScriptedHome) async throws {
    async let answer = session.request(.read([first]))
    #expect(await home.request()?.name == "GET /characteristics")
    home.answer(200, json: #"{"characteristics":[]}"#)
    #expect(try await answer.status == 200)
  }

  @Test("After a lost connection the database is read first, and subscriptions to removed characteristics are dropped")
  func reconnect() async throws {
    let home = try ScriptedHome()
    let session = session(home)
    try await read(session, home)
    async let refused = session.subscribe(to: [first, second])
    #expect(await home.request()?.name == "PUT /characteristics")
    home.answer(204)
    #expect(await home.request()?.name == "GET /characteristics")
    home.answer(200, json: #"{"characteristics":[]}"#)
    #expect(try await refused == [])

    async let lost: Void = { _ = try? await session.request(.read([first])) }()
    #expect(await home.request()?.name == "GET /characteristics")
    home.answer(nil)
    await lost
    #expect(await home.request()?.name == "GET /accessories")
    home.answerDatabase([9])
    let write = await home.request()
    #expect(write?.name == "PUT /characteristics")
    let body = String(decoding: write?.body ?? [], as: UTF8.self)
    #expect(body.contains(#""iid":9"#) && !body.contains(#""iid":10"#))
    #expect(await databaseNews(session) == "one")
    await session.close()
  }

  @Test("Any number of c# changes during a read causes one more read")
  func flood() async throws {
    let home = try ScriptedHome()
    let session = session(home)
    try await read(session, home)
    await session.configurationNumber(is: 1)
    #expect(await home.request()?.name == "GET /accessories")
    for number: UInt32 in 2...1000 { await session.configurationNumber(is: number) }
    home.answerDatabase([9])
    #expect(await databaseNews(session) == "one")
    #expect(await home.request()?.name == "GET /accessories")
    home.answerDatabase([9, 10])
    #expect(await databaseNews(session) == "both")
    try await expectNoRead(session, home)
    await session.close()
  }

  @Test("A failed read is repeated until the database is valid", arguments: [500, 200])
  func failedRead(status: Int) async throws {
    let home = try ScriptedHome()
    let session = session(home)
    try await read(session, home)
    await session.configurationNumber(is: 1)
    for _ in 0..<3 {
      #expect(await home.request()?.name == "GET /accessories")
      home.answer(status, json: status == 200 ? "[" : "")
      #expect(await databaseNews(session) == "unreadable")
    }
    #expect(await home.request()?.name == "GET /accessories")
    home.answerDatabase([9])
    #expect(await databaseNews(session) == "one")
    try await expectNoRead(session, home)
    await session.close()
  }

  @Test("A c# that changes right after a read waits for the minimum interval")
  func pace() async throws {
    let home = try ScriptedHome()
    let session = session(home, pace: .seconds(3600))
    try await read(session, home)
    await session.configurationNumber(is: 1)
    try await expectNoRead(session, home)
    await session.close()
  }
}
