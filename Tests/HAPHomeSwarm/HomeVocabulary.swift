/// A fault in a home.
package enum HomeFault: String, CaseIterable, Sendable {
  // Accessories.
  case radio
  case powerLoss = "power-loss"
  case kill
  case offline
  case dropMessage = "drop-message"
  case cutBefore = "cut-before"
  case disconnect
  /// Another protocol at the port of the accessory.
  case garbage
  /// One more service or accessory, so `c#` rises.
  case grow
  case factoryReset = "factory-reset"
  /// Another address and another port.
  case move
  case silence
  // The network between the hub and an accessory.
  case latency
  case stall
  case cut
  // The hub.
  case hubKill = "hub-kill"
  case hubPowerLoss = "hub-power-loss"
  case hubCrashInWrite = "hub-crash-in-write"
  case hubDiskFull = "hub-disk-full"
  case hubFailingSync = "hub-failing-sync"
  case clockJump = "clock-jump"
  // Apps.
  case appKill = "app-kill"
  case appFreeze = "app-freeze"

  var isOfHubDisk: Bool { self == .hubCrashInWrite || self == .hubDiskFull || self == .hubFailingSync }
  var isHubCrash: Bool { self == .hubKill || self == .hubPowerLoss || self == .hubCrashInWrite }
  var isOfNetwork: Bool { self == .latency || self == .stall || self == .cut }
}

/// What an app or a person does.
package enum HomeOperation: String, CaseIterable, Sendable {
  case addRoom = "add-room"
  case removeRoom = "remove-room"
  case renameRoom = "rename-room"
  case moveAccessory = "move-accessory"
  case execute
  case write
  case read
  case subscribe
  case unsubscribe
  case fire
  case place
  case toggle
  case explain
  case identify
  case status
  case search
  case removeGuest = "remove-guest"
  case addGuest = "add-guest"
  /// The home is shared with another hub.
  case share
  case renewShare = "renew-share"
  case changeRole = "change-role"
  case removeUser = "remove-user"
  /// The other hub writes a value.
  case visitorWrite = "visitor-write"
  case visitorRestart = "visitor-restart"
  /// A person changes the value of a sensor.
  case sensor
}

/// A property that holds in spite of any faults.
package enum HomeInvariant: String, CaseIterable, Sendable {
  /// An occurrence executes at most once, and nothing executes without one.
  case atMostOnce = "at-most-once"
  /// Nothing is sent twice, and the reported outcome of a write is what happened at the accessory.
  case sentOnce = "sent-once"
  /// The writes of an execution to one connection are in one PUT.
  case onePut = "one-put"
  /// At rest, the replica of each app equals the hub's homes.
  case replicasAgree = "replicas-agree"
  /// A command that was answered survives each crash, and a refused one has no effect.
  case commandsAreKept = "commands-are-kept"
  /// Identifiers stay the same.
  case identityIsKept = "identity-is-kept"
  /// At rest, exactly the accessories that can't be reached are reported as such.
  case reachabilityIsTrue = "reachability-is-true"
  /// Without faults, each occurrence executes or is explained, as its condition requires.
  case firesOrExplains = "fires-or-explains"
  /// Each request is answered while its app lives.
  case requestsAreAnswered = "requests-are-answered"
  /// Queues have limits. At rest, the hub has no open work, and as many sockets as connections.
  case workEnds = "work-ends"
  /// The hub starts with the contents of its disk after each crash.
  case storeOpens = "store-opens"
  /// At rest, the accessories of the home know exactly its users, with their rights, and other accessories know none.
  case usersHavePairings = "users-have-pairings"
}

/// A deliberate error of the hub or its machine that makes an invariant fail.
package enum HomeMutation: String, CaseIterable, Sendable {
  case storeRolledBack = "store-rolled-back-by-a-crash"
  case putsTwice = "puts-sent-twice"
  case putsSplit = "puts-split"
  case changesLost = "changes-not-reported"
  case diskIgnoresSync = "disk-ignores-sync"
  case identityChanged = "identifiers-changed-by-a-crash"
  case lossesLost = "losses-not-noticed"
  case eventsLost = "events-not-noticed"
  case answersLost = "answers-lost"
  case leak = "a-socket-for-each-request"
  case fileDamaged = "file-damaged-by-a-crash"
  case usersLost = "pairings-of-users-not-sent"

  /// The invariant that must fail.
  package var breaks: HomeInvariant {
    switch self {
    case .storeRolledBack: .atMostOnce
    case .putsTwice: .sentOnce
    case .putsSplit: .onePut
    case .changesLost: .replicasAgree
    case .diskIgnoresSync: .commandsAreKept
    case .identityChanged: .identityIsKept
    case .lossesLost: .reachabilityIsTrue
    case .eventsLost: .firesOrExplains
    case .answersLost: .requestsAreAnswered
    case .leak: .workEnds
    case .fileDamaged: .storeOpens
    case .usersLost: .usersHavePairings
    }
  }
}

/// One invariant that did not hold.
package struct HomeViolation: Sendable, Equatable, CustomStringConvertible {
  package let invariant: HomeInvariant
  package let text: String

  package var description: String { "\(invariant.rawValue): \(text)" }
}

/// What happened in runs, by name. A check that never ran would prove nothing.
package struct HomeCoverage: Sendable, Equatable {
  /// The names that always have a count.
  private static let names =
    HomeFault.allCases.map { "fault \($0.rawValue)" } + HomeOperation.allCases.map { "operation \($0.rawValue)" }
    + HomeCheck.allCases.map { "check \($0.rawValue)" }

  private var counts: [String: Int] = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })

  package init() {}

  package subscript(check: HomeCheck) -> Int { counts["check \(check.rawValue)"] ?? 0 }
  package var operations: Int { sum("operation ") }
  package var faults: Int { sum("fault ") }

  private func sum(_ start: String) -> Int { counts.filter { $0.key.hasPrefix(start) }.values.reduce(0, +) }

  mutating func add(_ fault: HomeFault) { counts["fault \(fault.rawValue)", default: 0] += 1 }
  mutating func add(_ operation: HomeOperation) { counts["operation \(operation.rawValue)", default: 0] += 1 }
  mutating func add(_ check: HomeCheck, _ number: Int = 1) { counts["check \(check.rawValue)", default: 0] += number }

  package mutating func add(_ other: HomeCoverage) { counts.merge(other.counts, uniquingKeysWith: +) }

  /// One line for each count.
  package var table: String {
    let width = counts.keys.map(\.count).max() ?? 0
    return counts.sorted { $0.key < $1.key }.map { name, count in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(count)"
    }.joined(separator: "\n")
  }

  /// The counts on one line.
  package var line: String { counts.sorted { $0.key < $1.key }.map { "\($0.value)" }.joined(separator: " ") }

  package init?(line: String) {
    let (numbers, names) = (line.split(separator: " ").compactMap { Int($0) }, Self.names.sorted())
    guard numbers.count == names.count else { return nil }
    counts = Dictionary(uniqueKeysWithValues: zip(names, numbers))
  }
}

/// What the checks of a run counted.
package enum HomeCheck: String, CaseIterable, Sendable {
  case starts = "starts of the hub"
  case executions = "executions of triggers"
  case scenes = "executions of scenes"
  case puts = "PUTs of whole scenes"
  case doneWrites = "writes that were done"
  case unknownWrites = "writes with an unknown outcome"
  case unsentWrites = "writes that were not sent"
  case replicas = "replicas that were compared"
  case lostAccessories = "accessories that could not be reached at rest"
  case quietExecutions = "executions without faults"
  case quietRefusals = "refusals without faults"
  case quietTimers = "times of timers without faults"
  case blocked = "accessories that were blocked"
  case users = "pairings of users that were compared"
  case commands = "commands that were answered"
  case unknownCommands = "commands without an answer"
}

/// The outcome of one seed.
package struct HomeOutcome: Sendable {
  package let seed: UInt64
  package let coverage: HomeCoverage
  package let violations: [HomeViolation]
  /// The hash of all events, which is equal for two runs of one seed.
  package let traceHash: UInt64
  /// The virtual time of the run.
  package let duration: Duration
}
