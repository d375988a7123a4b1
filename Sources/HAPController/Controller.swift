import HAPLoop
import HAPModel
import HAPStore
import HAPTransport

/// A HomeKit controller for accessories over IP: it finds accessories, pairs with them, and opens sessions with them.
///
/// Calls can come from any task. A controller has an event loop on a separate thread, so it must be closed.
public final class Controller: Sendable {
  let loop: EventLoop
  private let ownsLoop: Bool
  private let storage: SerialStorage
  private let interfaces: [String]
  private let timeout: Duration
  private let calls = OpenCalls()

  /// - Parameters:
  ///   - storage: the storage of the pairings.
  ///   - interfaces: the names of the network interfaces to search; empty: all interfaces of the local network.
  ///   - timeout: the timeout for opening a connection, and for each answer.
  public convenience init(
    storage: any PairingStorage, interfaces: [String] = [], timeout: Duration = .seconds(10)
  ) {
    let loop = EventLoop(name: "HAPController")
    loop.start()
    self.init(on: loop, storage: storage, interfaces: interfaces, timeout: timeout, ownsLoop: true)
  }

  /// - Parameter loop: a running loop, on this machine or in a simulated world.
  package init(
    on loop: EventLoop, storage: any PairingStorage, interfaces: [String] = [], timeout: Duration = .seconds(10),
    ownsLoop: Bool = false
  ) {
    self.loop = loop
    self.ownsLoop = ownsLoop
    self.storage = SerialStorage(storage)
    self.interfaces = interfaces
    self.timeout = timeout
  }

  /// Ends all searches, calls and sessions. Pending and later calls throw ``ControllerError/Kind/closed``. Can be
  /// called any number of times. Blocks for a short time.
  public func close() {
    calls.close()
    if ownsLoop { loop.stop() }
  }

  private func perform<T: Sendable>(
    _ subject: String, _ body: @escaping @Sendable () async throws -> T
  ) async throws(ControllerError) -> T { try await calls.run(subject, on: loop, body) }

  private func finder(_ progress: @escaping @Sendable (ControllerProgress) -> Void = { _ in }) -> AccessoryFinder {
    AccessoryFinder(on: loop, storage: storage, timeout: timeout, interfaces: interfaces, progress: progress)
  }

  // MARK: Finding

  /// Searches the network once.
  /// - Parameter time: the maximum time. The search ends earlier if nothing new is found for one second.
  /// - Throws: ``ControllerError/Kind/notFound`` if the network can't be searched, ``ControllerError/Kind/cancelled``,
  ///   ``ControllerError/Kind/closed``.
  /// - Returns: the accessories by name; an empty result is not an error.
  public func findAccessories(for time: Duration = .seconds(3)) async throws(ControllerError) -> [FoundAccessory] {
    try await perform("accessories") { [self] in
      let search = AccessorySearch(on: loop, interfaces: interfaces, limit: time, quiet: .seconds(1))
      let result = try await search.all()
      if let trouble = result.trouble, result.found.isEmpty {
        throw ControllerError(noSearch: trouble, "accessories")
      }
      return result.found
    }
  }

  /// Watches the network until the watch is closed or its iterator is released. After the controller is closed, the
  /// watch reports no changes.
  public func watchAccessories() -> AccessoryWatch {
    AccessoryWatch(AccessorySearch(on: loop, interfaces: interfaces, limit: nil))
  }

  // MARK: Pairing

  /// Pairs with an accessory, and stores the pairing before it returns. HAP R2 §5.6.
  /// - Parameters:
  ///   - accessory: the accessory's name, device ID ("AA:BB:CC:DD:EE:FF") or address ("192.0.2.7:51826"). nil: the
  ///     accessory with the payload's setup ID.
  ///   - code: the setup code ("031-45-154") or the setup payload ("X-HM://…").
  ///   - name: the name of the pairing; nil: the accessory's name.
  ///   - identity: the controller's identity for the accessory; nil: a new one, used only for this pairing.
  ///   - progress: called with each step, on any thread.
  /// - Throws: ``ControllerError/Kind/wrongSetupCode``, ``ControllerError/Kind/alreadyPaired``, ``ControllerError/Kind/notFound`` and others.
  /// - Returns: the pairing.
  public func pair(
    with accessory: String? = nil, code: String, name: String? = nil, as identity: ControllerIdentity? = nil,
    progress: @escaping @Sendable (ControllerProgress) -> Void = { _ in }
  ) async throws(ControllerError) -> StoredPairing {
    let subject = accessory ?? "the accessory of the setup payload"
    return try await perform(subject) { [self] in
      let secret = try SetupSecret(code)
      let target: Target
      if let accessory {
        target = try Self.target(accessory)
      } else if let id = secret.payload?.setupID {
        target = .setupID(id)
      } else {
        throw ControllerError(.malformed, subject, "the setup code has no setup ID", "name the accessory too")
      }
      let procedure = PairingProcedure(finder(progress), with: target, secret, alias: name, as: identity)
      return StoredPairing(try await procedure.run())
    }
  }

  /// Creates a random identity, for several pairings of one user.
  public func makeIdentity() -> ControllerIdentity { ControllerIdentity(drawnFrom: loop.random) }

  /// Returns the stored pairings, by name. Blocks if the storage blocks.
  public func pairings() throws(ControllerError) -> [StoredPairing] {
    do { return try storage.pairings() } catch { throw ControllerError(error, "the storage of pairings") }
  }

  /// Removes the pairing from the accessory, then from the storage. HAP R2 §5.11.
  /// - Parameter accessory: the name, device ID or address of a stored pairing.
  public func unpair(_ accessory: String) async throws(ControllerError) {
    try await perform(accessory) { [self] in
      let open = try await finder().open(try Self.target(accessory))
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await open.changePairings(.removing(open.pairing))) } catch {
        outcome = .failure(error)
      }
      await open.client.close()
      try outcome.get()
      try storage.removePairing(named: open.pairing.alias)
    }
  }

  /// Removes the pairing only from the storage, for an accessory that was reset or no longer exists.
  /// - Parameter accessory: the name, device ID or address of a stored pairing.
  public func forget(_ accessory: String) throws(ControllerError) {
    do {
      let pairing = try finder().knownPairings().pairing(for: try Self.target(accessory))
      try storage.removePairing(named: pairing.alias)
    } catch { throw ControllerError(error, accessory) }
  }

  // MARK: Using

  /// Opens a session with a paired accessory, and reads its database. The session reconnects when it loses its
  /// connection.
  /// - Parameter accessory: the name, device ID or address of a stored pairing. If the accessory has another address
  ///   now, it is searched for, and the new address is stored.
  /// - Throws: the error of the first connection.
  public func session(with accessory: String) async throws(ControllerError) -> AccessorySession {
    try await perform(accessory) { [self] in
      try await finder().session(with: try Self.target(accessory), SessionPlan(), calls)
    }
  }

  /// Makes an unpaired accessory identify itself. HAP R2 §6.7.6. For a paired one, see ``AccessorySession/identify()``.
  /// - Parameter accessory: the accessory's name, device ID or address.
  /// - Throws: ``ControllerError/Kind/alreadyPaired``.
  public func identifyUnpaired(_ accessory: String) async throws(ControllerError) {
    try await perform(accessory) { [self] in
      guard try await finder().identifyStranger(try Self.target(accessory)) == nil else { return }
      throw ControllerError(.alreadyPaired, accessory, "this controller is paired with it", "use a session instead")
    }
  }

  private static func target(_ text: String) throws(ControllerError) -> Target {
    do throws(LoopError) { return try Target(text: text) } catch {
      throw ControllerError(.malformed, text, error.detail, "give an address such as 192.0.2.7:51826")
    }
  }
}
