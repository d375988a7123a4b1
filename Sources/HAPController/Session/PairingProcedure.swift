import HAPCrypto
import HAPLoop
import HAPModel
import HAPPairing
import HAPStore
import HAPTransport
import HAPWire

/// A pairing with an accessory: it finds the accessory, runs Pair Setup, and stores the pairing. HAP R2 §5.6.
package struct PairingProcedure: Sendable {
  private let finder: AccessoryFinder
  private let target: Target
  private let secret: SetupSecret
  private let alias: String?
  private let identity: ControllerIdentity
  private var loop: EventLoop { finder.loop }
  private var storage: SerialStorage { finder.storage }

  /// - Parameters:
  ///   - alias: the name of the pairing; nil: the accessory's name.
  ///   - identity: the controller's identity for the accessory; nil: a new one, used only for this pairing.
  package init(
    _ finder: AccessoryFinder, with target: Target, _ secret: SetupSecret, alias: String?,
    as identity: ControllerIdentity? = nil
  ) {
    self.finder = finder
    self.target = target
    self.secret = secret
    self.alias = alias
    self.identity = identity ?? ControllerIdentity(drawnFrom: finder.loop.random)
  }

  /// - Throws: `AccessError`, `ClientError`, errors of the storage.
  /// - Returns: the stored pairing.
  package func run() async throws -> ControllerPairing {
    let known = try finder.knownPairings()
    if let alias, known.contains(where: { $0.alias == alias }) { throw AccessError.nameTaken(alias) }
    let (addresses, own) = try await place(known)
    finder.progress(.connecting(addresses))
    let client = try await OpenAccessory.connect(addresses, on: loop, timeout: finder.timeout)
    finder.progress(.pairing)
    let outcome: Result<ControllerPairing, any Error>
    do {
      outcome = .success(
        try await client.pair(code: secret.code, as: identity, at: addresses, timeout: finder.timeout) { new in
          var pairing = new
          if let alias { pairing.alias = alias }
          return try storage.add(pairing)
        })
    } catch { outcome = .failure(error) }
    finder.note(await client.remarks)
    await client.close()
    if case .failure(ClientError.pairing(let failure)) = outcome {
      throw await refusal(failure, by: own, at: addresses)
    }
    let named = try await named(try outcome.get())
    finder.progress(.stored(named.alias))
    return named
  }

  /// Replaces a provisional alias by the accessory's name.
  private func named(_ pairing: ControllerPairing) async throws -> ControllerPairing {
    guard alias == nil, let name = try? await ownName(of: pairing, on: loop, timeout: finder.timeout) else {
      return pairing
    }
    return try storage.rename(pairing, to: name)
  }

  /// Returns the accessory's addresses, and the stored pairing with it, if there is one.
  private func place(_ known: [ControllerPairing]) async throws -> (addresses: [String], own: ControllerPairing?) {
    let own = try? known.pairing(for: target)
    if case .address(let address) = target { return (["\(address)"], own) }
    if let own { return (own.addresses, own) }
    let found = try await finder.find(target, knowing: known)
    try check(found)
    return (found.addresses, found.pairing(among: known))
  }

  /// Compares the payload with the accessory's advertisement.
  private func check(_ found: FoundAccessory) throws(AccessError) {
    guard let payload = secret.payload else { return }
    if let id = payload.setupID, found.hasSetupID(id) == false {
      throw .otherAccessory(found, id)
    }
    if let number = found.accessory.categoryNumber, number != payload.category {
      finder.progress(.categoryDiffers(payload: payload.category, advertised: number))
    }
  }

  /// Returns the reason why Pair Setup failed. An accessory that is paired with this controller accepts its keys.
  private func refusal(_ failure: PairingFailure, by own: ControllerPairing?, at addresses: [String]) async
    -> AccessError
  {
    guard var own, failure.isAlreadyPaired else { return .pairSetup(failure) }
    own.addresses = addresses
    guard let accessory = try? await OpenAccessory.open(own, on: loop, timeout: finder.timeout) else {
      return .pairSetup(failure)
    }
    await accessory.client.close()
    return .pairedHere(own.alias)
  }
}

/// Returns the accessory's name in the form of a pairing's name.
private func ownName(of pairing: ControllerPairing, on loop: EventLoop, timeout: Duration) async throws -> String? {
  let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: timeout)
  let database = try await accessory.mirror().database
  await accessory.client.close()
  let name = database.characteristics.first { $0.type == CharacteristicDefinition.name.type }?.value.stringValue
  let alias = slug(name ?? "").filter { $0 != "/" && $0 != ":" }
  return alias.isEmpty ? nil : alias
}

/// Returns a free alias: "garage", "garage-2" and so on.
func freeAlias(_ name: String, among taken: [String]) -> String {
  if !taken.contains(name) { return name }
  for number in 2... where !taken.contains("\(name)-\(number)") { return "\(name)-\(number)" }
  preconditionFailure("the range has no end")
}

extension PairingFailure {
  /// Whether the accessory refused because it is already paired.
  fileprivate var isAlreadyPaired: Bool { cause == .refused(PairingError.unavailable.rawValue) }
}
