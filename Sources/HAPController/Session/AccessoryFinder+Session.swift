import HAPLoop
import HAPStore
import HAPTransport
import Synchronization

/// The behaviour of a session.
package struct SessionPlan: Sendable {
  /// Whether the session reconnects. If not, it ends when it loses its connection.
  package var reconnects = true
  /// Whether the session reads the news of its connection. If not, its user calls `nextReport`, and the connection
  /// waits for a slow user.
  package var readsNews = true

  package init(reconnects: Bool = true, readsNews: Bool = true) {
    self.reconnects = reconnects
    self.readsNews = readsNews
  }
}

extension AccessoryFinder {
  /// Opens a session with an accessory, and reads its database.
  /// - Throws: the error of the first connection.
  package func session(with target: Target, _ plan: SessionPlan = SessionPlan()) async throws -> AccessorySession {
    try await session(with: target, plan, OpenCalls())
  }

  func session(with target: Target, _ plan: SessionPlan, _ calls: OpenCalls) async throws -> AccessorySession {
    let (session, pairing) = try await verifiedSession(target, plan)
    do {
      let core = SessionCore(session, pairing, try await session.database())
      let made = AccessorySession(core, calls)
      await core.start(interfaces: interfaces, readsNews: plan.readsNews)
      return made
    } catch {
      await session.close()
      throw error
    }
  }

  /// Creates a session that outlives its connections, and waits until it is verified for the first time.
  private func verifiedSession(
    _ target: Target, _ plan: SessionPlan
  ) async throws -> (session: PersistentSession, pairing: ControllerPairing) {
    try await reach(target) { pairing in
      let places = Places(try socketAddresses(pairing.addresses))
      let session = PersistentSession(
        on: loop, identity: pairing.credentials, with: pairing.accessory, connectTimeout: timeout,
        requestTimeout: timeout, reconnects: plan.reconnects
      ) {
        // The first attempt uses the known addresses. After a loss, the session uses those that the search finds.
        guard places.wasAsked() else { return places.known }
        return await whereabouts(of: pairing) + places.known
      }
      switch await session.next() {
      case .lost(let error, _)?, .gaveUp(let error)?:
        await session.close()
        throw error
      case .connected(_, _, let remarks)?: note(remarks)
      case nil:
        // Cancelled before a connection was verified.
        await session.close()
        throw ClientError.cancelled
      case .values?, .database?, .unreadable?: break
      }
      return (session, pairing)
    }
  }
}

/// The presumed addresses of an accessory, and whether the session has tried them.
private final class Places: Sendable {
  let known: [SocketAddress]
  private let isTried = Mutex(false)

  init(_ known: [SocketAddress]) { self.known = known }

  /// - Returns: false for the first call.
  func wasAsked() -> Bool {
    isTried.withLock { isTried in
      defer { isTried = true }
      return isTried
    }
  }
}
