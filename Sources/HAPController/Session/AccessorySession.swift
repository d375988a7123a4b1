import HAPIP
import HAPLoop
import HAPModel
import HAPStore
import HAPTransport

/// A session with a paired accessory, which outlives its connections.
///
/// After a loss of the connection, the session reconnects after 1 s, 2 s, 4 s and so on, up to one minute, and renews
/// all subscriptions. It reads the database again after each loss, and when the `c#` of the accessory's TXT record
/// changes. Requests wait for a connection until their timeout.
///
/// A session ends by ``close()``, when its last reference is released, or with its controller. All calls then throw
/// ``ControllerError/Kind/closed``. Calls can come from any task.
public final class AccessorySession: Sendable {
  private let core: SessionCore
  private let calls: OpenCalls
  /// The number of the session; nil: the controller was closed before the session began.
  private let number: UInt64?

  init(_ core: SessionCore, _ calls: OpenCalls) {
    self.core = core
    self.calls = calls
    number = calls.add { core.closeSoon() }
    if number == nil { core.closeSoon() }
  }

  deinit {
    if let number { calls.remove(number) }
    core.closeSoon()
  }

  /// The name of the pairing.
  public var name: String { core.pairing.alias }

  /// Ends the session and its sequences of changes. Can be called any number of times.
  public func close() async {
    if let number { calls.remove(number) }
    do {
      try await calls.run(name, on: core.loop) { [core] in await core.close() }
    } catch {
      // The controller was closed, possibly before it registered this session.
      if !core.isClosed { core.closeSoon() }
    }
    core.listeners.finish()
  }

  /// Whether there is a verified connection now.
  public var isConnected: Bool { get async { (try? await perform { await $0.isConnected }) ?? false } }

  private func perform<T: Sendable>(
    _ body: @escaping @Sendable (SessionCore) async throws -> T
  ) async throws(ControllerError) -> T {
    if core.isClosed { throw .sessionClosed(name) }
    do throws(ControllerError) {
      return try await calls.run(name, on: core.loop) { [core] in try await body(core) }
    } catch {
      // Requests that waited when the session was closed fail like cancelled calls.
      throw error.kind == .cancelled && core.isClosed ? .sessionClosed(name) : error
    }
  }

  // MARK: Database

  /// The last database, with the values from later reads and events. Available also after the end of the session.
  public var snapshot: DatabaseSnapshot { core.known.withLock { $0.snapshot } }

  /// Reads the database now.
  /// - Throws: ``ControllerError/Kind/timedOut``, ``ControllerError/Kind/notSent``, ``ControllerError/Kind/connectionLost``,
  ///   ``ControllerError/Kind/malformedMessage``, ``ControllerError/Kind/closed``.
  public func readDatabase() async throws(ControllerError) -> DatabaseSnapshot {
    try await perform { try await $0.readDatabase() }
  }

  // MARK: Characteristics

  /// Reads characteristics, at most 100 in one request. HAP R2 §6.7.4.
  /// - Parameter ids: the characteristics. If empty, no request is sent.
  /// - Throws: ``ControllerError/Kind/timedOut``, ``ControllerError/Kind/notSent``, ``ControllerError/Kind/connectionLost``,
  ///   ``ControllerError/Kind/malformedMessage``, ``ControllerError/Kind/closed``. A refused characteristic is not an
  ///   error.
  /// - Returns: a result for each entry of the answers, in their order.
  public func read(_ ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    try await perform { try await $0.read(ids) }
  }

  /// Writes characteristics in one request. HAP R2 §6.7.2.
  /// - Parameters:
  ///   - values: the values. If empty, no request is sent.
  ///   - isTimed: whether to make a timed write (HAP R2 §6.7.2.4); nil: only if a characteristic requires it.
  /// - Throws: ``ControllerError/Kind/notSent``: nothing was written. ``ControllerError/Kind/timedOut``,
  ///   ``ControllerError/Kind/connectionLost``, ``ControllerError/Kind/malformedMessage``: the values may have been written.
  ///   ``ControllerError/Kind/refused``: the accessory refused to prepare a timed write. ``ControllerError/Kind/closed``.
  /// - Returns: a result for each value, in order.
  public func write(
    _ values: [CharacteristicWrite], isTimed: Bool? = nil
  ) async throws(ControllerError) -> [CharacteristicResult] {
    try await perform { try await $0.write(values, isTimed: isTimed) }
  }

  /// Subscribes to characteristics. The session renews the subscriptions on each connection. HAP R2 §6.8.
  /// - Throws: as ``read(_:)``. Some subscriptions may exist nevertheless.
  /// - Returns: a result for each characteristic that the accessory refused.
  public func subscribe(to ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    try await perform { try await $0.subscribe(ids, true) }
  }

  /// Removes subscriptions.
  /// - Throws: as ``read(_:)``. The next connection doesn't renew the subscriptions in any case.
  /// - Returns: a result for each characteristic that the accessory refused.
  public func unsubscribe(from ids: [AttributeID]) async throws(ControllerError) -> [CharacteristicResult] {
    try await perform { try await $0.subscribe(ids, false) }
  }

  /// Makes the accessory identify itself. HAP R2 §6.7.6.
  /// - Throws: ``ControllerError/Kind/notSupported``, ``ControllerError/Kind/refused``, and as ``read(_:)``.
  public func identify() async throws(ControllerError) { try await perform { try await $0.identify() } }

  // MARK: Pairings

  /// Returns the controllers that are paired with the accessory. This controller must be an admin. HAP R2 §5.12.
  /// - Throws: ``ControllerError/Kind/refused``, and as ``read(_:)``.
  public func pairings() async throws(ControllerError) -> [Pairing] {
    try await perform { try await $0.listPairings() }
  }

  /// Adds a controller, or changes the permission of one. This controller must be an admin. HAP R2 §5.10.
  /// - Throws: ``ControllerError/Kind/refused``, and as ``read(_:)``.
  public func addPairing(_ pairing: Pairing) async throws(ControllerError) {
    try await perform { try await $0.changePairings(.adding(pairing)) }
  }

  /// Removes a controller. This controller must be an admin. HAP R2 §5.11. To remove the session's own pairing, use
  /// ``Controller/unpair(_:)``.
  /// - Parameter pairing: an element of ``pairings()``. Only its identifier is used.
  /// - Throws: ``ControllerError/Kind/refused``, and as ``read(_:)``.
  public func removePairing(_ pairing: Pairing) async throws(ControllerError) {
    try await perform { try await $0.changePairings(.removing(pairing.identifier)) }
  }

  // MARK: Changes

  /// Returns a sequence of the changes from now on. A session can have several.
  ///
  /// A sequence ends with the session, or when 1,000 changes wait to be read.
  public func changes() -> AsyncStream<SessionChange> { core.listeners.makeStream() }
}

// MARK: For hapctl

extension AccessorySession: AccessoryRequests {
  package var loop: EventLoop { core.loop }
  package var pairing: ControllerPairing { core.pairing }
  /// The deviations that were tolerated in the database and in later values.
  package var remarks: [Deviation] { core.known.withLock { $0.mirror.remarks } }

  package func answer(to request: ControllerRequest) async throws(ClientError) -> LinkMessage {
    try await core.answer(to: request)
  }

  /// Returns the next news of a session that doesn't read them itself; nil if there are no more, or the task was
  /// cancelled. Only one caller at a time.
  package func nextReport() async -> SessionReport? { await core.next() }
}
