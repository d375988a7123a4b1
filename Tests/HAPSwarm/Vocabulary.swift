/// An action of a controller or a person in a swarm.
package enum SwarmOperation: String, CaseIterable, Sendable {
  case pair
  case wrongCode = "wrong-code"
  case open
  case read
  case write
  case timedWrite = "timed-write"
  case subscribe
  case unsubscribe
  case database
  case addPairing = "add-pairing"
  case removePairing = "remove-pairing"
  case listPairings = "list-pairings"
  case close
  /// A person changes a value at the accessory.
  case set
  /// The accessory serves a profile with one more service.
  case reconfigure
  case factoryReset = "factory-reset"
}

/// A fault in a swarm.
package enum SwarmFault: String, CaseIterable, Sendable {
  case latency
  case stall
  /// No packet passes between a controller and an accessory.
  case cut
  /// Packets pass in one direction only.
  case halfCut = "half-cut"
  /// The accessory closes all connections.
  case disconnect
  case kill
  case powerLoss = "power-loss"
  /// The process of the accessory dies between two writes to its disk.
  case crashInWrite = "crash-in-write"
  case freeze
  case newAddress = "new-address"
  case diskFull = "disk-full"
  case failingSync = "failing-sync"
  case controllerKill = "controller-kill"
  /// A controller loses power. The accessory keeps connections whose peer is gone.
  case controllerPowerLoss = "controller-power-loss"
}

/// A property that holds in spite of any faults.
package enum SwarmInvariant: String, CaseIterable, Sendable {
  /// A read returns the last value whose write was answered. After a power loss, older values may reappear.
  case writesAreKept = "writes-are-kept"
  /// Identity and setup code survive each crash.
  case identityIsKept = "identity-is-kept"
  /// The accessory and its controllers agree on the pairings.
  case pairingsAgree = "pairings-agree"
  /// The count of wrong setup codes survives each crash.
  case triesAreKept = "tries-are-kept"
  /// No event is sent to the connection that wrote the value.
  case noEventToWriter = "no-event-to-writer"
  /// A connected subscriber gets an event for each change.
  case noEventLost = "no-event-lost"
  /// No event is sent without a subscription, or after its end.
  case noEventUnsubscribed = "no-event-unsubscribed"
  /// Every frame of a session can be opened with the next counter.
  case countersAreUnique = "counters-are-unique"
  /// `c#` increases if the database changes, and stays otherwise.
  case configurationRises = "configuration-rises"
  /// Each request is answered, or its connection ends.
  case requestsAreAnswered = "requests-are-answered"
  /// No answer takes longer than its limit while there is no fault.
  case waitsAreBounded = "waits-are-bounded"
  /// At the end, an accessory has as many sockets and handles as after its start.
  case memoryReturns = "memory-returns"
  /// Answers are well-formed and have the expected status.
  case answersAreSound = "answers-are-sound"
}

/// One invariant that did not hold.
package struct SwarmViolation: Sendable, Equatable, CustomStringConvertible {
  package let invariant: SwarmInvariant
  package let text: String

  package var description: String { "\(invariant.rawValue): \(text)" }
}

/// The number of operations of each kind during each fault.
package struct SwarmCoverage: Sendable, Equatable {
  /// The counts by operation. The last column counts operations without any fault.
  private var counts: [[Int]]
  package private(set) var operations = 0
  /// The number of faults of each kind.
  package private(set) var faults = [Int](repeating: 0, count: SwarmFault.allCases.count)

  package init() {
    let row = [Int](repeating: 0, count: SwarmFault.allCases.count + 1)
    counts = Array(repeating: row, count: SwarmOperation.allCases.count)
  }

  package var faultCount: Int { faults.reduce(0, +) }

  mutating func add(_ operation: SwarmOperation, during active: Set<SwarmFault>) {
    operations += 1
    let row = SwarmOperation.allCases.firstIndex(of: operation)!
    if active.isEmpty { counts[row][SwarmFault.allCases.count] += 1 }
    for (column, fault) in SwarmFault.allCases.enumerated() where active.contains(fault) { counts[row][column] += 1 }
  }

  mutating func add(_ fault: SwarmFault) { faults[SwarmFault.allCases.firstIndex(of: fault)!] += 1 }

  package mutating func add(_ other: SwarmCoverage) {
    operations += other.operations
    for column in faults.indices { faults[column] += other.faults[column] }
    for row in counts.indices { for column in counts[row].indices { counts[row][column] += other.counts[row][column] } }
  }

  /// The number of pairs of an operation and a fault that never occurred together.
  package var missing: Int { counts.reduce(0) { $0 + $1.dropLast().count { $0 == 0 } } }

  /// The table of operations and faults.
  package var table: String {
    let titles = SwarmFault.allCases.map(\.rawValue) + ["none"]
    let first = SwarmOperation.allCases.map(\.rawValue.count).max()!
    func cell(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    var lines = [String(repeating: " ", count: first) + titles.map { "  " + $0 }.joined()]
    for (row, operation) in SwarmOperation.allCases.enumerated() {
      let cells = zip(titles, counts[row]).map { "  " + cell("\($1)", $0.count) }
      lines.append(operation.rawValue.padded(to: first) + cells.joined())
    }
    let caused = zip(titles, faults).map { "  " + cell("\($1)", $0.count) }
    lines.append("caused".padded(to: first) + caused.joined())
    return lines.joined(separator: "\n")
  }

  // MARK: Transfer between processes

  /// The counts on one line.
  package var line: String { ([operations] + faults + counts.flatMap { $0 }).map(String.init).joined(separator: " ") }

  package init?(line: String) {
    self.init()
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 1 + faults.count + counts.reduce(0, { $0 + $1.count }) else { return nil }
    operations = numbers[0]
    faults = Array(numbers[1...faults.count])
    var at = 1 + faults.count
    for row in counts.indices {
      counts[row] = Array(numbers[at..<at + counts[row].count])
      at += counts[row].count
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
