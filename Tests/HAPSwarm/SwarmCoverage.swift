/// What the checks of Matter compared in runs. A check that never ran would prove nothing.
package enum SwarmCheck: String, SwarmWord {
  case commissionings = "commissionings that were answered"
  case wholeCommissionings = "commissionings without an answer that are whole"
  case undoneCommissionings = "commissionings without an answer that are undone"
  case refusedPasscodes = "wrong passcodes that were refused"
  case resumptions = "sessions that were resumed"
  case removals = "removals of fabrics that were answered"
  case refusedFabrics = "sessions that were refused after a removal or a reset"
  case values = "values that were read"
  case liveSubscriptions = "values of subscriptions that were compared"
  case endedSubscriptions = "subscriptions that had ended"
  case sameVersions = "data versions that stayed with the data"
  case newVersions = "data versions that changed with the data"
  case events = "events that were read"
  case agreements = "values that both protocols read"
  case tables = "tables that were counted"
  case records = "records that were compared"

  package var isOfMatter: Bool { true }
}

/// The number of operations of each kind during each fault.
package struct SwarmCoverage: Sendable, Equatable {
  /// The counts by operation. The last column counts operations without any fault.
  private var counts: [[Int]]
  package private(set) var operations = 0
  /// The number of faults of each kind.
  package private(set) var faults: [Int]
  private let operationNames: [SwarmOperation]
  private let faultNames: [SwarmFault]
  private var checks: [Int]
  private let checkNames: [SwarmCheck]

  package init(of population: SwarmPopulation) {
    (operationNames, faultNames) = (SwarmOperation.all(of: population), SwarmFault.all(of: population))
    checkNames = SwarmCheck.all(of: population)
    faults = faultNames.map { _ in 0 }
    checks = checkNames.map { _ in 0 }
    counts = operationNames.map { [faultNames] _ in [Int](repeating: 0, count: faultNames.count + 1) }
  }

  package var faultCount: Int { faults.reduce(0, +) }

  mutating func add(_ operation: SwarmOperation, during active: Set<SwarmFault>) {
    operations += 1
    let row = operationNames.firstIndex(of: operation)!
    if active.isEmpty { counts[row][faultNames.count] += 1 }
    for (column, fault) in faultNames.enumerated() where active.contains(fault) { counts[row][column] += 1 }
  }

  mutating func add(_ fault: SwarmFault) { faults[faultNames.firstIndex(of: fault)!] += 1 }

  package mutating func add(_ check: SwarmCheck, _ number: Int = 1) {
    checks[checkNames.firstIndex(of: check)!] += number
  }

  package subscript(check: SwarmCheck) -> Int { checkNames.firstIndex(of: check).map { checks[$0] } ?? 0 }

  package mutating func add(_ other: SwarmCoverage) {
    operations += other.operations
    for place in checks.indices { checks[place] += other.checks[place] }
    for column in faults.indices { faults[column] += other.faults[column] }
    for row in counts.indices { for column in counts[row].indices { counts[row][column] += other.counts[row][column] } }
  }

  /// The number of pairs of an operation and a fault that never occurred together.
  package var missing: Int { counts.reduce(0) { $0 + $1.dropLast().count { $0 == 0 } } }

  /// The table of operations and faults.
  package var table: String {
    let titles = faultNames.map(\.rawValue) + ["none"]
    let first = operationNames.map(\.rawValue.count).max() ?? 0
    func cell(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    var lines = [String(repeating: " ", count: first) + titles.map { "  " + $0 }.joined()]
    for (row, operation) in operationNames.enumerated() {
      let cells = zip(titles, counts[row]).map { "  " + cell("\($1)", $0.count) }
      lines.append(operation.rawValue.padded(to: first) + cells.joined())
    }
    let caused = zip(titles, faults).map { "  " + cell("\($1)", $0.count) }
    lines.append("caused".padded(to: first) + caused.joined())
    let width = checkNames.map(\.rawValue.count).max() ?? 0
    lines += zip(checkNames, checks).map { "\($0.rawValue.padded(to: width))  \($1)" }
    return lines.joined(separator: "\n")
  }

  // MARK: Transfer between processes

  /// The counts on one line.
  package var line: String {
    ([operations] + faults + checks + counts.flatMap { $0 }).map(String.init).joined(separator: " ")
  }

  package init?(line: String, of population: SwarmPopulation) {
    self.init(of: population)
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 1 + faults.count + checks.count + counts.reduce(0, { $0 + $1.count }) else {
      return nil
    }
    operations = numbers[0]
    faults = Array(numbers[1...faults.count])
    checks = Array(numbers[(1 + faults.count)...].prefix(checks.count))
    var at = 1 + faults.count + checks.count
    for row in counts.indices {
      counts[row] = Array(numbers[at..<at + counts[row].count])
      at += counts[row].count
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
