import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPProfile
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPTransport

/// A loop that ends with the test.
final class TestLoop: Sendable {
  let loop = EventLoop(name: "controller")
  init() { loop.start() }
  deinit { loop.stop() }
}

private func credentials(_ identity: ControllerIdentity) -> ControllerCredentials {
  ControllerCredentials(identifier: identity.identifier, key: identity.key)
}

private let accessory = PairedAccessory(
  identifier: Array(TestHome.deviceID.utf8), publicKey: TestHome.accessoryKey.publicKey)

private func loopback(_ port: UInt16) -> [SocketAddress] { [SocketAddress(host: .loopbackV4, port: port)] }

@Suite struct ControllerClientTests {
  private let loop = TestLoop()

  private func connected(_ home: ServedHome) async throws -> ControllerClient {
    let client = ControllerClient(on: loop.loop)
    try await client.connect(to: loopback(home.port))
    return client
  }

  private func verified(_ home: ServedHome, _ identity: ControllerIdentity = TestHome.admin) async throws
    -> ControllerClient
  {
    let client = try await connected(home)
    try await client.pairVerify(credentials(identity), with: accessory)
    return client
  }

  @Test("It pairs, verifies on the same connection, and reads the database unchanged", arguments: ["", "hap-nodejs"])
  func everything(preset: String) async throws {
    let home = try ServedHome(pairings: [], quirks: Quirks.presets[preset] ?? Quirks())
    let client = try await connected(home)
    let paired = try await client.pairSetup(code: TestHome.code, identity: credentials(TestHome.admin))
    #expect(paired == accessory)
    try await client.pairVerify(credentials(TestHome.admin), with: accessory)
    #expect(await client.isSecured)

    let answer = try await client.request(.accessories)
    #expect(answer.status == 200 && answer.contentType == .hapJSON && answer.isChunked == (preset == "hap-nodejs"))
    var mirror = try AccessoryMirror(answer.body)
    #expect(mirror.remarks == [])
    let ids = mirror.database.accessories.map { $0.services.map { $0.characteristics.map(\.iid) } }
    #expect(ids == TestHome.accessories.map { $0.services.map { $0.characteristics.map(\.iid) } })
    for (mine, theirs) in zip(
      mirror.database.characteristics, try AttributeDatabase(TestHome.accessories).characteristics)
    {
      #expect(mine.type == theirs.type && mine.format == theirs.format && mine.perms == theirs.perms)
      #expect(mine.unit == theirs.unit && mine.constraints.validValues == theirs.constraints.validValues)
      for limit in [\Constraints.minValue, \.maxValue, \.minStep] {
        #expect(mine.constraints[keyPath: limit]?.doubleValue == theirs.constraints[keyPath: limit]?.doubleValue)
      }
    }

    let on = TestHome.id(TestHome.ID.on)
    #expect(try await client.request(.write([.init(on, value: .bool(true))])).status == 204)
    let read = try await client.request(.read([on, TestHome.id(TestHome.ID.hue)]))
    var reader = AttributeReader()
    let changes = mirror.take(try CharacteristicEntry.list(read.body, &reader), of: "a read")
    #expect(
      changes == [.init(id: on, value: .bool(true)), .init(id: TestHome.id(TestHome.ID.hue), value: .float(120))])
    #expect(mirror.database[on] == .bool(true))
    await client.close()
  }

  @Test("Events arrive in order, and their stream ends with the connection")
  func events() async throws {
    let home = try ServedHome()
    let watcher = try await verified(home)
    let writer = try await verified(home, TestHome.user)
    let motion = TestHome.id(TestHome.ID.motion)
    #expect(try await watcher.request(.write([.init(motion, ev: true)])).status == 204)
    for value in [true, false, true] { home.onLoop { $0.performer.change([(motion, .bool(value))]) } }
    var seen: [Bool] = []
    for await event in watcher.events {
      #expect(event.isEvent && event.status == 200)
      var reader = AttributeReader()
      for entry in try CharacteristicEntry.list(event.body, &reader) {
        seen.append(entry.value?.boolValue ?? (entry.value?.integerValue == 1))
      }
      if seen.count == 3 { break }
    }
    #expect(seen == [true, false, true])
    home.stop()
    for await _ in watcher.events {}
    await #expect(throws: ClientError.self) { try await writer.request(.accessories) }
  }

  @Test("Simultaneous requests get their own answers")
  func together() async throws {
    let home = try ServedHome()
    let client = try await verified(home)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for iid in [11, 12, 13, 22, 26] as [UInt64] {
        group.addTask {
          let answer = try await client.request(.read([AttributeID(aid: 1, iid: iid)]))
          return String(decoding: answer.body, as: UTF8.self).contains(#""iid":\#(iid),"#)
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
  }

  @Test("A timed write succeeds, and a transient session can't access characteristics")
  func special() async throws {
    let home = try ServedHome()
    let client = try await verified(home)
    let on = TestHome.id(TestHome.ID.on)
    #expect(try await client.request(.prepare(ttl: 600_000, pid: 7)).status == 200)
    #expect(try await client.request(.write([.init(on, value: .bool(true))], pid: 7)).status == 204)
    #expect(try await client.request(.write([.init(on, value: .bool(true))], pid: 7)).status == 207)

    let unpaired = try ServedHome(pairings: [])
    let transient = try await connected(unpaired)
    #expect(
      try await transient.pairSetup(code: TestHome.code, identity: credentials(TestHome.admin), flags: .transient)
        == nil)
    #expect(await transient.isSecured)
    #expect(try await transient.request(.accessories).status == 400)
    #expect(try await transient.request(.identify).status == 204)
  }

  // MARK: Failures

  private func failure(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "nothing failed"
    } catch { return "\(error)" }
  }

  @Test("A wrong code, a paired accessory and an unpaired controller have distinct errors")
  func refusals() async throws {
    let unpaired = try ServedHome(pairings: [])
    let client = try await connected(unpaired)
    let me = credentials(TestHome.admin)
    #expect(await failure { _ = try await client.pairSetup(code: "111-22-333", identity: me) }.contains("M4: "))
    #expect(try await client.pairSetup(code: TestHome.code, identity: me) == accessory)
    #expect(
      await failure { _ = try await client.pairSetup(code: TestHome.code, identity: me) }.contains("paired already"))
    let stranger = credentials(TestHome.stranger)
    #expect(await failure { try await client.pairVerify(stranger, with: accessory) }.contains("M4: "))
    let other = PairedAccessory(identifier: Array("AA:BB:CC:DD:EE:FF".utf8), publicKey: accessory.publicKey)
    #expect(await failure { try await client.pairVerify(me, with: other) }.contains("another accessory"))
    try await client.pairVerify(me, with: accessory)
  }

  @Test("For a closed port, the error has the address; the next address is tried")
  func unreachable() async throws {
    let port = ClosedPort()
    let closed = port.number
    let client = ControllerClient(on: loop.loop)
    let other = try ServedHome()
    try await client.connect(to: loopback(closed) + loopback(other.port))
    #expect(await client.peer?.port == other.port)
    let hopeless = ControllerClient(on: loop.loop)
    let said = await failure { try await hopeless.connect(to: loopback(closed)) }
    #expect(said.contains("127.0.0.1:\(closed)") && said.contains("refused"))
    withExtendedLifetime(port) {}
    let nowhere = ControllerClient(on: loop.loop)
    #expect(await failure { try await nowhere.connect(to: []) } == "it has no address")
  }

  @Test("Deviations in the answers of a pairing procedure are recorded; a requested delay is reported")
  func remarks() async throws {
    let body: [UInt8] = [6, 1, 2, 7, 1, 3, 8, 2, 0x2C, 1, 0x40, 0]
    let says =
      "HTTP/1.1 400 Bad Request\r\nContent-Length: \(body.count)\r\n\r\n" + String(decoding: body, as: UTF8.self)
    let deaf = DeafAccessory(on: loop.loop, says: says, closes: false)
    let client = ControllerClient(on: loop.loop)
    try await client.connect(to: loopback(try await deaf.port()))
    let said = await failure {
      _ = try await client.pairSetup(code: TestHome.code, identity: credentials(TestHome.admin))
    }
    #expect(said == "M2: the accessory asks to wait 300 s before the next try")
    let remarks = await client.remarks.map(\.message)
    try #require(remarks.count == 3)
    #expect(remarks[0].contains("400") && remarks[1].contains("pairing+tlv8"))
    #expect(remarks[2].contains("item 64"))
    await deaf.close()
  }

  @Test("An error contains the bytes around the fault")
  func excerpts() {
    let message = LinkMessage(status: 200, body: Array("nonsense".utf8))
    guard case .failure(let noTLV) = ControllerConnection.tlv(.success(message), "x") else {
      Issue.record("parsed as TLV8")
      return
    }
    #expect(noTLV.excerpt?.bytes == message.body)
    var reader = AttributeReader()
    let json = LinkMessage(status: 200, body: Array("{\"characteristics\":7}".utf8))
    guard case .failure(let body) = ControllerConnection.entries(.success(json), "x", &reader) else {
      Issue.record("parsed as a list")
      return
    }
    #expect(body.excerpt?.fault == 19)
  }

  @Test("Address families alternate, and duplicate addresses are tried once")
  func interleaving() throws {
    func address(_ text: String) throws -> SocketAddress { SocketAddress(host: try IPAddress(text), port: 1) }
    let given = try ["fd00::1", "fd00::2", "10.0.0.1", "fd00::1", "10.0.0.2", "fd00::3"].map(address)
    let order = Connector.interleaved(given).map(\.host.description)
    #expect(order == ["fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "fd00::3"])
    #expect(Connector.interleaved([]) == [])
  }

  @Test(
    "A silent, truncated, malformed or excessive answer fails the pending requests",
    arguments: [
      ("", false, "no answer in time"), ("", true, "closed the connection"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true, "in the middle of an answer"),
      ("SSH-2.0-OpenSSH\r\n\r\n", false, "not valid HTTP"), ("HTTP/1.1 2000 x\r\n\r\n", false, "not valid HTTP"),
      ("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", false, "an unexpected answer"),
    ])
  func silence(says: String, closes: Bool, expected: String) async throws {
    let deaf = DeafAccessory(on: loop.loop, says: says, closes: closes)
    let client = ControllerClient(on: loop.loop)
    try await client.connect(to: loopback(try await deaf.port()), requestTimeout: .milliseconds(200))
    let said = await failure {
      _ = try await client.request(.accessories)
      _ = try await client.request(.accessories)
    }
    #expect(said.contains(expected), "\(said)")
    #expect(
      await failure { _ = try await client.request(.identify) } == said, "later requests fail for the same reason")
    await deaf.close()
  }

  @Test("Unread events end the connection at the limit")
  func flood() async throws {
    let event = "EVENT/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    for says in [
      String(repeating: event, count: ControllerClient.eventRoom + 1),
      "EVENT/1.0 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000),
    ] {
      let deaf = DeafAccessory(on: loop.loop, says: says, closes: false)
      let client = ControllerClient(on: loop.loop)
      try await client.connect(to: loopback(try await deaf.port()))
      #expect(await failure { _ = try await client.request(.accessories) }.contains("faster than they are read"))
      await deaf.close()
    }
    let deaf = DeafAccessory(
      on: loop.loop, says: String(repeating: event, count: 20) + "HTTP/1.1 204 No Content\r\n\r\n", closes: false)
    let client = ControllerClient(on: loop.loop)
    try await client.connect(to: loopback(try await deaf.port()))
    #expect(try await client.request(.accessories).status == 204)
    await deaf.close()
  }

  @Test("Cancelling a task abandons its request; the connection continues")
  func cancelled() async throws {
    let home = try ServedHome()
    let client = try await verified(home)
    let task = Task { try await client.request(.accessories) }
    task.cancel()
    _ = await task.result
    #expect(try await client.request(.accessories).status == 200)
    let connecting = ControllerClient(on: loop.loop)
    // Documentation addresses have no host, or no route.
    let address = SocketAddress(host: try IPAddress("192.0.2.1"), port: 1)
    let attempt = Task { try await connecting.connect(to: [address]) }
    attempt.cancel()
    await #expect(throws: ClientError.self) { try await attempt.value }
  }
}

/// Accepts connections, and always sends the same answer.
private actor DeafAccessory {
  nonisolated let loop: EventLoop
  private let says: String
  private let closes: Bool
  private var listener: TCPListener?
  private var streams: [TCPStream] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop, says: String, closes: Bool) {
    self.loop = loop
    self.says = says
    self.closes = closes
  }

  func port() throws -> UInt16 {
    let listener = try TCPListener(loop, host: .loopbackV4, port: 0) { stream in
      nonisolated(unsafe) let stream = stream
      self.assumeIsolated { $0.take(stream) }
    }
    self.listener = listener
    return listener.port
  }

  private func take(_ stream: TCPStream) {
    streams.append(stream)
    let room = ReadingRoom(4096)
    let (says, closes) = (says, closes)
    stream.startReading(onAllocate: { _ in room.bytes }) { [weak stream] event in
      guard case .bytes = event else { return }
      stream?.write(Array(says.utf8))
      if closes { stream?.finishWriting() }
    }
  }

  func close() {
    listener?.close()
    for stream in streams { stream.close() }
    streams = []
  }
}
