import HAPModel
import HAPStore
import HAPTransport

extension ControllerClient {
  /// Pairs with the accessory of this connection, and stores the pairing. HAP R2 §5.6. If the pairing can't be stored,
  /// it is removed from the accessory: without these keys, it would be unusable until a factory reset.
  /// - Parameters:
  ///   - addresses: of the accessory, such as "192.0.2.7:51826".
  ///   - timeout: for a new connection and each answer, if the pairing must be removed.
  ///   - store: receives the pairing, whose alias is the accessory's identifier, and returns the stored one.
  /// - Throws: `ClientError`, `.pairing` if the accessory refuses; the error of `store`.
  /// - Returns: the stored pairing.
  package func pair(
    code: SetupCode, as identity: ControllerIdentity, at addresses: [String], timeout: Duration,
    store: @Sendable (ControllerPairing) async throws -> ControllerPairing
  ) async throws -> ControllerPairing {
    let me = identity.credentials
    guard let accessory = try await pairSetup(code: code.text, identity: me) else {
      preconditionFailure("only a transient Pair Setup ends without an accessory")
    }
    let pairing = ControllerPairing(
      alias: String(decoding: accessory.identifier, as: UTF8.self), accessoryID: accessory.identifier,
      accessoryKey: accessory.publicKey, controllerID: me.identifier, controllerKey: me.key, addresses: addresses)
    // Store the pairing immediately: from here on the accessory is paired, even if a later step fails.
    do { return try await store(pairing) } catch {
      // A separate task, because the caller's task may be cancelled.
      await loop.startTask { await self.remove(pairing, timeout: timeout) }.value
      throw error
    }
  }

  /// Removes the controller's own new pairing, on this connection or on a new one.
  private func remove(_ pairing: ControllerPairing, timeout: Duration) async {
    do {
      try await pairVerify(pairing.credentials, with: pairing.accessory)
      try await OpenAccessory(client: self, pairing: pairing).changePairings(.removing(pairing))
    } catch {
      // Some accessories close the connection after Pair Setup.
      guard let again = try? await OpenAccessory.open(pairing, on: loop, timeout: timeout) else { return }
      try? await again.changePairings(.removing(pairing))
      await again.client.close()
    }
  }

  /// Makes the unpaired accessory of this connection identify itself. HAP R2 §6.7.6.
  /// - Throws: `AccessError.identifyForbidden`, `ClientError`.
  package func identifyUnpaired() async throws {
    let status = try await request(.identify).status
    guard status == 204 else { throw AccessError.identifyForbidden(status) }
  }
}
