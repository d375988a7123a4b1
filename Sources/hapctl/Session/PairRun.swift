import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPModel
import HAPProtocol
import HAPStore
import HAPTransport
import HAPWire

/// The secret that a person gives to pair with an accessory: its setup code, and the whole payload where they have it.
struct SetupSecret: Sendable {
  let code: SetupCode
  let payload: SetupPayload?

  /// Reads a setup payload, or a setup code with or without dashes.
  /// - Throws: an error that names the reason.
  init(_ text: String) throws {
    guard SetupPayload.isMeant(by: text) else {
      code = try SetupCode(typed: text)
      payload = nil
      return
    }
    let payload = try SetupPayload(uri: text)
    guard let code = payload.code else {
      throw UsageError("the payload has no setup code; give the code that is on the label or the screen")
    }
    guard payload.supportsIP || !payload.supportsBLE else {
      throw UsageError("the accessory has HAP over Bluetooth LE alone, and hapctl pairs over IP")
    }
    self.code = code
    self.payload = payload
  }

  /// The accessory that is meant: the one that was named, else the one with the payload's setup ID.
  func target(named text: String?) throws(UsageError) -> Target {
    if let text { return try Target(text) }
    guard let id = payload?.setupID else {
      throw UsageError("TARGET is missing: a name, a device ID or HOST:PORT (a setup payload makes it unnecessary)")
    }
    return .setupID(id)
  }
}

/// One run of `hapctl pair`.
struct PairRun {
  let visit: Visit
  let secret: SetupSecret
  let alias: String?
  let isJSON: Bool
  let loop: EventLoop

  func run() async throws -> ExitCode {
    let store = try visit.store()
    let known = try store.pairings()
    if let alias, known.contains(where: { $0.alias == alias }) {
      throw Failure(.usage, "there is a pairing \(shown(alias)) already; choose another --alias")
    }
    let random = loop.random
    let me = ControllerCredentials(identifier: newIdentifier(random), key: SigningKey(seed: random.secret(32)))
    let (addresses, own) = try await place(known)
    let client = try await OpenAccessory.connect(addresses, on: loop, timeout: visit.timeout)
    let outcome = await setUp(client, me)
    visit.note(await client.remarks)
    if case .failure(.pairing(let failure)) = outcome {
      await client.close()
      let refusal = await refusal(failure, by: own, at: addresses)
      throw refusal
    }
    let accessory = try outcome.get()
    // Kept at once: whatever goes wrong now, the accessory is paired.
    let pairing = ControllerPairing(
      alias: alias ?? String(decoding: accessory.identifier, as: UTF8.self), accessoryID: accessory.identifier,
      accessoryKey: accessory.publicKey, controllerID: me.identifier, controllerKey: me.key, addresses: addresses
    )
    do { try store.keep(pairing) } catch {
      // Without the keys no controller could use the accessory until its factory reset.
      try? await client.pairVerify(me, with: accessory)
      _ = try? await client.request(.pairings(.removing(pairing)))
      throw error
    }
    await client.close()
    let named = try await named(pairing, known, store)
    visit.console.print(
      isJSON
        ? JSONWriter.text { json in json.object { named.writeFacts(to: &$0) } }
        : "Paired with \(named.accessoryName), called \(shown(named.alias)).")
    return .well
  }

  private func setUp(
    _ client: ControllerClient, _ me: ControllerCredentials
  ) async -> Result<PairedAccessory, ClientError> {
    do throws(ClientError) {
      guard let paired = try await client.pairSetup(code: secret.code.text, identity: me) else {
        preconditionFailure("only a transient Pair Setup ends without an accessory")
      }
      return .success(paired)
    } catch { return .failure(error) }
  }

  /// Replaces a provisional alias by the name that the accessory has.
  private func named(
    _ pairing: ControllerPairing, _ known: [ControllerPairing], _ store: ControllerStore
  ) async throws -> ControllerPairing {
    guard alias == nil, let name = try? await ownName(of: pairing, on: loop, timeout: visit.timeout) else {
      return pairing
    }
    var renamed = pairing
    renamed.alias = freeAlias(name, among: known.map(\.alias))
    try store.keep(renamed)
    try store.remove(alias: pairing.alias)
    return renamed
  }

  /// Where the accessory is, and the pairing that we may have with it already.
  private func place(_ known: [ControllerPairing]) async throws -> (addresses: [String], own: ControllerPairing?) {
    let own = try? known.pairing(for: visit.target)
    if case .address(let address) = visit.target { return (["\(address)"], own) }
    if let own { return (own.addresses, own) }
    let found = try await visit.find(visit.target, knowing: known, on: loop)
    try check(found)
    return (found.addresses, found.pairing(among: known))
  }

  /// Compares the payload with what the accessory advertises.
  private func check(_ found: FoundAccessory) throws(Failure) {
    guard let payload = secret.payload else { return }
    if let id = payload.setupID, found.hasSetupID(id) == false {
      throw Failure(
        .problem,
        "the payload is of another accessory: \(found.title) advertises another setup hash than setup ID \(id)")
    }
    if let number = found.accessory.categoryNumber, number != payload.category {
      let (said, advertised) = (Self.category(payload.category), Self.category(number))
      visit.console.complain("hapctl pair: the payload says \(said), and the accessory advertises \(advertised)")
    }
  }

  private static func category(_ number: UInt8) -> String {
    Catalogue.category(number: number).map { "category \($0.name)" } ?? "category \(number)"
  }

  /// Why Pair Setup failed. An accessory that is paired with us accepts our keys.
  private func refusal(_ failure: PairingFailure, by own: ControllerPairing?, at addresses: [String]) async -> Failure {
    guard var own, failure.isAlreadyPaired else { return Failure(pairSetup: failure) }
    own.addresses = addresses
    guard let accessory = try? await OpenAccessory.open(own, on: loop, timeout: visit.timeout) else {
      return Failure(pairSetup: failure)
    }
    await accessory.client.close()
    let name = shown(own.alias)
    return Failure(
      .problem,
      "the accessory is already paired with this controller, and called \(name): use it under that name, or run 'hapctl unpair \(name)' first"
    )
  }
}

/// What the accessory calls itself, in the form of an alias.
private func ownName(of pairing: ControllerPairing, on loop: EventLoop, timeout: Duration) async throws -> String? {
  let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: timeout)
  let database = try await accessory.mirror().database
  await accessory.client.close()
  let name = database.characteristics.first { $0.type == CharacteristicDefinition.name.type }?.value.stringValue
  let alias = slug(name ?? "").filter { $0 != "/" && $0 != ":" }
  return alias.isEmpty ? nil : alias
}

/// "garage", "garage-2" …
func freeAlias(_ name: String, among taken: [String]) -> String {
  if !taken.contains(name) { return name }
  for number in 2... where !taken.contains("\(name)-\(number)") { return "\(name)-\(number)" }
  preconditionFailure("a range without end has ended")
}

/// A random UUID in capitals, by which the accessory will know this controller.
private func newIdentifier(_ random: RandomSource) -> [UInt8] {
  var bytes = random.bytes(16)
  bytes[6] = bytes[6] & 0x0F | 0x40
  bytes[8] = bytes[8] & 0x3F | 0x80
  let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  var rest = digits[...]
  let groups = [8, 4, 4, 4, 12].map { count in
    defer { rest = rest.dropFirst(count) }
    return String(rest.prefix(count))
  }
  return Array(groups.joined(separator: "-").utf8)
}
