import HAPLoop
import HAPStore
import HAPTransport
import Synchronization

/// How a session lives.
package struct SessionPlan: Sendable {
  /// Whether a lost connection is made again. If not, the first loss is the end.
  package var reconnects = true
  /// Whether the session reads the news of its connection itself. If not, its user calls `nextReport`: the connection waits for a slow user.
  package var readsNews = true

  package init(reconnects: Bool = true, readsNews: Bool = true) {
    self.reconnects = reconnects
    self.readsNews = readsNews
  }
}

extension AccessoryFinder {
  /// Makes a session with an accessory, and reads its database.
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

  /// Makes a session that outlives its connections, and waits until it is verified for the first time.
  private func verifiedSession(
    _ target: Target, _ plan: SessionPlan
  ) async throws -> (session: PersistentSession, pairing: ControllerPairing) {
    try await reach(target) { pairing in
      let places = Places(try socketAddresses(pairing.addresses))
      let session = PersistentSession(
        on: loop, identity: pairing.credentials, with: pairing.accessory, connectTimeout: timeout,
        requestTimeout: timeout, reconnects: plan.reconnects
      ) {
        // The known addresses first. After a loss, those that the search finds.
        guard places.wasAsked() else { return places.known }
        return await whereabouts(of: pairing) + places.known
      }
      switch await session.next() {
      case .lost(let error, _)?, .gaveUp(let error)?:
        await session.close()
        throw error
      case .connected(_, _, let remarks)?: note(remarks)
      case nil:
        // Cancelled: nothing was verified.
        await session.close()
        throw ClientError.cancelled
      case .values?, .database?, .unreadable?: break
      }
      return (session, pairing)
    }
  }
}

/// Where an accessory is thought to be, and whether that has been tried.
private final class Places: Sendable {
  let known: [SocketAddress]
  private let isTried = Mutex(false)

  init(_ known: [SocketAddress]) { self.known = known }

  /// - Returns: false for the first time.
  func wasAsked() -> Bool {
    isTried.withLock { isTried in
      defer { isTried = true }
      return isTried
    }
  }
}
