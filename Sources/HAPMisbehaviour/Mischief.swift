import HAPController
import HAPCrypto
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

/// The means of a misdeed: a pairing, and connections that are made with it.
package struct Mischief: Sendable {
  let loop: EventLoop
  let pairing: ControllerPairing
  /// For making a connection, and for each answer.
  let timeout: Duration
  /// How long a controller stays that ought to do something, and doesn't.
  let stay: Duration

  package init(on loop: EventLoop, _ pairing: ControllerPairing, timeout: Duration, stay: Duration) {
    self.loop = loop
    self.pairing = pairing
    self.timeout = timeout
    self.stay = stay
  }

  /// Connected, and no more.
  func connect(_ random: RandomSource? = nil) async throws -> ControllerClient {
    let client = ControllerClient(on: loop, random: random)
    try await client.connect(
      to: try socketAddresses(pairing.addresses), connectTimeout: timeout, requestTimeout: timeout)
    return client
  }

  /// Connected and verified.
  func open(_ random: RandomSource? = nil) async throws -> OpenAccessory {
    let client = try await connect(random)
    try await client.pairVerify(pairing.credentials, with: pairing.accessory)
    return OpenAccessory(client: client, pairing: pairing)
  }

  /// The same, with the database.
  func openAndRead() async throws -> (OpenAccessory, AttributeDatabase) {
    let accessory = try await open()
    return (accessory, try await accessory.mirror().database)
  }

  /// Verified and subscribed to the first characteristic that can be.
  func openAndSubscribe() async throws -> (OpenAccessory, AttributeID) {
    let (accessory, database) = try await openAndRead()
    let id = try Self.first(in: database, "that has events") {
      $0.perms.contains(.events) && $0.perms.contains(.pairedRead)
    }
    try await subscribe(accessory, to: id)
    return (accessory, id)
  }

  func subscribe(_ accessory: OpenAccessory, to id: AttributeID) async throws {
    _ = try await accessory.client.request(.write([.init(id, ev: true)]))
  }

  /// Closes, and is back as if nothing had been: the sign that it didn't mean to go.
  func comeBack(from accessory: OpenAccessory, subscribingTo id: AttributeID) async throws {
    await accessory.client.close()
    let again = try await open()
    try await subscribe(again, to: id)
    await again.client.close()
  }

  /// Until the other side ends the connection.
  /// - Throws: when it doesn't, for as long as we stay.
  func waitForEnd(of accessory: OpenAccessory) async throws {
    try await within("the accessory didn't end the connection") { for await _ in accessory.client.events {} }
  }

  func waitForEvent(on accessory: OpenAccessory) async throws {
    try await within("no event came") { for await _ in accessory.client.events { break } }
  }

  private func within(_ complaint: String, _ body: @escaping @Sendable () async -> Void) async throws {
    let (stay, loop) = (stay, loop)
    let isDone = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await body()
        return !Task.isCancelled
      }
      group.addTask {
        try? await loop.sleep(for: stay)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
    guard isDone else { throw MisdeedError.tooLate(complaint, stay) }
  }

  /// Lets another controller in, and out again, whatever comes of what is done meanwhile.
  func withOther(
    _ other: Pairing, at accessory: OpenAccessory, _ body: () async throws -> Void
  ) async throws {
    try await accessory.changePairings(.adding(other))
    do { try await body() } catch {
      try? await accessory.changePairings(.removing(other.identifier))
      throw error
    }
    try await accessory.changePairings(.removing(other.identifier))
  }

  package static func first(
    in database: AttributeDatabase, _ what: String, _ isMeant: (Characteristic) -> Bool
  ) throws -> AttributeID {
    guard let slot = database.characteristics.firstIndex(where: isMeant) else {
      throw MisdeedError.noCharacteristic(what)
    }
    return database.id(ofSlot: slot)
  }
}

/// One thing that a controller does wrong.
package struct Misdeed: Sendable {
  /// The rule of `hapsim judge` that it breaks.
  package let rule: String
  package let what: String
  package let perform: @Sendable (Mischief) async throws -> Void

  init(_ rule: String, _ what: String, _ perform: @escaping @Sendable (Mischief) async throws -> Void) {
    self.rule = rule
    self.what = what
    self.perform = perform
  }
}

extension Misdeed {
  /// All of them, in the order of help.
  package static let all = ofConnections + ofRequests + ofPairing + ofCharacteristics
}

/// Why a misdeed could not be done.
package enum MisdeedError: Error, Sendable {
  /// This did not happen in the time that a controller stays.
  case tooLate(String, Duration)
  /// The database has no characteristic of this kind.
  case noCharacteristic(String)
}
