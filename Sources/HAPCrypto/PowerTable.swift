import Synchronization

/// Caches exponentiations of the SRP group and of the curves by their inputs. It is only for tests, which repeat the same ones: the table keeps
/// secrets in memory, and the time of a lookup depends on them.
package enum PowerTable {
  enum Operation { case power, agreementKey, agreement, signingKey, signature, verification }

  private struct Inputs: Hashable {
    var operation: Operation
    var values: [[UInt8]]
  }

  /// Two generations of results. A result that was not used in two generations is evicted.
  private struct Results {
    var recent: [Inputs: any Sendable] = [:]
    var older: [Inputs: any Sendable] = [:]

    mutating func insert(_ result: any Sendable, for inputs: Inputs) {
      if recent.count >= PowerTable.capacity {
        older = recent
        recent = [:]
      }
      recent[inputs] = result
    }

    mutating func find(_ inputs: Inputs) -> (any Sendable)? {
      if let result = recent[inputs] { return result }
      guard let result = older[inputs] else { return nil }
      insert(result, for: inputs)
      return result
    }
  }

  /// The maximum number of results in a generation. Two generations take some 40 MB.
  private static let capacity = 16384
  private static let isInUse = Atomic<Bool>(false)
  private static let results = Mutex(Results())

  /// Enables the table in this process.
  package static func use() { isInUse.store(true, ordering: .relaxed) }

  /// Whether the table is bypassed. Its own tests set this, to compare it with computed results.
  @TaskLocal static var isBypassed = false

  static var isUsed: Bool { isInUse.load(ordering: .relaxed) && !isBypassed }

  /// Returns the result of `compute`, from the table if it is cached. Each operation has one result type.
  static func result<Result: Sendable>(
    _ operation: Operation, of values: @autoclosure () -> [[UInt8]], _ compute: () -> Result
  ) -> Result {
    guard isUsed else { return compute() }
    let inputs = Inputs(operation: operation, values: values())
    if let known = results.withLock({ $0.find(inputs) }) { return known as! Result }
    let result = compute()
    results.withLock { $0.insert(result, for: inputs) }
    return result
  }
}
