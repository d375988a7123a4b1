import HAPHome
import HAPModel
import HAPStore
import HAPWire

/// A device that must get, change or lose the pairing of a user, and has not confirmed it. home.md §12. The homes say
/// what it must get: so this is right whatever has changed meanwhile.
struct OwedPairing: Hashable, Sendable {
  let device: DeviceID
  /// The pairing identifier.
  let controller: String

  init(_ device: DeviceID, _ controller: String) { (self.device, self.controller) = (device, controller) }

  // MARK: The store

  private var id: String { "\(device) \(controller)" }

  var row: HomeRowChange {
    let json = JSONNode.object([("device", .text(device.text)), ("controller", .text(controller))])
    return .keep(.owedPairing(HomeStateRow(id: id, json: json.compactText)))
  }

  var removal: HomeRowChange { .remove(.owedPairings, id: id) }

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["device", "controller"])
    self.init(try JSONNode.deviceID(node.required("device")), try node.string("controller"))
  }
}

/// What devices owe.
struct OwedPairings {
  /// What a device knows about a user.
  enum Right: String, Hashable, Sendable {
    /// It may also change the pairings of the device.
    case administrator
    case guest
    /// The device does not know the user.
    case unknown
  }

  struct Entry {
    /// An answer to a request for an earlier entry is ignored.
    var generation: Int
    /// Whether it is not sent yet: its row is being stored.
    var isHeld = false
    /// Whether the device may know the user. If it does not, there is nothing to remove.
    var mayKnow = true
    /// The right that the device has confirmed; nil: none since the last change.
    var confirmed: Right? = nil
    /// The reason of the last failure on this connection.
    var error: HomeError? = nil
  }

  private var entries: [DeviceID: [String: Entry]] = [:]
  /// The users with whom homes are being shared. They are not in the homes yet.
  var pending: [HomeObjectID: HomeUser] = [:]
  /// The entries whose rows are being removed by the command that is being stored.
  var dropping: [OwedPairing] = []
  /// The devices to which something is being sent.
  var sending: [DeviceID: Task<Void, Never>] = [:]
  /// The devices that are being removed, to which nothing is sent.
  var blocked: Set<DeviceID> = []
  /// The devices that refused something, which is sent again after a pause.
  var pausing: Set<DeviceID> = []

  var all: [OwedPairing] { entries.keys.sorted().flatMap(list) }

  func list(of device: DeviceID) -> [OwedPairing] {
    (entries[device] ?? [:]).keys.sorted().map { OwedPairing(device, $0) }
  }

  subscript(pairing: OwedPairing) -> Entry? {
    get { entries[pairing.device]?[pairing.controller] }
    set {
      entries[pairing.device, default: [:]][pairing.controller] = newValue
      if entries[pairing.device]?.isEmpty == true { entries[pairing.device] = nil }
    }
  }

  private var lastGeneration = 0

  /// Replaces an entry, or adds one.
  mutating func renew(_ pairing: OwedPairing, isHeld: Bool = false, mayKnow: Bool = true, confirmed: Right? = nil) {
    lastGeneration += 1
    self[pairing] = Entry(generation: lastGeneration, isHeld: isHeld, mayKnow: mayKnow, confirmed: confirmed)
  }

  /// Changes an entry, unless it was replaced or dropped.
  mutating func update(_ pairing: OwedPairing, _ generation: Int, _ body: (inout Entry) -> Void) {
    guard var entry = self[pairing], entry.generation == generation else { return }
    body(&entry)
    self[pairing] = entry
  }

  mutating func drop(_ device: DeviceID) { entries[device] = nil }

  /// There is a new connection, or a pause has ended: what failed is sent again.
  mutating func retry(_ device: DeviceID) { for pairing in list(of: device) { self[pairing]?.error = nil } }
}

extension HomeUser {
  /// The right that devices give to the user's hub.
  var right: OwedPairings.Right { role == .guest ? .guest : .administrator }
}
