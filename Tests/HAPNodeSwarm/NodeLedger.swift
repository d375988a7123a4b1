import HAPDiscovery
import HAPMatter
import HAPSwarm
import MatterInteraction
import MatterModel
import MatterWire

/// What is known of one accessory as a Matter node: fabrics, values, records and events. Confined to the world's thread.
final class NodeLedger: @unchecked Sendable {  // see above
  /// Whether a controller's fabric has the node.
  enum Membership: Equatable {
    case no
    case yes
    /// A request had no answer. `since`: the end of the operation; `.max` while it is in progress.
    case unknown(since: UInt64)
  }

  unowned let accessory: AccessoryMachine
  private var swarm: SwarmRun { accessory.swarm }
  private(set) var values: [NodeValue] = []
  /// The writes to values that are not in the registers of the accessory.
  private var histories: [NodeValue: ValueHistory] = [:]
  private var memberships: [Int: Membership] = [:]
  /// The number of changes of each membership.
  private(set) var changes: [Int: Int] = [:]
  /// The number of starts, deaths and resets: sessions of an earlier run are gone.
  private(set) var run = 0
  private(set) var resets = 0
  /// The facts on the label, at the first start.
  private(set) var invitation: MatterInvitation?

  // Commissionings.
  /// The passcodes of windows that controllers opened, by the discriminators.
  var passcodes: [String: UInt32] = [:]
  /// The number of commissionings in progress.
  private(set) var commissioningCount = 0
  /// The controllers that may be adding their fabric.
  private var joining: Set<Int> = []
  private(set) var commissioningStarts = 0
  /// The number of commissionings since the start. After 20 that fail, the node closes its window.
  private(set) var attemptCount = 0
  /// The time at which the last commissioning ended without success.
  var lastFailure: UInt64?
  var wrongPasscodeCount = 0
  /// No commissioning begins before this time, because the removal of a fabric is in progress: a new fabric could get
  /// its index.
  var removalEnd: UInt64 = 0
  var lastRemoval: UInt64?

  // Discovery.
  private(set) var records: [Int: ServiceRecord] = [:]

  private(set) var events = NodeEvents()
  var versions = NodeVersions()

  init(_ accessory: AccessoryMachine) { self.accessory = accessory }

  // MARK: Runs

  func started(_ invitation: MatterInvitation) {
    run += 1
    if values.isEmpty {
      values = NodeValue.all(of: accessory)
      for value in values where register(of: value) == nil { histories[value] = ValueHistory(initial: 0) }
    }
    if let first = self.invitation, first.payload != invitation.payload || first.trustAnchor != invitation.trustAnchor {
      swarm.report(.identityIsKept, "\(self) started with another label")
    }
    self.invitation = self.invitation ?? invitation
    attemptCount = 0
    events.runBegins()
    versions = NodeVersions()
  }

  func ended(losesValues: Bool) {
    run += 1
    records = [:]
    for value in histories.keys {
      histories[value]?.crashed(at: swarm.now, losesValues: losesValues && !value.isDurable)
    }
  }

  /// The accessory restarts, also if the reset fails.
  func willReset() {
    run += 1
    versions = NodeVersions()
    for number in memberships.keys where membership(of: number) != .no && !joining.contains(number) {
      set(number, .unknown(since: swarm.now))
    }
  }

  /// A reset may have removed values.
  func valuesAreUncertain() {
    for value in histories.keys where !value.isDurable { histories[value]?.crashed(at: swarm.now, losesValues: true) }
  }

  func wasReset(isWhole: Bool) {
    run += 1
    resets += 1
    // A commissioning in progress can continue with the node that was reset.
    for number in memberships.keys where !joining.contains(number) { set(number, .no) }
    for value in histories.keys {
      if isWhole || value.isDurable { histories[value]?.reset(at: swarm.now) }
    }
    if !isWhole { valuesAreUncertain() }
    // A node that was reset counts events from 1 again.
    events = NodeEvents()
    versions = NodeVersions()
    (lastRemoval, lastFailure) = (nil, nil)
  }

  // MARK: Memberships

  func membership(of controller: Int) -> Membership { memberships[controller] ?? .no }

  func set(_ controller: Int, _ membership: Membership) {
    guard memberships[controller] != membership else { return }
    swarm.note("controller \(controller) at \(self): \(membership)")
    memberships[controller] = membership
    changes[controller, default: 0] += 1
  }

  /// The controllers whose fabric may have the node.
  var members: [Int] { memberships.filter { $0.value != .no }.keys.sorted() }

  /// - Parameter controller: `nil`: one with a wrong passcode.
  func commissioningBegins(by controller: Int?) {
    attemptCount += 1
    commissioningCount += 1
    commissioningStarts += 1
    guard let controller else { return }
    joining.insert(controller)
    set(controller, .unknown(since: .max))
  }

  func commissioningEnds(by controller: Int?) {
    commissioningCount -= 1
    if let controller { joining.remove(controller) }
  }

  /// Whether the fabrics can change now: sessions that are being established can fail then.
  var isChanging: Bool {
    commissioningCount > 0 || removalEnd > swarm.now
      || memberships.values.contains { if case .unknown = $0 { true } else { false } }
  }

  // MARK: Values

  private func register(of value: NodeValue) -> Register? { value.id.flatMap { accessory.ledger.registers[$0] } }

  func history(of value: NodeValue) -> ValueHistory {
    guard let history = register(of: value)?.history ?? histories[value] else {
      preconditionFailure("a value has writes, or no writes")
    }
    return history
  }

  /// Records the start of a write.
  func begin(_ value: NodeValue, _ index: Int, by writer: Int) -> Int {
    swarm.note("controller \(writer) writes \(index) to \(value) of \(self)")
    if let id = value.id, register(of: value) != nil {
      return accessory.ledger.begin(id, index, by: writer, at: swarm.now)
    }
    return histories[value]?.begin(index, by: writer, at: swarm.now) ?? 0
  }

  /// - Parameter isDone: `nil`: the write has no answer.
  func finish(_ value: NodeValue, _ place: Int, isDone: Bool?) {
    let now = swarm.now
    swarm.note("a write to \(value) of \(self) is done: \(isDone.map { "\($0)" } ?? "unknown")")
    if let id = value.id, register(of: value) != nil {
      guard let isDone else { return accessory.ledger.abandon(id, place, until: now + NodeSwarm.lateness) }
      return accessory.ledger.finish(id, place, isDone: isDone, at: now)
    }
    switch isDone {
    case nil: histories[value]?.abandon(place, until: now + NodeSwarm.lateness)
    case true?: histories[value]?.finish(place, at: now)
    case false?: histories[value]?.refuse(place)
    }
  }

  // MARK: Discovery

  func published(_ record: ServiceRecord, _ advertiser: Int) { records[advertiser] = record }
  func withdrawn(_ advertiser: Int) { records[advertiser] = nil }

  /// The record of the open window.
  var commissionable: ServiceRecord? { records.values.first { $0.type == "_matterc._udp" } }
  var operationalNames: [String] { records.values.filter { $0.type == "_matter._tcp" }.map(\.name).sorted() }
  /// The port of the node.
  var port: UInt16 { invitation?.port ?? 0 }

  // MARK: Events

  /// Checks events of a report.
  /// - Parameter run: in which the report was made.
  func note(_ reported: [EventRecord], inRun run: Int, _ reader: String) {
    guard run == self.run else { return }
    for problem in events.note(reported) { swarm.report(.eventNumbersRise, "\(reader): \(problem)") }
    swarm.coverage.add(.events, reported.count)
  }
}

extension NodeLedger: CustomStringConvertible {
  var description: String { "node \(accessory.number)" }
}

/// The events that controllers have read of one node.
struct NodeEvents {
  private var known: [UInt64: EventRecord] = [:]
  private var highest: UInt64 = 0
  /// The highest number of all runs before.
  private var highestBefore: UInt64 = 0

  mutating func runBegins() { highestBefore = highest }

  /// - Returns: what is wrong with the events of a report.
  mutating func note(_ reported: [EventRecord]) -> [String] {
    var problems: [String] = []
    for (one, next) in zip(reported, reported.dropFirst()) where one.number >= next.number {
      problems.append("event \(next.number) follows event \(one.number)")
    }
    for record in reported {
      if let other = known[record.number] {
        if other != record {
          problems.append("the number \(record.number) belongs to \(other.path) and \(record.path)")
        }
      } else if record.number <= highestBefore {
        problems.append("event \(record.number) is new, and \(highestBefore) was sent before the restart")
      }
      known[record.number] = record
      highest = max(highest, record.number)
    }
    return problems
  }
}

/// The data versions of the clusters of one run of a node.
struct NodeVersions {
  typealias Cluster = ReportCollector.ClusterPath

  /// A cluster as one message has reported it.
  struct Snapshot {
    /// The start of the read.
    let start: UInt64
    /// Of the profile.
    let revision: Int
    let version: UInt32
    let values: [AttributePath: Element.Value]
  }

  private(set) var last: [Cluster: Snapshot] = [:]
  private var all: [Cluster: [UInt32: [AttributePath: Element.Value]]] = [:]

  /// Adds a snapshot.
  /// - Returns: the values that the cluster had with this version before; `nil`: it was not seen.
  mutating func note(_ snapshot: Snapshot, of cluster: Cluster) -> [AttributePath: Element.Value]? {
    let before = all[cluster]?[snapshot.version]
    all[cluster, default: [:]][snapshot.version] = snapshot.values
    last[cluster] = snapshot
    return before
  }
}
