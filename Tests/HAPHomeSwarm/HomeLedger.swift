import HAPHome
import HAPHubLink
import HAPModel

/// What apps and persons did, and what was answered. Confined to the thread of a run.
final class HomeLedger {
  /// A write of a value that no other write has.
  struct TokenWrite {
    let value: Int
    let slot: LabSlot
    let start: Duration
    /// nil: the request has no answer, or the hub crashed meanwhile.
    var outcome: ExecutionResult.Outcome?
    var isEnded = false
  }

  /// What is known about a room, by its name.
  enum RoomState: Equatable {
    case absent
    case present(HomeObjectID?)
    /// A request had no answer, or its change could not be stored.
    case unknown
  }

  /// The times of possible occurrences of each trigger, ascending.
  private(set) var causes: [HomeObjectID: [Duration]] = [:]
  /// How often each trigger was enabled.
  var enabled: [HomeObjectID: Int] = [:]
  /// The times of requests to execute a scene, ascending.
  var executions: [HomeObjectID: [Duration]] = [:]
  var writes: [TokenWrite] = []
  /// By the number of the app, then by name.
  var rooms: [Int: [String: RoomState]] = [:]
  /// The place that was confirmed last; nil: unknown.
  var place: PersonPlace? = .away
  private var lastToken = 1_000_000
  private var lastRoom = 0
  /// The identifiers of objects that are never removed, by their name.
  private(set) var identities: [String: HomeObjectID] = [:]
  /// The times at which a bridge had an accessory that is offline, by device.
  var offline: [Int: [Duration]] = [:]
  /// The times at which the hub crashed, and its clock was set.
  var crashes: [Duration] = []
  private(set) var clockChanges: [Duration] = []
  private var offsets: [Duration] = []

  enum PersonPlace { case home, away }

  func fix(_ name: String, _ id: HomeObjectID) { identities[name] = id }

  func caused(_ triggers: [PlannedTrigger], at time: Duration) {
    for trigger in triggers { causes[trigger.id, default: []].append(time) }
  }

  /// The clock of the hub was set.
  func clockChanged(to offset: Duration, at time: Duration) {
    clockChanges.append(time)
    offsets.append(offset)
  }

  /// The offset of the hub's clock.
  func offset(at time: Duration) -> Duration {
    clockChanges.lastIndex { $0 <= time }.map { offsets[$0] } ?? .zero
  }

  func newToken() -> Int {
    lastToken += 1
    return lastToken
  }

  func newRoom(_ app: Int) -> String {
    lastRoom += 1
    return "Room \(app) Number \(lastRoom)"
  }

  /// The rooms of an app that are known to be present, in order.
  func present(_ app: Int) -> [(name: String, id: HomeObjectID)] {
    (rooms[app] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, state in
      if case .present(let id?) = state { (name, id) } else { nil }
    }
  }

  /// Compares the rooms of an app with a model, and takes over what was not known.
  /// - Returns: what differs.
  func compareRooms(of app: Int, _ home: Home) -> [(invariant: HomeInvariant, text: String)] {
    var differences: [(HomeInvariant, String)] = []
    for (name, state) in (rooms[app] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let found = home.rooms.first { $0.name.text == name }
      switch state {
      case .unknown: break
      case .absent:
        if found != nil { differences.append((.commandsAreKept, "\(name) exists, and was removed or never added")) }
      case .present(let id):
        if found == nil {
          differences.append((.commandsAreKept, "\(name) does not exist, and was added"))
        } else if let id, found?.id != id {
          differences.append((.identityIsKept, "\(name) has another identifier"))
        }
      }
      rooms[app, default: [:]][name] = found.map { .present($0.id) } ?? .absent
    }
    return differences
  }
}
