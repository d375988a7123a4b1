import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire

/// A connection that transfers no bytes.
final class MemoryConnection: PairingConnection {
  let id = ConnectionID(number: 1)
  let pairing: PairingSession
  let isOpen = true
  var isWaiting = false
  fileprivate(set) var session: AttributeSession?
  fileprivate(set) var answer: PairingAnswer?

  fileprivate init(_ pairing: PairingSession) { self.pairing = pairing }
}

/// A front end in memory: typed requests, and the pairing procedures message by message.
final class MemoryFrontEnd: AttributeFrontEnd, PairingFrontEnd {
  let accessory: MemoryAccessoryHost
  private var connections: [MemoryConnection] = []
  private(set) var events: [(session: AttributeSession, values: [Value])] = []
  private(set) var late: [[HAPStatus]] = []
  private(set) var refusals = 0
  private(set) var missing = 0
  private(set) var pairedChanges = 0
  /// How many writes the device had when a missing attribute was reported.
  private(set) var writesBeforeMissing = 0

  init(_ accessory: MemoryAccessoryHost) {
    self.accessory = accessory
    accessory.pairing.add(self)
  }

  // MARK: A controller

  private func connect() -> MemoryConnection {
    let connection = MemoryConnection(accessory.pairing.makeSession(self))
    connections.append(connection)
    return connection
  }

  private func reply(on connection: MemoryConnection) throws -> TLV {
    accessory.run()
    guard case .reply(let reply)? = connection.answer, !connection.isWaiting else { throw NoReply() }
    return reply
  }

  struct NoReply: Error {}

  func pair(_ controller: ControllerIdentity) throws {
    let me = ControllerCredentials(identifier: controller.identifier, key: controller.key)
    var client = PairSetupClient(code: TestHome.code, identity: me, random: .seeded(3))
    let connection = connect()
    var next: TLV? = client.start()
    while let message = next {
      next = nil
      accessory.pairing.receivePairSetup(message, on: connection, at: .zero)
      var actions = client.receive(try reply(on: connection))
      while !actions.isEmpty {
        switch actions.removeFirst() {
        case .compute(let work): actions += client.computed(work.perform())
        case .send(let message): next = message
        case .failed(let failure): throw failure
        case .paired, .startTransientSession: break
        }
      }
    }
  }

  func verify(_ controller: ControllerIdentity) throws -> AttributeSession {
    let me = ControllerCredentials(identifier: controller.identifier, key: controller.key)
    let identity = accessory.pairing.identity
    let paired = PairedAccessory(identifier: identity.identifier, publicKey: identity.key.publicKey)
    var client = PairVerifyClient(identity: me, accessory: paired, random: .seeded(1))
    let connection = connect()
    var next: TLV? = client.start()
    while let message = next {
      next = nil
      accessory.pairing.receivePairVerify(message, on: connection)
      for action in client.receive(try reply(on: connection)) {
        if case .send(let message) = action { next = message }
      }
    }
    guard let session = connection.session else { throw NoReply() }
    return session
  }

  /// - Returns: `nil` if the answer waits for the device.
  func write(_ writes: [AttributeWrite], by session: AttributeSession) -> [HAPStatus]? {
    var transaction = WriteTransaction()
    transaction.writes = writes
    guard case .done = accessory.attributes.write(&transaction, isTimed: false, by: session, at: .zero) else {
      return nil
    }
    return transaction.statuses
  }

  // MARK: Pairings

  private func memory(_ connection: any PairingConnection) -> MemoryConnection {
    unsafeDowncast(connection, to: MemoryConnection.self)
  }

  func answer(_ answer: PairingAnswer, on connection: any PairingConnection) { memory(connection).answer = answer }

  func secure(_ connection: any PairingConnection, _ keys: SessionKeys, controller: [UInt8]?) {
    let session = AttributeSession(controller: controller, connection: connection, frontEnd: self)
    memory(connection).session = session
    accessory.attributes.open(session)
  }

  func close(_ connection: any PairingConnection) {}
  func proceed(with connection: any PairingConnection, at now: Duration) {}
  func pairedStateChanged(after connection: (any PairingConnection)?) { pairedChanges += 1 }
  func reportRefusal(of operation: PairingOperation?, reason: String, on connection: any PairingConnection) {
    refusals += 1
  }

  // MARK: Attributes

  func isAdmin(_ session: AttributeSession) -> Bool { accessory.pairing.isAdmin(session.controller) }

  func sendEvents(of session: AttributeSession, at now: Duration) {
    let database = accessory.attributes.database
    events.append((session, session.waitingEvents.map { $0.value ?? database.characteristics[$0.slot].value }))
    session.didSendEvents(at: now)
  }

  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    if case .write(let transaction) = request { late.append(transaction.statuses) }
  }

  func reportMissing(_ id: AttributeID, in session: AttributeSession) {
    missing += 1
    writesBeforeMissing = accessory.written.count
  }

  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {
    refusals += 1
  }
}
