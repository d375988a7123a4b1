import HAPLoop
import HAPStore
import HAPTransport
import Synchronization

extension AccessoryFinder {
  /// Makes a session that outlives its connections, and waits until it is verified for the first time.
  /// - Throws: the error of the first connection.
  package func openSession(_ target: Target) async throws -> (session: PersistentSession, pairing: ControllerPairing) {
    try await reach(target) { pairing in
      let places = Places(try socketAddresses(pairing.addresses))
      let session = PersistentSession(
        on: loop, identity: pairing.credentials, with: pairing.accessory, connectTimeout: timeout,
        requestTimeout: timeout
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
