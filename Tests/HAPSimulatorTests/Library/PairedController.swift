import HAPCrypto
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport

@testable import HAPSimulator
@testable import HAPSimulatorCore

/// A controller that has paired with an accessory, with a verified session.
struct PairedController {
  let loop: EventLoop
  let identifier: String
  private let client: ControllerClient

  /// - Parameter given: a loop of a simulated world, or `nil` for a new loop with real sockets.
  init(
    pairingWith door: RunningAccessory, as identifier: String = "11111111-2222-3333-4444-555555555555",
    on given: EventLoop? = nil
  ) async throws {
    self.identifier = identifier
    loop = given ?? EventLoop(name: "controller")
    if given == nil { loop.start() }
    let identity = ControllerCredentials(
      identifier: Array(identifier.utf8), key: SigningKey(seed: loop.random.secret(32)))
    let address = SocketAddress(host: try IPAddress(door.address), port: door.port)
    let setup = ControllerClient(on: loop)
    try await setup.connect(to: [address])
    guard let accessory = try await setup.pairSetup(code: door.setupCode, identity: identity) else {
      throw ServedSimulation.Failure(message: "pairing failed")
    }
    await setup.close()
    client = ControllerClient(on: loop)
    try await client.connect(to: [address])
    try await client.pairVerify(identity, with: accessory)
  }

  /// - Parameter id: an id such as "1.9".
  func write(_ id: String, _ value: Value) async throws {
    guard let id = AttributeID(id) else { throw ServedSimulation.Failure(message: "\(id) is not an id") }
    let answer = try await client.request(.write([.init(id, value: value)]))
    guard answer.status == 204 else { throw ServedSimulation.Failure(message: "the answer was \(answer.status)") }
  }

  /// - Parameter id: an id such as "1.9".
  func read(_ id: String) async throws {
    guard let id = AttributeID(id) else { throw ServedSimulation.Failure(message: "\(id) is not an id") }
    let answer = try await client.request(.read([id]))
    guard answer.status == 200 else { throw ServedSimulation.Failure(message: "the answer was \(answer.status)") }
  }

  func subscribe(to id: String) async throws {
    guard let id = AttributeID(id) else { throw ServedSimulation.Failure(message: "\(id) is not an id") }
    _ = try await client.request(.write([.init(id, ev: true)]))
  }

  func close() async {
    await client.close()
    loop.stop()
  }
}
