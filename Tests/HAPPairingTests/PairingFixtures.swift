import HAPCrypto
import HAPModel
import HAPTestSupport
import HAPWire
import Synchronization

@testable import HAPPairing

/// The identities and messages of `Tests/Vectors/session.json`.
enum Fixture {
  nonisolated(unsafe) static let session = try! vectorFile("session")
  nonisolated(unsafe) static let setup = session.object("pairSetup")
  nonisolated(unsafe) static let verify = session.object("pairVerify")
  /// The case "normal" of `srp.json`, which session.json continues.
  nonisolated(unsafe) static let srp = try! vectorFile("srp").list("cases")[0]

  static let code = "518-08-582"
  static let accessory = AccessoryIdentity(
    deviceID: DeviceID("E1:91:1A:70:85:AA")!, key: SigningKey(seed: SecretBytes(setup.bytes("accessoryLTSKSeed"))),
    verifier: SRPVerifier(salt: srp.bytes("salt"), verifier: SecretBytes(srp.bytes("v"))))
  static let controller = ControllerCredentials(
    identifier: Array(setup.text("controllerID").utf8),
    key: SigningKey(seed: SecretBytes(setup.bytes("controllerLTSKSeed"))))
  static let paired = PairedAccessory(identifier: accessory.identifier, publicKey: accessory.key.publicKey)
  static let pairing = Pairing(
    identifier: controller.identifier, publicKey: controller.key.publicKey, isAdmin: true)

  static func message(_ hex: [UInt8]) -> TLV { try! TLV(decoding: hex) }
}

extension RandomSource {
  /// Returns `draws` one after the other; traps if more draws or other lengths are requested.
  static func script(_ draws: [UInt8]...) -> RandomSource {
    let rest = Mutex(draws)
    return RandomSource { buffer in buffer.copyBytes(from: rest.withLock { $0.removeFirst() }) }
  }
}

extension TLV {
  /// A pairing message with any items.
  init(_ items: (UInt8, [UInt8])...) { self.init(items.map { Item(type: $0.0, value: $0.1) }) }

  /// The same message with one item set or removed.
  func with(_ type: UInt8, _ value: [UInt8]?) -> TLV {
    var copy = TLV(items.filter { $0.type != type })
    if let value { copy.append(type, value) }
    return copy
  }

  var isRefusal: Bool { error != nil }
}

func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { Array($0) } }

/// The outcomes of a procedure, comparable.
enum Outcome: Equatable {
  case reply(TLV), badRequest, methodRefused(PairingAnswer)
  case computing, store(Pairing), failedAttempt, clearFailedAttempts
  case transient(SessionKeys)
}

/// An accessory's Pair Setup with a shell that computes and stores at once by default.
struct SetupBench {
  var server: PairSetupServer
  var context = PairSetupServer.Context(isPaired: false)
  /// If `false`, computations stay in `pending` and stores are unanswered.
  var isPrompt = true
  var storeSucceeds = true
  var pending: [SlowWork] = []

  init(random: RandomSource = .seeded(1), checksProofStrictly: Bool = false) {
    self.init(random: random, quirks: .proofs(checksProofStrictly ? .stripped : .either))
  }

  init(random: RandomSource = .seeded(1), quirks: PairingQuirks) {
    server = PairSetupServer(identity: Fixture.accessory, random: random, quirks: quirks)
  }

  mutating func receive(_ message: TLV) -> [Outcome] { perform(server.receive(message, context: context)) }
  mutating func receiveUnreadable() -> [Outcome] { perform(server.receiveUnreadable()) }
  mutating func computed(_ work: SlowWork) -> [Outcome] { perform(server.computed(work.perform())) }
  mutating func stored(_ succeeded: Bool) -> [Outcome] { perform(server.stored(succeeded)) }

  private mutating func perform(_ actions: [PairSetupServer.Action]) -> [Outcome] {
    actions.flatMap { action -> [Outcome] in
      switch action {
      case .reply(let reply): return [.reply(reply)]
      case .badRequest, .outOfOrder: return [.badRequest]  // by default
      case .exchangeFailed: return [.reply(.error(.authentication, state: 6))]
      case .methodRefused(let answer): return [.methodRefused(answer)]
      case .failedAttempt: return [.failedAttempt]
      case .clearFailedAttempts: return [.clearFailedAttempts]
      case .startTransientSession(let keys): return [.transient(keys)]
      case .compute(let work):
        if isPrompt { return computed(work) }
        pending.append(work)
        return [.computing]
      case .store(let pairing):
        return [.store(pairing)] + (isPrompt ? stored(storeSucceeds) : [])
      }
    }
  }

  /// Runs M1 to M6 with our controller. The bench may be in any state before.
  mutating func pairs(seed: UInt64 = 7) -> Bool {
    var client = PairSetupClient(code: Fixture.code, identity: Fixture.controller, random: .seeded(seed))
    let outcome = converse(&client, with: &self, from: client.start())
    return outcome == .paired(Fixture.paired)
  }
}

enum ClientOutcome: Equatable {
  case paired(PairedAccessory), transient(SessionKeys), failed(PairingFailure), stuck
}

/// Passes messages between both sides until the client has finished.
func converse(_ client: inout PairSetupClient, with bench: inout SetupBench, from first: TLV) -> ClientOutcome {
  var message = first
  while true {
    let reply = bench.receive(message).lazy.compactMap { if case .reply(let reply) = $0 { reply } else { nil } }.first
    guard let reply else { return .stuck }
    var actions = client.receive(reply)
    if case .compute(let work)? = actions.first { actions = client.computed(work.perform()) }
    switch actions.first {
    case .send(let next)?: message = next
    case .paired(let accessory)?: return .paired(accessory)
    case .startTransientSession(let keys)?: return .transient(keys)
    case .failed(let failure)?: return .failed(failure)
    case .compute?, nil: return .stuck
    }
  }
}

extension PairingQuirks {
  static func proofs(_ forms: ProofForms) -> PairingQuirks {
    var quirks = PairingQuirks()
    quirks.proofForms = forms
    return quirks
  }
}
