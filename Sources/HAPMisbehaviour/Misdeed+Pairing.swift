import HAPController
import HAPCrypto
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

extension Misdeed {
  /// Violations of the rules for Pair Setup, Pair Verify and the pairings.
  static let ofPairing: [Misdeed] = [
    Misdeed("procedure-order", "begins Pair Verify with M3") { mischief in
      let client = try await mischief.connect()
      var message = TLV(state: 3)
      message.append(TLVType.encryptedData, [UInt8](repeating: 0, count: 100))
      _ = try await client.request(.pairVerify(message))
      await client.close()
    },
    Misdeed("fresh-keys", "runs Pair Verify twice with the same key") { mischief in
      for _ in 0..<2 { await (try await mischief.open(.seeded(1))).client.close() }
    },
    Misdeed("same-bytes", "sends its identifier in lower case in Pair Verify") { mischief in
      let client = try await mischief.connect()
      let name = String(decoding: mischief.pairing.controllerID, as: UTF8.self)
      let small = ControllerCredentials(
        identifier: Array(name.lowercased().utf8), key: mischief.pairing.controllerKey)
      // A conforming accessory doesn't accept this identifier.
      do throws(ClientError) { try await client.pairVerify(small, with: mischief.pairing.accessory) } catch {
        guard case .pairing = error else { throw error }
      }
      await client.close()
    },
    Misdeed("verifies-first", "reads the database before Pair Verify") { mischief in
      let client = try await mischief.connect()
      _ = try await client.request(.accessories)
      await client.close()
    },
    Misdeed("identify-unpaired", "sends POST /identify to a paired accessory") { mischief in
      let client = try await mischief.connect()
      _ = try await client.request(.identify)
      await client.close()
    },
    Misdeed("identifier-form", "adds a controller whose identifier is not a UUID, and removes it") { mischief in
      let accessory = try await mischief.open()
      let other = mischief.other(named: "somebody", isAdmin: false)
      try await mischief.withOther(other.pairing, at: accessory) {}
      await accessory.client.close()
    },
    Misdeed("pairings-by-admins", "lists the pairings as a controller that is not an admin") { mischief in
      let accessory = try await mischief.open()
      let other = mischief.other(named: "0F6B3C6E-1D0B-4E0B-9E4B-3D4C5A6B7C8D", isAdmin: false)
      try await mischief.withOther(other.pairing, at: accessory) {
        let client = try await mischief.connect()
        try await client.pairVerify(other.credentials, with: mischief.pairing.accessory)
        _ = try await client.request(.pairings(.pairingsRequest(.listPairings)))
        await client.close()
      }
      await accessory.client.close()
    },
    Misdeed("backs-off", "begins Pair Setup six times in a row with a paired accessory") { mischief in
      let client = try await mischief.connect()
      for _ in 0..<6 { _ = try await client.request(.pairSetup(PairSetupMessages.start())) }
      await client.close()
    },
    Misdeed("stops-knocking", "tries Pair Verify seven times as an unknown controller") { mischief in
      let stranger = mischief.other(named: "1F6B3C6E-1D0B-4E0B-9E4B-3D4C5A6B7C8D", isAdmin: false).credentials
      for _ in 0..<7 {
        let client = try await mischief.connect()
        do throws(ClientError) { try await client.pairVerify(stranger, with: mischief.pairing.accessory) } catch {
          guard case .pairing = error else { throw error }
        }
        await client.close()
      }
    },
  ]
}

extension Mischief {
  /// Returns another controller with separate keys.
  fileprivate func other(named name: String, isAdmin: Bool) -> (pairing: Pairing, credentials: ControllerCredentials) {
    let key = SigningKey(seed: loop.random.secret(32))
    let credentials = ControllerCredentials(identifier: Array(name.utf8), key: key)
    return (Pairing(identifier: credentials.identifier, publicKey: key.publicKey, isAdmin: isAdmin), credentials)
  }
}
