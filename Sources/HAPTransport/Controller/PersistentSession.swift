import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// A verified session with an accessory that outlives its connections, for callers that await.
///
/// The first call connects. A lost connection is made again after 1 s, 2 s, 4 s … a minute at most. Then the session
/// subscribes to everything again, and reports the values that changed meanwhile. A database that was read with
/// `database()` is read again when it may have changed. A caller that subscribes must read the news: when too many
/// wait, the connection is closed, and made again when there is room.
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
  ///   - loop: runs; the session belongs to it.
  ///   - accessory: the one that is meant; any other at its address is as good as none.
  ///   - connectTimeout: for finding the addresses and connecting.
  ///   - requestTimeout: for each answer while the connection is made ready, and for requests that name no other.
  ///   - databasePace: the time between two automatic reads of the database.
  ///   - reconnects: whether a lost connection is made again. If not, the first loss is the end.
  ///   - random: for keys, and for the jitter of the waits. nil: the loop's.
  ///   - findAddresses: where the accessory is now, in the order of preference. Asked before each try, and never twice at a time.
  package init(
    on loop: EventLoop, identity: ControllerCredentials, with accessory: PairedAccessory,
    connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(15), backOff: BackOff = BackOff(),
    databasePace: Duration = DatabaseFreshness.pace, reconnects: Bool = true, random: RandomSource? = nil,
    findAddresses: @escaping @Sendable () async -> [SocketAddress]
  ) {
    self.loop = loop
    bound = LoopBound(loop, Held())
    plan = PersistentConnection.Plan(
      identity: identity, accessory: accessory, findAddresses: findAddresses, connectTimeout: connectTimeout,
      requestTimeout: requestTimeout, backOff: backOff, random: random ?? loop.random, databasePace: databasePace,
      reconnects: reconnects)
  }

  /// What belongs to the loop, and outlives a session that is let go until the loop has closed it.
  private final class Held { var connection: PersistentConnection? }

  deinit { loop.schedule { [bound] in bound.value.connection?.close() } }

  /// Nil when it was closed before it began.
  private var connection: PersistentConnection? {
    if held.connection == nil, !isClosed { held.connection = PersistentConnection(plan, on: loop) }
    return held.connection
  }

  /// Whether requests go out at once.
  package var isConnected: Bool { held.connection?.isReady ?? false }
  package var peer: SocketAddress? { held.connection?.peer }

  /// Ends it; what waits fails with `.cancelled`. Any number of times.
  package func close() {
    isClosed = true
    held.connection?.close()
  }

  // MARK: News

  /// The next news; nil when there will be none, or the task was cancelled. One caller at a time.
  package func next() async -> SessionNews? {
    let ticket = Ticket(nil)
    return await withTaskCancellationHandler {
      // `self` in it keeps the closure on the loop.
      await withCheckedContinuation { (continuation: CheckedContinuation<SessionNews?, Never>) in
        guard !Task.isCancelled, let connection = self.connection else { return continuation.resume(returning: nil) }
        let number = connection.next { continuation.resume(returning: $0) }
        ticket.withLock { $0 = number }
      }
    } onCancel: {
      loop.startTask { await self.stopWaiting(ticket) }
    }
  }

  /// A number by which to give something up, once it has one.
  private typealias Ticket = Guarded<UInt64?>

  private func stopWaiting(_ ticket: Ticket) { ticket.withLock { $0 }.map { held.connection?.stopWaiting($0) } }

  // MARK: Requests

  /// Sends a request when there is a connection and the answers of those before it are there, and returns its answer, whatever its status.
  ///
  /// When the connection breaks while the request is on its way, it fails, and is never sent again: it may have been done. When it failed with
  /// `.notSent`, it certainly wasn't. One that gets no answer in its time ends the connection, since a late answer could be taken for another's.
  /// - Parameter timeout: from now until the answer.
  package func request(
    _ request: ControllerRequest, timeout: Duration? = nil
  ) async throws(ClientError) -> LinkMessage {
    let timeout = timeout ?? plan.requestTimeout
    let ticket = Ticket(nil)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ControllerConnection.Answer, Never>) in
        guard !Task.isCancelled, let connection = self.connection else {
          return continuation.resume(returning: .failure(.cancelled))
        }
        let number = connection.send(request, timeout: timeout) { continuation.resume(returning: $0) }
        ticket.withLock { $0 = number }
      }
    } onCancel: {
      loop.startTask { await self.giveUp(ticket) }
    }.get()
  }

  private func giveUp(_ ticket: Ticket) { ticket.withLock { $0 }.map { held.connection?.giveUp($0) } }

  // MARK: Database

  /// Reads the database. From now on it is read again, and reported as news, when it may have changed: when the accessory's configuration
  /// number is another one, and after each loss of the connection.
  /// - Parameter timeout: from now until the answer.
  package func database(timeout: Duration? = nil) async throws(ClientError) -> AccessoryMirror {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome { $0.readDatabase(timeout: timeout, done: $1) }
  }

  /// Takes the configuration number (`c#`) of the accessory's record. Callers report it whenever they see the record.
  package func configurationNumber(is number: UInt32) { held.connection?.configurationNumber(is: number) }

  // MARK: Subscriptions

  /// Subscribes. What the accessory agrees to is subscribed to again on each new connection.
  /// - Parameter timeout: for each request it takes.
  /// - Throws: when the accessory didn't say; what it agreed to until then lasts as long as this connection.
  /// - Returns: what the accessory refused.
  package func subscribe(
    to ids: [AttributeID], timeout: Duration? = nil
  ) async throws(ClientError) -> [CharacteristicEntry] {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome { $0.subscribe(ids, timeout: timeout, done: $1) }
  }

  /// - Returns: what the accessory refused.
  package func unsubscribe(
    from ids: [AttributeID], timeout: Duration? = nil
  ) async throws(ClientError) -> [CharacteristicEntry] {
    let timeout = timeout ?? plan.requestTimeout
    return try await outcome { $0.unsubscribe(ids, timeout: timeout, done: $1) }
  }

  /// Waits for the outcome of several requests, or for the cancellation of the task. Requests that were sent by then are carried out.
  private func outcome<T: Sendable>(
    of start: (PersistentConnection, @escaping (Result<T, ClientError>) -> Void) -> Void
  ) async throws(ClientError) -> T {
    let waiting = Guarded<CheckedContinuation<Result<T, ClientError>, Never>?>(nil)
    @Sendable func end(_ result: Result<T, ClientError>) {
      waiting.withLock { $0.take() }?.resume(returning: result)
    }
    return try await withTaskCancellationHandler {
      // `self` in it keeps the closure on the loop.
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
