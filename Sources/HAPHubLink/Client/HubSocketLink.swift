import HAPHome
import HAPLoop

/// A link with a hub of another process, through the socket in the hub's folder.
package final class HubSocketLink: HomeLink {
  /// The time in which a hub has to send its first line.
  package static let patience = Duration.seconds(10)

  private let loop: EventLoop
  private let inbox = HubInbox()
  private let connection: LoopBound<HubSocketClient?>
  package let events: AsyncStream<HubEvent>

  private init(_ loop: EventLoop) {
    self.loop = loop
    connection = LoopBound(loop, nil)
    events = inbox.queue.events
  }

  deinit { loop.schedule { [connection] in connection.value?.close() } }

  /// Connects with the hub that listens at a path.
  /// - Parameter loop: has to run.
  /// - Throws: 91 if no hub listens there, or if it has another version of the protocol; the hub's refusal.
  package static func connect(to path: String, on loop: EventLoop) async throws(HomeError) -> HubSocketLink {
    let link = HubSocketLink(loop)
    let result = await withCheckedContinuation { continuation in
      let isScheduled = loop.schedule { [inbox = link.inbox, connection = link.connection] in
        do throws(LoopError) {
          connection.value = try HubSocketClient(loop, path, inbox) { continuation.resume(returning: $0) }
        } catch { continuation.resume(returning: .failure(.noHub(at: path, error.detail))) }
      }
      if !isScheduled { continuation.resume(returning: .failure(.noHub(at: path, "the event loop has ended"))) }
    }
    try result.get()
    return link
  }

  package var replica: HomeReplica { inbox.replica }

  /// - Throws: also 49 if the request is longer than a line may be.
  package func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer {
    let id = try inbox.begin(request)
    send(request, id)
    return try await inbox.answer(to: id)
  }

  package func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void) {
    do throws(HomeError) { send(request, try inbox.begin(request, reply: reply)) } catch { reply(.failure(error)) }
  }

  private func send(_ request: HubRequest, _ id: UInt64) {
    let line = HubRequestLine(id: id, request).bytes
    if line.count > HubProtocol.longestRequest {
      let error = HomeError(
        .maximumObjectLimitReached, nil,
        "the request has \(line.count) bytes; a hub takes \(HubProtocol.longestRequest) at most")
      inbox.receive(id, .failure(error))
    } else if !loop.schedule({ [connection] in connection.value?.send(line) }) {
      inbox.receive(id, .failure(HomeError(.noHomeHub, nil, "the event loop of the link has ended")))
    }
  }

  package func close() async {
    inbox.end(HomeError(.noHomeHub, nil, "the link with the hub was closed"))
    loop.schedule { [connection] in connection.value?.close() }
  }
}

extension HomeError {
  fileprivate static func noHub(at path: String, _ reason: String) -> HomeError {
    HomeError(.noHomeHub, nil, "no hub answers at \(path): \(reason); run 'hapctl hub run' with its folder")
  }
}

/// The socket of a link. Belongs to the loop's thread.
private final class HubSocketClient {
  private let path: String
  private let stream: LocalStream
  private let inbox: HubInbox
  private var splitter = LineSplitter(limit: HubProtocol.longestMessage)
  /// Measures the wait for the first line. It stays open until the end, so that it reports the end of the loop.
  private let patience: LoopTimer
  /// Called once, after the first line or at the end.
  private var onHello: ((Result<Void, HomeError>) -> Void)?
  private var hasEnded = false

  init(
    _ loop: EventLoop, _ path: String, _ inbox: HubInbox, onHello: @escaping (Result<Void, HomeError>) -> Void
  ) throws(LoopError) {
    self.path = path
    self.inbox = inbox
    self.onHello = onHello
    stream = try LocalStream(loop, connectingTo: path)
    patience = LoopTimer(loop)
    // The callbacks keep this object until `end`.
    patience.onFire = {
      self.end(.noHub(at: path, "there is no answer within \(HubSocketLink.patience.components.seconds) s"))
    }
    patience.onClosed = { self.end(.noHub(at: path, "the event loop has ended")) }
    patience.start(after: HubSocketLink.patience)
    stream.startReading { self.receive($0) }
  }

  func send(_ line: [UInt8]) { stream.write(line) }

  func close() { end(HomeError(.noHomeHub, nil, "the link with the hub was closed")) }

  private func receive(_ event: LocalStream.Event) {
    guard case .bytes(let bytes) = event else { return end(.noHub(at: path, "the hub has ended")) }
    for line in bytes.withUnsafeBytes({ splitter.receive($0) }) where !hasEnded { receive(line) }
  }

  private func receive(_ line: LineSplitter.Line) {
    guard case .line(let bytes) = line else { return end(.noHub(at: path, "the hub sent a line that is too long")) }
    do throws(HomeError) { try receive(HubMessage(bytes)) } catch {
      end(.noHub(at: path, "the hub sent a line that is not valid: \(error.message)"))
    }
  }

  private func receive(_ message: HubMessage) {
    switch message {
    case .hello(HubProtocol.version) where onHello != nil:
      patience.cancel()
      onHello?(.success(()))
      onHello = nil
    case .hello(let version):
      end(
        .noHub(
          at: path,
          "the hub has version \(version) of the protocol, and this program version \(HubProtocol.version)"))
    case .answer(id: nil, .failure(let error)): end(error)
    case .answer(id: nil, .success): preconditionFailure("an answer without a number is not read")
    case .answer(let id?, let result) where onHello == nil: inbox.receive(id, result)
    case .event(let event) where onHello == nil: inbox.receive(event)
    case .answer, .event: end(.noHub(at: path, "the hub sent no version of its protocol"))
    }
  }

  /// Ends the link. Any number of times.
  private func end(_ error: HomeError) {
    if hasEnded { return }
    hasEnded = true
    stream.close()
    patience.onClosed = nil
    patience.close()
    inbox.end(error)
    onHello?(.failure(error))
    onHello = nil
  }
}
