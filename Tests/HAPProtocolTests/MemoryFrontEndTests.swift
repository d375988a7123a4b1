import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTestSupport
import HAPWire
import Testing

/// An accessory with a front end of its own, in memory: typed requests, and the pairing procedures message by message.
/// Seen to fail: with a server that sends events to their writer, and with one that executes a write before the device has decided.
@Suite("Attributes: a front end in memory") struct MemoryFrontEndTests {
  private static let on = TestHome.id(TestHome.ID.on)

  @Test("A controller pairs, is verified, writes and reads; another one gets the event, and the writer does not")
  func service() throws {
    let accessory = try MemoryFrontEnd()
    let (phone, tablet) = (try accessory.open(TestHome.stranger), try accessory.open(TestHome.admin))
    #expect(accessory.write([AttributeWrite(Self.on, subscribes: true)], by: phone) == [.success])
    #expect(accessory.write([AttributeWrite(Self.on, subscribes: true)], by: tablet) == [.success])
    #expect(accessory.write([AttributeWrite(Self.on, value: .bool(true))], by: phone) == [.success])
    accessory.server.advance(to: .seconds(1))
    #expect(accessory.events.map { $0.session === tablet } == [true] && accessory.events.first?.values == [.bool(true)])
    guard case .slot(let slot) = accessory.server.readable(Self.on, by: phone) else {
      Issue.record("On can't be read")
      return
    }
    #expect(accessory.server.listedValue(ofSlot: slot) == .bool(true))
    let written = accessory.queue.actions.compactMap { if case .wrote(let write) = $0 { write.first.id } else { nil } }
    #expect(written == [Self.on])
  }

  @Test("A refused write has a status, and changes nothing") func refused() throws {
    let accessory = try MemoryFrontEnd()
    let phone = try accessory.open(TestHome.stranger)
    let (readOnly, nothing) = (TestHome.id(TestHome.ID.readOnly), AttributeID(aid: 9, iid: 9))
    let writes = [
      AttributeWrite(readOnly, value: .integer(1)), AttributeWrite(nothing, value: .integer(1)),
      AttributeWrite(Self.on, value: .string("on")), AttributeWrite(Self.on),
      AttributeWrite(Self.on, value: .bool(true)),
    ]
    #expect(
      accessory.write(writes, by: phone)
        == [.readOnly, .doesNotExist, .invalidValue, .invalidValue, .success])
    #expect(accessory.refusals == 4)
    guard case .failure(.doesNotExist, nil) = accessory.server.readable(nothing, by: phone) else {
      Issue.record("what does not exist can be read")
      return
    }
  }

  @Test("A request that ends at a missing attribute is reported before the device gets the writes so far") func ended()
    throws
  {
    var conduct = Conduct()
    conduct.unknownWriteEndsRequest = true
    let accessory = try MemoryFrontEnd(conduct)
    let phone = try accessory.open(TestHome.stranger)
    let writes = [AttributeWrite(Self.on, value: .bool(true)), AttributeWrite(AttributeID(aid: 9, iid: 9), value: 1)]
    #expect(accessory.write(writes, by: phone) == nil && accessory.missing == 1)
    #expect(accessory.writesBeforeMissing == 0 && accessory.writeCount == 1)
  }

  @Test("The device decides later, and the answer waits for it") func late() throws {
    let accessory = try MemoryFrontEnd()
    let device = LateDevice()
    accessory.server.writer = device
    let phone = try accessory.open(TestHome.stranger)
    #expect(accessory.write([AttributeWrite(Self.on, value: .bool(true))], by: phone) == nil)
    accessory.server.judged(device.last, .refused(.busy), at: .zero)
    #expect(accessory.late == [[.busy]])
    #expect(accessory.write([AttributeWrite(Self.on, value: .bool(true))], by: phone) == nil)
    accessory.server.advance(to: .seconds(3600))
    #expect(accessory.late == [[.busy], [.timedOut]])
    #expect(accessory.server.database[Self.on] == .bool(false))
  }

  private final class LateDevice: CharacteristicWriter {
    private(set) var last: UInt64 = 0
    func judge(_ write: CharacteristicWrite) -> WriteVerdict {
      last = write.number
      return .later
    }
  }
}

/// Serves TestHome without bytes.
private final class MemoryFrontEnd: AttributeFrontEnd {
  struct Event {
    var session: AttributeSession
    var values: [Value]
  }

  let queue = ActionQueue()
  let server: AttributeServer
  private let identity: AccessoryIdentity
  private(set) var pairings = [TestHome.pairing(TestHome.admin, isAdmin: true)]
  private(set) var events: [Event] = []
  private(set) var late: [[HAPStatus]] = []
  private(set) var refusals = 0
  private(set) var missing = 0
  /// How many writes the device had when a missing attribute was reported.
  private(set) var writesBeforeMissing = 0

  init(_ conduct: Conduct = Conduct()) throws {
    server = AttributeServer(try AttributeDatabase(TestHome.accessories), conduct: conduct, queue)
    identity = TestHome.accessory().core.identity
  }

  /// Pairs a controller if it has no pairing, verifies it, and opens its session.
  func open(_ controller: ControllerIdentity) throws -> AttributeSession {
    let me = ControllerCredentials(identifier: controller.identifier, key: controller.key)
    if !pairings.contains(where: { $0.identifier == me.identifier }) { try pair(me) }
    let accessory = PairedAccessory(identifier: identity.identifier, publicKey: identity.key.publicKey)
    var (client, server) = (
      PairVerifyClient(identity: me, accessory: accessory, random: .seeded(1)), PairVerifyServer()
    )
    var message: TLV? = client.start()
    while let next = message {
      message = nil
      let steps = server.receive(
        next, identity: identity, pairing: { id in pairings.first { $0.identifier == id } }, random: .seeded(2))
      for step in steps {
        guard case .reply(let reply) = step else { continue }
        for action in client.receive(reply) { if case .send(let tlv) = action { message = tlv } }
      }
    }
    let session = AttributeSession(controller: me.identifier, connection: self, frontEnd: self)
    self.server.open(session)
    return session
  }

  private func pair(_ me: ControllerCredentials) throws {
    var client = PairSetupClient(code: TestHome.code, identity: me, random: .seeded(3))
    var server = PairSetupServer(identity: identity, random: .seeded(4))
    var waiting: [TLV] = [client.start()]
    while !waiting.isEmpty {
      var steps = server.receive(waiting.removeFirst(), context: .init(isPaired: false))
      while !steps.isEmpty {
        switch steps.removeFirst() {
        case .compute(let work): steps += server.computed(work.perform())
        case .store(let pairing):
          pairings.append(pairing)
          steps += server.stored(true)
        case .reply(let reply):
          var actions = client.receive(reply)
          while !actions.isEmpty {
            switch actions.removeFirst() {
            case .compute(let work): actions += client.computed(work.perform())
            case .send(let tlv): waiting.append(tlv)
            case .failed(let failure): throw failure
            case .paired, .startTransientSession: break
            }
          }
        default: break
        }
      }
    }
  }

  /// - Returns: nil if the answer waits for the device.
  func write(_ writes: [AttributeWrite], by session: AttributeSession) -> [HAPStatus]? {
    var transaction = WriteTransaction()
    transaction.writes = writes
    guard case .done = server.write(&transaction, isTimed: false, by: session, at: .zero) else { return nil }
    return transaction.statuses
  }

  func isAdmin(_ session: AttributeSession) -> Bool {
    pairings.contains { $0.identifier == session.controller && $0.isAdmin }
  }

  func sendEvents(of session: AttributeSession, at now: Duration) {
    let values = session.waitingEvents.map { $0.value ?? server.database.characteristics[$0.slot].value }
    events.append(Event(session: session, values: values))
    session.didSendEvents(at: now)
  }

  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    if case .write(let transaction) = request { late.append(transaction.statuses) }
  }

  func reportMissing(_ id: AttributeID, in session: AttributeSession) {
    missing += 1
    writesBeforeMissing = writeCount
  }

  /// How many writes the device has.
  var writeCount: Int { queue.actions.count { if case .wrote = $0 { true } else { false } } }

  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {
    refusals += 1
  }
}
