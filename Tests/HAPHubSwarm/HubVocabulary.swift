/// A fault in a swarm of homes.
package enum HubFault: String, CaseIterable, Sendable {
  case kill
  case powerLoss = "power-loss"
  /// The process of the hub dies at the next step of a random kind, see `HubStep`.
  case killAtStep = "kill-at-step"
  case powerLossAtStep = "power-loss-at-step"
  /// The process or the host dies between two writes to its disk.
  case crashInCommit = "crash-in-commit"
  case diskFull = "disk-full"
  case failingSync = "failing-sync"
  case clockAhead = "clock-ahead"
  case clockBack = "clock-back"
  /// No packet passes between the hub and a device.
  case deviceLost = "device-lost"
}

/// A step of the hub before which it can crash.
package enum HubStep: String, CaseIterable, Sendable {
  /// The record is not on the disk.
  case commit
  /// The record is on the disk, and the engine is not notified.
  case committed
  /// The record is on the disk, the engine is notified, and nothing is sent.
  case execute
  /// Some of the writes are sent.
  case nextWrite = "next-write"
  /// The accessory has written, and the hub does not know it.
  case answer
  case restore
  case read
  case subscribe
  case explain
  case tell
}

/// A property that holds in a swarm of homes in spite of any faults.
package enum HubInvariant: String, CaseIterable, Sendable {
  /// No occurrence executes twice, and nothing executes without an occurrence.
  case atMostOnce = "at-most-once"
  /// Nothing is written for an occurrence before its record is on the disk.
  case recordedFirst = "recorded-first"
  /// An occurrence that was not disturbed, with a condition that is known to be true, executes.
  case exactlyOnce = "exactly-once"
  /// Nothing executes if the condition is not known to be true.
  case conditionsHold = "conditions-hold"
  /// Each occurrence that does not execute, and each execution without a result, is explained.
  case explained
  /// A trigger that executes once never executes again.
  case executesOnce = "executes-once"
  /// At the end of an effect, the values from before are written, also after a crash.
  case effectsEnd = "effects-end"
  /// The store can be opened after each crash.
  case storeOpens = "store-opens"
}

/// A deliberate error of the hub or its machine that makes an invariant fail.
package enum HubMutation: String, CaseIterable, Sendable {
  case executesBeforeRecord = "executes-before-record"
  case diskIgnoresSync = "disk-ignores-sync"
  case executionsLost = "executions-lost"
  case conditionsInverted = "condition-values-inverted"
  case statesForgotten = "trigger-states-forgotten"
  case disablingForgotten = "disabled-triggers-forgotten"
  case effectsForgotten = "effects-forgotten"
  case fileDamaged = "file-damaged-by-a-crash"

  /// The invariant that must fail.
  package var breaks: HubInvariant {
    switch self {
    case .executesBeforeRecord: .atMostOnce
    case .diskIgnoresSync: .recordedFirst
    case .executionsLost: .exactlyOnce
    case .conditionsInverted: .conditionsHold
    case .statesForgotten: .explained
    case .disablingForgotten: .executesOnce
    case .effectsForgotten: .effectsEnd
    case .fileDamaged: .storeOpens
    }
  }
}

/// One invariant that did not hold.
package struct HubViolation: Sendable, Equatable, CustomStringConvertible {
  package let invariant: HubInvariant
  package let text: String

  package var description: String { "\(invariant.rawValue): \(text)" }
}

/// What happened in runs, by name. A check that never ran would prove nothing.
package struct HubCoverage: Sendable, Equatable {
  /// The names of `counts`, in order.
  package static let names: [String] =
    HubFault.allCases.map { "fault \($0.rawValue)" } + HubStep.allCases.map { "crash before \($0.rawValue)" }
    + HubCheck.allCases.map(\.rawValue)

  private var counts = [Int](repeating: 0, count: names.count)

  package init() {}

  package subscript(name: String) -> Int { Self.names.firstIndex(of: name).map { counts[$0] } ?? 0 }
  package subscript(check: HubCheck) -> Int { self[check.rawValue] }

  mutating func add(_ name: String, _ number: Int = 1) {
    guard let index = Self.names.firstIndex(of: name) else { preconditionFailure("\(name) is not counted") }
    counts[index] += number
  }

  mutating func add(_ check: HubCheck, _ number: Int = 1) { add(check.rawValue, number) }

  package mutating func add(_ other: HubCoverage) {
    for index in counts.indices { counts[index] += other.counts[index] }
  }

  /// One line for each count.
  package var table: String {
    let width = Self.names.map(\.count).max()!
    return zip(Self.names, counts).map { name, count in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(count)"
    }.joined(separator: "\n")
  }

  /// The counts on one line.
  package var line: String { counts.map(String.init).joined(separator: " ") }

  package init?(line: String) {
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == counts.count else { return nil }
    counts = numbers
  }
}

/// What the checks at the end of a run counted.
package enum HubCheck: String, CaseIterable, Sendable {
  case crashes
  case occurrences
  case executions
  /// Occurrences without a disturbance and with a true condition.
  case certainOccurrences = "occurrences that must execute"
  case refusals = "executions with a known condition"
  case missed = "missed occurrences"
  case notConfirmed = "executions not confirmed after a crash"
  case notRecorded = "executions whose record failed"
  case certainEnds = "ends that must restore"
  case endsAfterCrash = "ends that must restore after a crash"
  case endsAfterClockChange = "ends that must restore after a step of the clock"
  case lostClocks = "starts with a clock of 1970"
  case regions = "moves into or out of a region"
  case lampEvents = "writes that activate a trigger"
  case byHand = "triggers fired by hand"
  case rejectedEvents = "evaluations with a false or unknown condition"
}

/// The outcome of one seed.
package struct HubOutcome: Sendable {
  package let seed: UInt64
  package let coverage: HubCoverage
  package let violations: [HubViolation]
  /// The hash of all events, which is equal for two runs of one seed.
  package let traceHash: UInt64
  /// The virtual time of the run.
  package let duration: Duration
}
