import HAPController
import HAPCrypto
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

extension ControllerViolation {
  /// Violations of the rules for Pair Setup, Pair Verify and the pairings.
  static let ofPairing: [ControllerViolation] = [
    ControllerViolation("procedure-order", "begins Pair Verify with M3") { controller in
      let client = try await controller.connect()
      var message = TLV(state: 3)
      message.append(TLVType.encryptedData, [UInt8](repeating: 0, count: 100))
      _ = try await client.request(.pairVerify(message))
      await client.close()
    },
    ControllerViolation("fresh-keys", "runs Pair Verify twice with the same key") { controller in
      for _ in 0..<2 { await (try await controller.open(.seeded(1))).client.close() }
    },
    ControllerViolation("same-bytes", "sends its identifier in lower case in Pair Verify") { controller in
      let client = try await controller.connect()
      let name = String(decoding: controller.pairing.controllerID, as: UTF8.self)
      let small = ControllerCredentials(
        identifier: Array(name.lowercased().utf8), key: controller.pairing.controllerKey)
      // A conforming accessory doesn't accept this identifier.
      do throws(ClientError) { try await client.pairVerify(small, with: controller.pairing.accessory) } catch {
        guard case .pairing = error else { throw error }
      }
      await client.close()
    },
    ControllerViolation("verifies-first", "reads the database before Pair Verify") { controller in
      let client = try await controller.connect()
      _ = try await client.request(.accessories)
      await client.close()
    },
    ControllerViolation("identify-unpaired", "sends POST /identify to a paired accessory") { controller in
      let client = try await controller.connect()
      _ = try await client.request(.identify)
      await client.close()
    },
    ControllerViolation("identifier-form", "adds a controller whose identifier is not a UUID, and removes it") {
      controller in
      let accessory = try await controller.open()
      let other = controller.other(named: "somebody", isAdmin: false)
      try await controller.withOther(other.pairing, at: accessory) {}
      await accessory.client.close()
    },
    ControllerViolation("pairings-by-admins", "lists the pairings as a controller that is not an admin") { controller in
      let accessory = try await controller.open()
      let other = controller.other(named: "0F6B3C6E-1D0B-4E0B-9E4B-3D4C5A6B7C8D", isAdmin: false)
      try await controller.withOther(other.pairing, at: accessory) {
        let client = try await controller.connect()
        try await client.pairVerify(other.credentials, with: controller.pairing.accessory)
        _ = try await client.request(.pairings(.pairingsRequest(.listPairings)))
        await client.close()
      }
      await accessory.client.close()
    },
    ControllerViolation("backs-off", "begins Pair Setup six times in a row with a paired accessory") { controller in
      let client = try await controller.connect()
      for _ in 0..<6 { _ = try await client.request(.pairSetup(PairSetupMessages.start())) }
      await client.close()
    },
    ControllerViolation("stops-knocking", "tries Pair Verify seven times as an unknown controller") { controller in
      let stranger = controller.other(named: "1F6B3C6E-1D0B-4E0B-9E4B-3D4C5A6B7C8D", isAdmin: false).credentials
      for _ in 0..<7 {
        let client = try await controller.connect()
        do throws(ClientError) { try await client.pairVerify(stranger, with: controller.pairing.accessory) } catch {
          guard case .pairing = error else { throw error }
        }
        await client.close()
      }
    },
  ]
}

extension MisbehavingController {
  /// Returns another controller with separate keys.
  fileprivate func other(named name: String, isAdmin: Bool) -> (pairing: Pairing, credentials: ControllerCredentials) {
    let key = SigningKey(seed: loop.random.secret(32))
    let credentials = ControllerCredentials(identifier: Array(name.utf8), key: key)
    return (Pairing(identifier: credentials.identifier, publicKey: key.publicKey, isAdmin: isAdmin), credentials)
  }
}
