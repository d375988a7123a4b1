import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPPairing
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// The accessory under test: its addresses, and the tester's knowledge of its state.
///
/// Parallel cases share it, and cleanup between them runs on any thread. Therefore each member of `Facts` is read and written under a lock.
@dynamicMemberLookup package final class TestedAccessory: Sendable {
  /// The facts that change during a run.
  package struct Facts: Sendable {
    /// Addresses that the accessory listens on; cases use the first one.
    package var addresses: [SocketAddress]
    /// The tester's controller that is paired with the accessory as an admin; nil if the accessory is unpaired or
    /// paired with another controller.
    var owner: TestController?
    /// Whether a case left a pairing that no controller of the tester can remove.
    var hasStrayPairing = false
    /// Whether the tester uses an existing pairing, and keeps it.
    package internal(set) var isBorrowed = false
    /// Identifiers of pairings from before the run.
    var foreign: Set<[UInt8]> = []
    /// The accessory's identity from Pair Setup.
    package internal(set) var identity: PairedAccessory?
    /// The last database read.
    var database: DatabaseView? { didSet { keepOriginals() } }
    /// The last database body read, even if it can't be parsed; `haptest lint` reports why.
    var databaseBytes: [UInt8]?
    /// Values from before the first case, for characteristics that can be restored.
    fileprivate(set) var originals: [AttributeID: Value] = [:]
    /// The TXT record of the accessory's mDNS service, found or given.
    package var txt: [(key: String, value: String)]?
    /// Time of a restart by a hook, and how to find the accessory again, the best target first; nil once it was found.
    var restart: (mark: MDNSObserver.Mark, targets: [ServiceTarget])?
    /// The accessory's name on the network.
    package var instanceName: String?
    /// Claims as variables.
    package var claims: JSONNode?
    /// Title and bytes of the last message sent, reported when the accessory is lost.
    var lastSent: (title: String, bytes: [UInt8]) = ("nothing", [])
    fileprivate var seedCount: UInt64 = 0

    /// Keeps the first value of each characteristic that can be read and written.
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
  /// The accessory's setup code, with dashes.
  package let code: String?
  /// The tester's identity.
  let admin: TestController
  /// Serializes correct Pair Verify procedures, also of parallel cases.
  let verifying = AsyncMutex()
  /// Time on the loop's clock at the start of the run.
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

  /// Uses an existing pairing that must be kept after the run.
  package func borrow(_ credentials: ControllerCredentials, with accessory: PairedAccessory) {
    self.owner = TestController(name: "admin", identifier: credentials.identifier, key: credentials.key)
    self.identity = accessory
    self.isBorrowed = true
  }

  /// Keeps the original values of the same accessory from before its restart.
  func keepOriginals(of former: TestedAccessory) {
    let originals = former.originals
    facts.withLock { $0.originals.merge(originals) { _, earlier in earlier } }
  }

  var address: SocketAddress { self.addresses[0] }

  /// The accessory's device ID for look-ups, from its record or from Pair Setup.
  var id: String? {
    self.txt?.first { $0.key.lowercased() == "id" }?.value
      ?? self.identity.map { String(decoding: $0.identifier, as: UTF8.self) }
  }

  /// Updates name, port and record from a service that was found. The record is updated only if it has another ID. If the address in use is
  /// still among the addresses, it remains the first.
  func follow(_ service: ServiceInstance) {
    self.restart = nil
    self.instanceName = String(decoding: service.label, as: UTF8.self)
    if let id, service.text != nil, !ServiceTarget.id(id).matches(service) { self.txt = service.textEntries }
    let found = service.socketAddresses
    guard !found.isEmpty else { return }
    let kept = found.filter { $0.host.bytes == address.host.bytes }
    self.addresses = kept + found.filter { !kept.contains($0) }
  }

  /// Returns a different seed on each call; the sequence is the same in each run.
  func nextSeed(_ seed: UInt64) -> UInt64 {
    let count = facts.withLock { facts in
      facts.seedCount += 1
      return facts.seedCount
    }
    return seed &+ 0x9E37_79B9_7F4A_7C15 &* count
  }

  /// Time since the start of the run.
  var now: Duration { .nanoseconds(Int64(clamping: loop.readClock() &- start)) }

  /// A setup code that is neither the accessory's nor a trivial one.
  var wrongCode: String {
    guard let code, let digit = code.unicodeScalars.last else { return "031-45-154" }
    return code.dropLast() + (digit == "7" ? "8" : "7")
  }

  /// The variable `device` of cases.
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

  /// The TXT record for claims.
  var txtDictionary: [String: String]? {
    self.txt.map { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
  }

  /// The TXT record as an object. Of duplicate keys the first one counts.
  var txtVariable: JSONNode? {
    guard let txt = self.txt else { return nil }
    var members: [(name: String, value: JSONNode)] = []
    for (key, value) in txt where !members.contains(where: { $0.name == key }) { members.append((key, .text(value))) }
    return .object(members)
  }
}
