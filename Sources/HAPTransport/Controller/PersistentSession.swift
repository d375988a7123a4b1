import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// A verified session with an accessory that outlives its connections, for async callers.
///
/// The first call connects. After a loss it reconnects after 1 s, 2 s, 4 s … at most one minute. Then the session
/// restores all subscriptions and reports the values that changed meanwhile. A database that was read with
/// `database()` is read again when it may have changed. A caller that subscribes must read the news: if too many are
/// unread, the connection is closed, and reopened when there is space.
///
/// An actor on its loop.
package actor PersistentSession {
  package nonisolated let loop: EventLoop
  private let plan: PersistentConnection.Plan
  private nonisolated let bound: LoopBound<Held>
  private var held: Held { bound.value }
  private var isClosed = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - loop: must be running; the session belongs to it.
  ///   - accessory: the expected accessory; a different one at its address is treated as unreachable.
  ///   - connectTimeout: for finding the addresses and connecting.
  ///   - requestTimeout: for each answer while the connection is set up, and the default for requests.
  ///   - databasePace: the minimum time between two automatic reads of the database.
  ///   - reconnects: whether it reconnects after a loss. If not, the first loss ends the session.
  ///   - searchTimeout: for finding the addresses alone; nil: `connectTimeout`.
  ///   - random: for keys, and for the jitter of the delays. nil: the loop's.
  ///   - attemptEnded: called at the end of each attempt to connect, on the loop: the session is ready for requests, or
  ///     the attempt has failed.
  ///   - findAddresses: returns the accessory's current addresses in order of preference. Called before each attempt,
  ///     with only one call at a time.
  package init(
    on loop: EventLoop, identity: ControllerCredentials, with accessory: PairedAccessory,
    connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(15), backOff: BackOff = BackOff(),
    databasePace: Duration = DatabaseFreshness.pace, reconnects: Bool = true, searchTimeout: Duration? = nil,
    random: RandomSource? = nil, attemptEnded: @escaping @Sendable () -> Void = {},
    findAddresses: @escaping @Sendable () async -> [SocketAddress]
  ) {
    self.loop = loop
    bound = LoopBound(loop, Held())
    plan = PersistentConnection.Plan(
      identity: identity, accessory: accessory, findAddresses: findAddresses, connectTimeout: connectTimeout,
      requestTimeout: requestTimeout, backOff: backOff, random: random ?? loop.random, databasePace: databasePace,
      reconnects: reconnects, searchTimeout: searchTimeout, attemptEnded: attemptEnded)
  }

  /// Objects that belong to the loop. They outlive a released session until the loop has closed them.
  private final class Held { var connection: PersistentConnection? }

  deinit { loop.schedule { [bound] in bound.value.connection?.close() } }

  /// Nil if the session was closed before it began.
  private var connection: PersistentConnection? {
    if held.connection == nil, !isClosed { held.connection = PersistentConnection(plan, on: loop) }
    return held.connection
  }

  /// Whether requests are sent at once.
  package var isConnected: Bool { held.connection?.isReady ?? false }
  package var peer: SocketAddress? { held.connection?.peer }

  /// Ends the session; pending requests fail with `.cancelled`. Any number of times.
  package func close() {
    isClosed = true
    held.connection?.close()
  }

  /// Closes the present connection, because an answer is overdue. A new one is made after the usual delay.
  package func drop() { held.connection?.drop() }

  /// Makes the next attempt now, if the session waits for its time: the accessory has probably returned.
  package func hint() { held.connection?.hint() }

  /// Adds addresses to an attempt to connect: the accessory has probably moved. Without an open attempt this does
  /// nothing.
  package func tryAddresses(_ addresses: [SocketAddress]) { held.connection?.tryAddresses(addresses) }

  // MARK: News

  /// Returns the next news; nil if there will be none, or if the task was cancelled. Only one caller at a time.
  package func next() async -> SessionNews? {
    let ticket = Ticket(nil)
    return await withTaskCancellationHandler {
      // Capturing `self` keeps the closure on the loop.
      await withCheckedContinuation { (continuation: CheckedContinuation<SessionNews?, Never>) in
        guard !Task.isCancelled, let connection = self.connection else { return continuation.resume(returning: nil) }
        let number = connection.next { continuation.resume(returning: $0) }
        ticket.withLock { $0 = number }
      }
    } onCancel: {
      loop.startTask { await self.stopWaiting(ticket) }
    }
  }

  /// A number for cancelling an operation, once it has one.
  private typealias Ticket = Guarded<UInt64?>

  private func stopWaiting(_ ticket: Ticket) { ticket.withLock { $0 }.map { held.connection?.stopWaiting($0) } }

  // MARK: Requests

  /// Sends a request when there is a connection and all earlier requests have been answered, and returns its answer
  /// with any status.
  ///
  /// If the connection breaks after the request was sent, the request fails and is never sent again: the accessory
  /// may have executed it. After `.notSent`, it was certainly not executed. A request without an answer in time ends
  /// the connection, because a late answer could be assigned to another request.
  /// - Parameters:
  ///   - timeout: from now until the answer.
  ///   - waits: whether it may wait for a connection. If not, it fails with `.notSent` without a connection, and if the
  ///     connection is lost before it is sent.
  package func request(
    _ request: ControllerRequest, timeout: Duration? = nil, waits: Bool = true
  ) async throws(ClientError) -> LinkMessage {
    let timeout = timeout ?? plan.requestTimeout
    let ticket = Ticket(nil)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ControllerConnection.Answer, Never>) in
        guard !Task.isCancelled, let connection = self.connection else {
          return continuation.resume(returning: .failure(.cancelled))
        }
        let number = connection.send(request, timeout: timeout, waits: waits) { continuation.resume(returning: $0) }
        ticket.withLock { $0 = number }
      }
    } onCancel: {
      loop.startTask { await self.giveUp(ticket) }
    }.get()
  }

  private func giveUp(_ ticket: Ticket) { ticket.withLock { $0 }.map { held.connection?.giveUp($0) } }

  // MARK: Database

  /// Reads the database. From now on it is read again when it may have changed, and reported as news. It may have
  /// changed if the accessory's configuration number is different, and after each loss of the connection.
  /// - Parameter timeout: from now until the answer.
  package func database(timeout: Duration? = nil) async throws(ClientError) -> AccessoryMirror {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome { $0.readDatabase(timeout: timeout, done: $1) }
  }

  /// Handles the configuration number (`c#`) of the accessory's record. Callers must report it whenever they see the
  /// record.
  package func configurationNumber(is number: UInt32) { held.connection?.configurationNumber(is: number) }

  // MARK: Subscriptions

  /// Subscribes. The accepted subscriptions are restored on each new connection.
  /// - Parameters:
  ///   - timeout: for each request that is needed.
  ///   - reportsValues: whether the current values are news, with `isCatchUp`.
  /// - Throws: if an answer is missing; subscriptions accepted until then last as long as this connection.
  /// - Returns: the entries that the accessory refused.
  package func subscribe(
    to ids: [AttributeID], timeout: Duration? = nil, reportsValues: Bool = false
  ) async throws(ClientError) -> [CharacteristicEntry] {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome {
      $0.subscribe(ids, timeout: timeout, told: reportsValues ? .catchUp : .quietly, done: $1)
    }
  }

  /// - Returns: the entries that the accessory refused.
  package func unsubscribe(
    from ids: [AttributeID], timeout: Duration? = nil
  ) async throws(ClientError) -> [CharacteristicEntry] {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome { $0.unsubscribe(ids, timeout: timeout, done: $1) }
  }

  /// Waits for the outcome of several requests, or for the cancellation of the task. Requests that were already sent
  /// are executed.
  private func outcome<T: Sendable>(
    of start: (PersistentConnection, @escaping (Result<T, ClientError>) -> Void) -> Void
  ) async throws(ClientError) -> T {
    let waiting = Guarded<CheckedContinuation<Result<T, ClientError>, Never>?>(nil)
    @Sendable func end(_ result: Result<T, ClientError>) {
      waiting.withLock { $0.take() }?.resume(returning: result)
    }
    return try await withTaskCancellationHandler {
      // Capturing `self` keeps the closure on the loop.
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        guard !Task.isCancelled, let connection = self.connection else { return end(.failure(.cancelled)) }
        start(connection) { end($0) }
      }
    } onCancel: {
      end(.failure(.cancelled))
    }.get()
  }
}
