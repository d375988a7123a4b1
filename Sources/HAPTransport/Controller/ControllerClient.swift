import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPWire

/// One connection of a controller to an accessory, for async callers: requests with their answers, and a stream of
/// events.
///
/// An actor on its loop. It never reconnects: create a new client instead.
package actor ControllerClient {
  package nonisolated let loop: EventLoop
  /// The maximum number of unread events before the connection is closed, so that an accessory can't fill the memory.
  package static let eventRoom = 1000

  /// Events in the order of arrival; ends with the connection.
  package nonisolated let events: AsyncStream<LinkMessage>

  private let tell: AsyncStream<LinkMessage>.Continuation
  private let random: RandomSource
  private nonisolated let bound: LoopBound<Held>
  private var held: Held { bound.value }
  private var connection: ControllerConnection? { held.connection }
  private var isClosed = false
  /// Called for every plaintext message, from the start.
  private let onPlain: (@Sendable (_ isFromController: Bool, [UInt8]) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - loop: must be running; the client belongs to it.
  ///   - random: nil: the loop's.
  ///   - onPlain: called for every plaintext message in either direction, on the loop.
  package init(
    on loop: EventLoop, random: RandomSource? = nil, onPlain: (@Sendable (Bool, [UInt8]) -> Void)? = nil
  ) {
    self.loop = loop
    bound = LoopBound(loop, Held())
    self.random = random ?? loop.random
    self.onPlain = onPlain
    (events, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.eventRoom))
  }

  /// Objects that belong to the loop. They outlive a released client until the loop has closed them.
  private final class Held {
    var connection: ControllerConnection?
    var connector: Connector?
    func close() {
      connector?.cancel()
      connection?.close()
    }
  }

  deinit { loop.schedule { [bound] in bound.value.close() } }

  // MARK: The connection

  /// Connects to the first of `addresses` that answers.
  /// - Parameters:
  ///   - connectTimeout: for all addresses together.
  ///   - requestTimeout: for each later answer.
  package func connect(
    to addresses: [SocketAddress], connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(15)
  ) async throws(ClientError) {
    precondition(held.connection == nil && held.connector == nil, "a client can connect only once")
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ClientError?, Never>) in
        guard !isClosed, !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
        held.connector = Connector(loop, to: addresses, timeout: connectTimeout) { [loop] result in
          let bound = LoopBound(here: loop, result)
          self.assumeIsolated { client in
            client.held.connector = nil
            switch bound.value {
            case .success(let stream):
              client.take(stream, requestTimeout)
              continuation.resume(returning: nil)
            case .failure(let error): continuation.resume(returning: error)
            }
          }
        }
      }
    } onCancel: {
      loop.startTask { await self.close() }
    }
    if let failure { throw failure }
  }

  private func take(_ stream: TCPStream, _ timeout: Duration) {
    let host = stream.peerAddress.map { "\($0)" } ?? ""
    let connection = ControllerConnection(stream, host: host, timeout: timeout, random: random, on: loop)
    connection.link.onPlain = onPlain
    connection.onEvent = { [tell] in
      if case .dropped = tell.yield($0) { false } else { true }
    }
    connection.onEnd = { [tell] _ in tell.finish() }
    held.connection = connection
  }

  /// Closes the connection, or cancels connecting. Pending requests fail with `.cancelled`. Any number of times.
  package func close() {
    isClosed = true
    held.close()
    tell.finish()
  }

  package var peer: SocketAddress? { connection?.peer }
  /// The deviations that were tolerated in the pairing procedures.
  package var remarks: [Deviation] { connection?.remarks ?? [] }
  package var isSecured: Bool { connection?.link.isSecured ?? false }

  // MARK: Requests

  /// Sends a request after all earlier requests have been answered, and returns its answer with any status.
  package func request(_ request: ControllerRequest) async throws(ClientError) -> LinkMessage {
    let ticket = Ticket(nil)
    return try await withTaskCancellationHandler {
      // Capturing `self` keeps the closure on the loop.
      await withCheckedContinuation { (continuation: CheckedContinuation<ControllerConnection.Answer, Never>) in
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        guard let connection = self.connection else {
          return continuation.resume(returning: .failure(.closed(during: request.name)))
        }
        let number = connection.send(request) { continuation.resume(returning: $0) }
        ticket.withLock { $0 = number }
      }
    } onCancel: {
      loop.startTask { await self.giveUp(ticket) }
    }.get()
  }

  /// The number of a request, once it has one.
  private typealias Ticket = Guarded<UInt64?>

  private func giveUp(_ ticket: Ticket) { ticket.withLock { $0 }.map { connection?.giveUp($0) } }

  /// Sends arbitrary bytes: see `ControllerConnection.sendPlain`.
  package func sendPlain(_ bytes: [UInt8]) { connection?.sendPlain(bytes) }

  /// Replaces the bytes of each request from now on, before they are sealed.
  package func alterRequests(_ alteration: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    connection?.link.alterMessage = alteration
  }

  // MARK: Pairing

  /// Runs Pair Setup. Returns the verified accessory, or nil after a transient procedure, which leaves the connection
  /// secured.
  package func pairSetup(
    code: String, identity: ControllerCredentials, flags: PairingFlags = []
  ) async throws(ClientError) -> PairedAccessory? {
    guard let connection else { throw .closed(during: "Pair Setup") }
    return try await withCheckedContinuation { continuation in
      connection.pairSetup(code: code, identity: identity, flags: flags) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Runs Pair Verify, which secures the connection.
  package func pairVerify(_ identity: ControllerCredentials, with accessory: PairedAccessory) async throws(ClientError)
  {
    guard let connection else { throw .closed(during: "Pair Verify") }
    let error = await withCheckedContinuation { continuation in
      connection.pairVerify(identity, with: accessory) { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }
}
