import HAPCrypto
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPStore
import HAPTransport
import HAPWire

/// A verified connection to an accessory.
package struct OpenAccessory: AccessoryRequests {
  package let client: ControllerClient
  package let pairing: ControllerPairing

  /// - Parameter client: a connected and verified client.
  package init(client: ControllerClient, pairing: ControllerPairing) {
    self.client = client
    self.pairing = pairing
  }

  /// Connects to the accessory and runs Pair Verify.
  package static func open(_ pairing: ControllerPairing, on loop: EventLoop, timeout: Duration) async throws
    -> OpenAccessory
  {
    let client = try await connect(pairing.addresses, on: loop, timeout: timeout)
    try await client.pairVerify(pairing.credentials, with: pairing.accessory)
    return OpenAccessory(client: client, pairing: pairing)
  }

  /// Connects to the first of several addresses.
  package static func connect(_ addresses: [String], on loop: EventLoop, timeout: Duration) async throws
    -> ControllerClient
  {
    let client = ControllerClient(on: loop)
    try await client.connect(to: try socketAddresses(addresses), connectTimeout: timeout, requestTimeout: timeout)
    return client
  }

  /// Reads the database.
  package func mirror() async throws -> AccessoryMirror {
    try AccessoryMirror(answer: try await client.request(.accessories))
  }

  package var loop: EventLoop { client.loop }

  package func answer(to request: ControllerRequest) async throws(ClientError) -> LinkMessage {
    try await client.request(request)
  }
}

extension ControllerPairing {
  package var accessory: PairedAccessory { PairedAccessory(identifier: accessoryID, publicKey: accessoryKey) }
  package var credentials: ControllerCredentials { ControllerCredentials(identifier: controllerID, key: controllerKey) }
}
