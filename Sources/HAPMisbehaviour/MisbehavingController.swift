import HAPController
import HAPCrypto
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

/// The context of a rule violation: a pairing, and connections that use it.
package struct MisbehavingController: Sendable {
  let loop: EventLoop
  let pairing: ControllerPairing
  /// The timeout for opening a connection, and for each answer.
  let timeout: Duration
  /// The time to wait for an event of the accessory, or to omit a required action.
  let stay: Duration

  package init(on loop: EventLoop, _ pairing: ControllerPairing, timeout: Duration, stay: Duration) {
    self.loop = loop
    self.pairing = pairing
    self.timeout = timeout
    self.stay = stay
  }

  /// Returns a connection without Pair Verify.
  func connect(_ random: RandomSource? = nil) async throws -> ControllerClient {
    let client = ControllerClient(on: loop, random: random)
    try await client.connect(
      to: try socketAddresses(pairing.addresses), connectTimeout: timeout, requestTimeout: timeout)
    return client
  }

  /// Returns a connection after Pair Verify.
  func open(_ random: RandomSource? = nil) async throws -> OpenAccessory {
    let client = try await connect(random)
    try await client.pairVerify(pairing.credentials, with: pairing.accessory)
    return OpenAccessory(client: client, pairing: pairing)
  }

  /// Returns a verified connection, and the database.
  func openAndRead() async throws -> (OpenAccessory, AttributeDatabase) {
    let accessory = try await open()
    return (accessory, try await accessory.mirror().database)
  }

  /// Returns a verified connection that is subscribed to the first suitable characteristic.
  func openAndSubscribe() async throws -> (OpenAccessory, AttributeID) {
    let (accessory, database) = try await openAndRead()
    let id = try Self.first(in: database, "with events") {
      $0.perms.contains(.events) && $0.perms.contains(.pairedRead)
    }
    try await subscribe(accessory, to: id)
    return (accessory, id)
  }

  func subscribe(_ accessory: OpenAccessory, to id: AttributeID) async throws {
    _ = try await accessory.client.request(.write([.init(id, ev: true)]))
  }

  /// Closes the connection, and immediately reconnects and subscribes. This shows that the controller did not intend to
  /// leave.
  func comeBack(from accessory: OpenAccessory, subscribingTo id: AttributeID) async throws {
    await accessory.client.close()
    let again = try await open()
    try await subscribe(again, to: id)
    await again.client.close()
  }

  /// Waits until the accessory ends the connection.
  /// - Throws: if the accessory doesn't end it within `stay`.
  func waitForEnd(of accessory: OpenAccessory) async throws {
    try await within("the accessory did not end the connection") { for await _ in accessory.client.events {} }
  }

  func waitForEvent(on accessory: OpenAccessory) async throws {
    try await within("no event arrived") { for await _ in accessory.client.events { break } }
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
    guard isDone else { throw ViolationError.tooLate(complaint, stay) }
  }

  /// Adds another controller, runs `body`, and removes the controller, also after an error.
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
      throw ViolationError.noCharacteristic(what)
    }
    return database.id(ofSlot: slot)
  }
}

/// One violation of a controller rule.
package struct ControllerViolation: Sendable {
  /// The rule of `hapsim judge` that is violated.
  package let rule: String
  package let what: String
  package let perform: @Sendable (MisbehavingController) async throws -> Void

  init(_ rule: String, _ what: String, _ perform: @escaping @Sendable (MisbehavingController) async throws -> Void) {
    self.rule = rule
    self.what = what
    self.perform = perform
  }
}

extension ControllerViolation {
  /// All violations, in the order of `--list`.
  package static let all = ofConnections + ofRequests + ofPairing + ofCharacteristics
}

/// The reason why a violation could not be performed.
package enum ViolationError: Error, Sendable {
  /// The expected action did not happen within `stay`.
  case tooLate(String, Duration)
  /// The database has no characteristic of this kind.
  case noCharacteristic(String)
}
