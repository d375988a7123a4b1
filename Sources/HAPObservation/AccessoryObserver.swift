import HAPCrypto
import HAPDiscovery
import HAPFrontEnds
import HAPIP
import HAPJudge
import HAPModel
import HAPWire

/// Reports the actions of controllers at an accessory to a judge, across restarts.
///
/// Belongs to the loop's thread.
final class AccessoryObserver: RunObserver, JudgedAccessory {
  let id: String
  let name: String
  private unowned let observation: ControllerObservation
  private let clock: () -> Duration
  private weak var core: AccessoryCore?
  /// The judge's numbers of the open connections.
  private var numbers: [ConnectionID: UInt64] = [:]
  private var configurationNumber: String?

  init(_ observation: ControllerObservation, id: String, name: String, clock: @escaping () -> Duration) {
    self.observation = observation
    self.id = id
    self.name = name
    self.clock = clock
  }

  private var judge: ControllerJudge { observation.judge }

  /// Starts to observe a run of the accessory.
  func watch(_ core: AccessoryCore) {
    self.core = core
    core.onPlain = { [unowned self, unowned core] connection, isFromController, head, body in
      let now = clock()
      guard isFromController else { return answered(Array(head), on: connection, at: now) }
      asked(PlainMessage(head: head, body: Array(body)), on: connection, of: core, at: now)
    }
  }

  /// Handles the end of a run: all of its connections are closed.
  func runEnded() {
    serves = false
    for connection in numbers.keys.sorted(by: { $0.number < $1.number }) { tell(.closed, on: connection, at: clock()) }
    numbers = [:]
  }

  // MARK: The accessory

  var database: AttributeDatabase { core?.attributes.database ?? .empty }
  var isPaired: Bool { core?.isPaired ?? false }
  var pairingIdentifiers: [[UInt8]] { core?.pairings.map(\.identifier) ?? [] }
  func isAdmin(_ controller: String) -> Bool {
    core?.pairings.contains { $0.name == controller && $0.isAdmin } ?? false
  }

  var serves = false {
    didSet { if serves != oldValue { judge.take(.serves(serves), of: self, at: clock()) } }
  }

  /// Handles the advertised record.
  func tells(_ txt: TextRecord) {
    guard let number = txt["c#"], number != configurationNumber else { return }
    configurationNumber = number
    judge.take(.announced(configurationNumber: number), of: self, at: clock())
  }

  // MARK: Events

  private func tell(_ act: ControllerAct, on connection: ConnectionID, at now: Duration) {
    guard let number = numbers[connection] else { return }
    judge.take(act, on: number, of: self, at: now)
  }

  func note(_ input: CoreInput, at now: Duration) {
    switch input {
    case .opened(let connection, let peer):
      numbers[connection] = observation.nextConnection()
      tell(.opened(peer: peer), on: connection, at: now)
    case .received(let connection, _): tell(.arrived, on: connection, at: now)
    case .closed(let connection):
      tell(.closed, on: connection, at: now)
      numbers[connection] = nil
    default: break
    }
  }

  func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration) {}

  func turnedAway(peer: String, at now: Duration) {
    let number = observation.nextConnection()
    judge.take(.opened(peer: peer), on: number, of: self, at: now)
    judge.take(.closed, on: number, of: self, at: now)
  }

  func ended(_ connection: ConnectionID, withReset: Bool, at now: Duration) { tell(.left, on: connection, at: now) }

  func hear(_ report: AccessoryReport, at now: Duration) {
    switch report {
    case .verified(let connection, let controller):
      tell(.verified(controller: controller), on: connection, at: now)
    case .unreadable(let connection, let reason): tell(.unreadable(reason: reason), on: connection, at: now)
    case .paired(let controller, _): judge.take(.paired(identifier: controller), of: self, at: now)
    case .unpaired(let controller): judge.take(.unpaired(identifier: controller), of: self, at: now)
    default: break
    }
  }

  private func answered(_ bytes: [UInt8], on id: ConnectionID, at now: Duration) {
    let message = PlainMessage(answer: bytes)
    if let message, message.isEvent { return tell(.told(message), on: id, at: now) }
    tell(.answered(message), on: id, at: now)
  }

  private func asked(_ request: PlainMessage, on id: ConnectionID, of core: AccessoryCore, at now: Duration) {
    if request.path == "/pair-verify", let name = givenName(request, on: id, of: core) {
      tell(.named(name), on: id, at: now)
    }
    tell(.asked(request), on: id, at: now)
  }

  /// Returns the identifier in M3 of Pair Verify, which is encrypted.
  private func givenName(_ request: PlainMessage, on id: ConnectionID, of core: AccessoryCore) -> [UInt8]? {
    guard let message = request.tlv, message.state == 3, let sealed = message[TLVType.encryptedData],
      sealed.count >= 16,
      let key = core.connections.first(where: { $0.id == id })?.pairingKey,
      let plain = ChaChaPoly.open(sealed, key: key, nonce: "PV-Msg03")
    else { return nil }
    return (try? TLV(decoding: plain))?[TLVType.identifier]
  }
}
