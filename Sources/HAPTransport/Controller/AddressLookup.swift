import HAPLoop

/// A search for addresses that stays on the loop's thread. A task of a class would begin on another thread, and return
/// to the loop from it.
actor AddressLookup {
  private nonisolated let loop: EventLoop

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  /// Starts a search. On the loop.
  /// - Parameter done: called in a later turn of the loop, also if the task was cancelled.
  nonisolated func start(
    _ find: nonisolated(nonsending) @escaping @Sendable () async -> [SocketAddress],
    done: @escaping @Sendable ([SocketAddress]) -> Void
  ) -> Task<Void, Never> {
    assumeIsolated { lookup in lookup.begin(find, done) }
  }

  private func begin(
    _ find: nonisolated(nonsending) @escaping @Sendable () async -> [SocketAddress],
    _ done: @escaping @Sendable ([SocketAddress]) -> Void
  ) -> Task<Void, Never> {
    loop.startTask {
      let addresses = await self.found(by: find)
      self.loop.schedule { done(addresses) }
    }
  }

  private func found(by find: nonisolated(nonsending) @Sendable () async -> [SocketAddress]) async -> [SocketAddress] {
    await find()
  }
}
