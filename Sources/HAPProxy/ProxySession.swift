import HAPIP
import HAPLoop
import HAPPairing
import HAPStore
import HAPTransport

/// The proxy's verified session with the accessory for the requests of one controller. Each controller thus has
/// separate subscriptions and timed writes, both here and at the accessory.
///
/// The first request opens the session. A session that has ended is not reopened. Belongs to its loop's thread.
final class ProxySession {
  typealias Done = (Result<LinkMessage, ClientError>) -> Void

  /// Called with every event; returns false if there are too many.
  var onEvent: (LinkMessage) -> Bool = { _ in true }
  /// Called once when an open session ends, but not by `close`.
  var onLoss: (ClientError) -> Void = { _ in }
  /// Whether the session was ever open. If so, its subscriptions are lost when it ends.
  private(set) var wasOpen = false

  private enum State {
    case new
    case connecting(Connector)
    case verifying(ControllerConnection)
    case open(ControllerConnection)
    case over(ClientError)
  }

  private let loop: EventLoop
  private let pairing: ControllerPairing
  private let addresses: [SocketAddress]
  private let timeout: Duration
  private var state = State.new
  /// The requests that wait for the session.
  private var waiting: [(ControllerRequest, Done)] = []

  init(_ pairing: ControllerPairing, at addresses: [SocketAddress], timeout: Duration, on loop: EventLoop) {
    self.loop = loop
    self.pairing = pairing
    self.addresses = addresses
    self.timeout = timeout
  }

  /// - Parameter done: called once, possibly before this function returns.
  func send(_ request: ControllerRequest, done: @escaping Done) {
    switch state {
    case .open(let connection): connection.send(request, done: done)
    case .over(let error): done(.failure(error))
    case .connecting, .verifying: waiting.append((request, done))
    case .new:
      waiting.append((request, done))
      connect()
    }
  }

  /// Closes the session. Waiting requests fail with `.cancelled`. Can be called any number of times.
  func close() {
    onLoss = { _ in }
    switch state {
    case .connecting(let connector): connector.cancel()
    case .verifying(let connection), .open(let connection): connection.close()
    case .new, .over: break
    }
    end(.cancelled)
  }

  private func connect() {
    var isDone = false
    let connector = Connector(loop, to: addresses, timeout: timeout) { [weak self] result in
      isDone = true
      switch result {
      case .success(let stream):
        guard let self else { return stream.close() }
        verify(stream)
      case .failure(let error): self?.end(error)
      }
    }
    // Without an address, the session fails immediately.
    if !isDone { state = .connecting(connector) }
  }

  private func verify(_ stream: TCPStream) {
    guard case .connecting = state else { return stream.close() }
    let host = stream.peerAddress.map { "\($0)" } ?? ""
    let connection = ControllerConnection(stream, host: host, timeout: timeout, random: loop.random, on: loop)
    state = .verifying(connection)
    connection.onEvent = { [weak self] event in self?.onEvent(event) ?? false }
    connection.onEnd = { [weak self] error in self?.end(error ?? .cancelled) }
    let me = ControllerCredentials(identifier: pairing.controllerID, key: pairing.controllerKey)
    let accessory = PairedAccessory(identifier: pairing.accessoryID, publicKey: pairing.accessoryKey)
    connection.pairVerify(me, with: accessory) { [weak self] error in
      guard let self, case .verifying = state else { return }
      if let error {
        end(error)
        return connection.close()
      }
      wasOpen = true
      state = .open(connection)
      let waiting = waiting
      self.waiting = []
      for (request, done) in waiting { connection.send(request, done: done) }
    }
  }

  private func end(_ error: ClientError) {
    if case .over = state { return }
    state = .over(error)
    let waiting = waiting
    self.waiting = []
    for (_, done) in waiting { done(.failure(error)) }
    let tell = onLoss
    (onLoss, onEvent) = ({ _ in }, { _ in false })
    if wasOpen { tell(error) }
  }
}
