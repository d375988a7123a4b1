import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPPairing
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// The accessory under test: where it is, and what the tester knows and holds of it.
///
/// Cases that run side by side share it, and the tester tidies up between them on any thread. So each member of `Facts` is read and written under a
/// lock.
@dynamicMemberLookup package final class TestedAccessory: Sendable {
  /// What changes during a run.
  package struct Facts: Sendable {
    /// Where it takes connections; the first is the one that cases use.
    package var addresses: [SocketAddress]
    /// Who is paired with it as an admin, of the tester's controllers; nil: it is unpaired, or another's.
    var owner: TestController?
    /// Whether a case has left a pairing behind that no controller of the tester's can remove.
    var hasStrayPairing = false
    /// Whether the tester came with a pairing, and leaves it.
    package internal(set) var isBorrowed = false
    /// Identifiers of pairings that were there before the run.
    var foreign: Set<[UInt8]> = []
    /// As it proved itself in Pair Setup.
    package internal(set) var identity: PairedAccessory?
    /// As it was read last.
    var database: DatabaseView? { didSet { keepOriginals() } }
    /// The body that was read last, even if nobody can make a database of it: the lint says why.
    var databaseBytes: [UInt8]?
    /// Values as they were before the first case, of what can be written back.
    fileprivate(set) var originals: [AttributeID: Value] = [:]
    /// Of its mDNS record, as it was found or given.
    package var txt: [(key: String, value: String)]?
    /// When a hook restarted it, and by what it is found again, the best first; nil: it was found since.
    var restart: (mark: MDNSObserver.Mark, targets: [ServiceTarget])?
    /// Its name on the network.
    package var instanceName: String?
    /// Claims as variables.
    package var claims: JSONNode?
    /// What was sent last, readable, and its bytes: named when the accessory is lost.
    var lastSent: (title: String, bytes: [UInt8]) = ("nothing", [])
    fileprivate var seedCount: UInt64 = 0

    /// Keeps the first value of each characteristic that can be read and written without a timed write.
    private mutating func keepOriginals() {
      for entry in database?.characteristics ?? [] where originals[entry.id] == nil {
        let characteristic = entry.characteristic
        guard characteristic.perms.isSuperset(of: [.pairedRead, .pairedWrite]), !characteristic.format.isBytes,
          !characteristic.value.isNull
        else { continue }
        originals[entry.id] = characteristic.value
      }
    }
  }

  package let loop: EventLoop
  /// Its setup code, with dashes.
  package let code: String?
  /// The tester's own identity.
  let admin: TestController
  /// Right Pair Verifys go one by one, also those of cases that run side by side.
  let verifying = Turnstile()
  /// Of the loop's clock, at the start of the run.
  let start: UInt64
  private let facts: Guarded<Facts>

  package init(
    on loop: EventLoop, addresses: [SocketAddress], code: String?, random: RandomSource,
    start: UInt64? = nil
  ) {
    self.loop = loop
    self.code = code
    admin = TestController(name: "admin", random: random)
    self.start = start ?? loop.readClock()
    facts = Guarded(Facts(addresses: addresses))
  }

  package subscript<T>(dynamicMember member: KeyPath<Facts, T>) -> T { facts.withLock { $0[keyPath: member] } }

  package subscript<T>(dynamicMember member: WritableKeyPath<Facts, T>) -> T {
    get { facts.withLock { $0[keyPath: member] } }
    set { facts.withLock { $0[keyPath: member] = newValue } }
  }

  /// Takes over a pairing that was there before the run, and is to be there after it.
  package func borrow(_ credentials: ControllerCredentials, with accessory: PairedAccessory) {
    self.owner = TestController(name: "admin", identifier: credentials.identifier, key: credentials.key)
    self.identity = accessory
    self.isBorrowed = true
  }

  /// Of the same accessory, before it was started again.
  func keepOriginals(of former: TestedAccessory) {
    let originals = former.originals
    facts.withLock { $0.originals.merge(originals) { _, earlier in earlier } }
  }

  var address: SocketAddress { self.addresses[0] }

  /// By which it is looked up: as its record had it, or as it proved itself.
  var id: String? {
    self.txt?.first { $0.key.lowercased() == "id" }?.value
      ?? self.identity.map { String(decoding: $0.identifier, as: UTF8.self) }
  }

  /// Goes by what the network says of it now: its name, its port, and its record if it has another ID. The address that was used so far stays
  /// the first, if it still has it.
  func follow(_ service: ServiceInstance) {
    self.restart = nil
    self.instanceName = String(decoding: service.label, as: UTF8.self)
    if let id, service.text != nil, !ServiceTarget.id(id).matches(service) { self.txt = service.textEntries }
    let found = service.socketAddresses
    guard !found.isEmpty else { return }
    let kept = found.filter { $0.host.bytes == address.host.bytes }
    self.addresses = kept + found.filter { !kept.contains($0) }
  }

  /// Another one each time, the same in each run.
  func nextSeed(_ seed: UInt64) -> UInt64 {
    let count = facts.withLock { facts in
      facts.seedCount += 1
      return facts.seedCount
    }
    return seed &+ 0x9E37_79B9_7F4A_7C15 &* count
  }

  /// Since the start of the run.
  var now: Duration { .nanoseconds(Int64(clamping: loop.readClock() &- start)) }

  /// A setup code that is not this one, and not one of the trivial ones.
  var wrongCode: String {
    guard let code, let digit = code.unicodeScalars.last else { return "031-45-154" }
    return code.dropLast() + (digit == "7" ? "8" : "7")
  }

  /// What cases may ask of it as `device`.
  var variable: JSONNode {
    var members: [(name: String, value: JSONNode)] = [
      ("host", .text(address.host.description)), ("port", .integer(address.port)),
      ("addresses", .list(self.addresses.map { .text("\($0)") })),
    ]
    if let identity = self.identity {
      members.append(("id", .text(String(decoding: identity.identifier, as: UTF8.self))))
      members.append(("ltpk", .text(Hexadecimal.text(identity.publicKey))))
    }
    if let txt = self.txt { members.append(("txt-keys", .list(txt.map { .text($0.key.lowercased()) }))) }
    if let instanceName = self.instanceName { members.append(("name", .text(instanceName))) }
    return .object(members)
  }

  /// The same for claims.
  var txtDictionary: [String: String]? {
    self.txt.map { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
  }

  /// The TXT record as an object; the first of keys that occur twice.
  var txtVariable: JSONNode? {
    guard let txt = self.txt else { return nil }
    var members: [(name: String, value: JSONNode)] = []
    for (key, value) in txt where !members.contains(where: { $0.name == key }) { members.append((key, .text(value))) }
    return .object(members)
  }
}
