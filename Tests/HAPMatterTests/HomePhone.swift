import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

/// A HAP controller that has paired with an accessory, with a verified session.
struct HomePhone: Sendable {
  let loop: EventLoop
  private let client: ControllerClient
  private let events: EventList

  /// The bodies of events, in order.
  private final class EventList: @unchecked Sendable {  // confined to the world's thread
    var bodies: [String] = []
  }

  init(pairingWith served: ServedNode, in home: MatterHome) async throws {
    loop = try home.makePhoneLoop()
    let identity = ControllerCredentials(
      identifier: Array("11111111-2222-3333-4444-555555555555".utf8), key: SigningKey(seed: loop.random.secret(32)))
    let address = SocketAddress(host: try IPAddress("10.0.0.1"), port: served.port)
    let setup = ControllerClient(on: loop)
    try await setup.connect(to: [address])
    guard let accessory = try await setup.pairSetup(code: served.setupCode, identity: identity) else {
      throw MatterHome.Failure(message: "pairing failed")
    }
    await setup.close()
    let (client, list) = (ControllerClient(on: loop), EventList())
    try await client.connect(to: [address])
    try await client.pairVerify(identity, with: accessory)
    (self.client, events) = (client, list)
    loop.startTask {
      for await event in client.events { list.bodies.append(String(decoding: event.body, as: UTF8.self)) }
    }
  }

  /// The bodies of the events so far.
  var bodies: [String] { events.bodies }

  func write(_ id: AttributeID, _ value: Value) async throws -> Int {
    try await client.request(.write([.init(id, value: value)])).status
  }

  func read(_ id: AttributeID) async throws -> String {
    String(decoding: try await client.request(.read([id])).body, as: UTF8.self)
  }

  func subscribe(to id: AttributeID) async throws { _ = try await client.request(.write([.init(id, ev: true)])) }

  func close() async {
    await client.close()
    loop.stop()
  }
}
