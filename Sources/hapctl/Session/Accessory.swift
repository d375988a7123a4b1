import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPModel
import HAPProtocol
import HAPStore
import HAPTransport
import HAPWire

/// An accessory that is spoken with: a verified session and what is known of its database.
struct OpenAccessory: Sendable {
  let client: ControllerClient
  let pairing: ControllerPairing

  /// Connects and verifies.
  static func open(_ pairing: ControllerPairing, on loop: EventLoop, timeout: Duration) async throws -> OpenAccessory {
    let client = try await connect(pairing.addresses, on: loop, timeout: timeout)
    let accessory = PairedAccessory(identifier: pairing.accessoryID, publicKey: pairing.accessoryKey)
    let me = ControllerCredentials(identifier: pairing.controllerID, key: pairing.controllerKey)
    try await client.pairVerify(me, with: accessory)
    return OpenAccessory(client: client, pairing: pairing)
  }

  /// Connects to the first of several addresses.
  static func connect(_ addresses: [String], on loop: EventLoop, timeout: Duration) async throws -> ControllerClient {
    let client = ControllerClient(on: loop)
    try await client.connect(to: try socketAddresses(addresses), connectTimeout: timeout, requestTimeout: timeout)
    return client
  }

  static func socketAddresses(_ texts: [String]) throws(UsageError) -> [SocketAddress] {
    var found: [SocketAddress] = []
    for text in texts { if case .address(let address) = try Target(text) { found.append(address) } }
    return found
  }

  /// The database, read anew.
  func mirror() async throws -> AccessoryMirror {
    let answer = try await client.request(.accessories)
    guard answer.status == 200 else { throw ClientError.status(answer.status, request: "GET /accessories") }
    do { return try AccessoryMirror(answer.body) } catch {
      throw ClientError.body(error, request: "GET /accessories")
    }
  }

  /// The entries of an answer to `request`, which has them with 200 and 207 (and 204: none).
  func entries(_ request: ControllerRequest) async throws -> [CharacteristicEntry] {
    let answer = try await client.request(request)
    if answer.status == 204 { return [] }
    guard [200, 207].contains(answer.status) || !answer.body.isEmpty else {
      throw ClientError.status(answer.status, request: request.name)
    }
    var reader = AttributeReader()
    do { return try CharacteristicEntry.list(answer.body, &reader) } catch {
      guard [200, 207].contains(answer.status) else { throw ClientError.status(answer.status, request: request.name) }
      throw ClientError.body(error, request: request.name)
    }
  }
}

/// Runs what a command does with accessories, on a loop of its own, and tells a failure in one line.
func withLoop(_ name: String, _ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> ExitCode)
  -> ExitCode
{
  let loop = EventLoop(name: "hapctl")
  loop.start()
  defer { loop.stop() }
  do { return try blocking { try await body(loop) } } catch {
    let failure = Failure(error)
    console.complain("hapctl \(name): \(failure.message)")
    return failure.code
  }
}

extension Failure {
  /// With what to do about it, where that is known.
  init(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as UsageError: self.init(.usage, error.message)
    case let error as StoreError: self.init(.cannotRun, "\(error)")
    case let error as FileError: self.init(.cannotRun, "\(error)")
    case let error as SelectionError: self.init(.usage, error.message)
    case ClientError.unreachable(let tries):
      self.init(.cannotRun, "the accessory can't be reached: \(ClientError.unreachable(tries))")
    case let error as ClientError:
      switch error {
      case .timedOut, .closed, .lost, .cancelled: self.init(.cannotRun, "\(error)")
      case .pairing(let failure)
      where failure.cause == .refused(PairingError.authentication.rawValue) && failure.step == 4:
        self.init(.problem, "\(error): the code is wrong, or the accessory has forgotten this pairing")
      default: self.init(.problem, "\(error)")
      }
    default: self.init(.cannotRun, "\(error)")
    }
  }
}
