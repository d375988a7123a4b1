import Synchronization

/// Remembers exponentiations of the SRP group by their inputs. For tests alone, which make the same ones again and again: the table keeps secrets in
/// memory, and its use takes a time that depends on them.
package enum PowerTable {
  struct Inputs: Hashable {
    var base: [UInt8]
    var exponent: [UInt8]
  }

  /// The most results that it keeps: some 4 MB. Beyond them it begins again.
  private static let capacity = 4096
  private static let isInUse = Atomic<Bool>(false)
  private static let results = Mutex<[Inputs: [UInt8]]>([:])

  /// Uses the table from now on, in this process.
  package static func use() { isInUse.store(true, ordering: .relaxed) }

  /// The result of `compute`, from the table if it has been asked before.
  static func power(_ base: BigNumber, _ exponent: BigNumber, _ compute: () -> BigNumber) -> BigNumber {
    guard isInUse.load(ordering: .relaxed) else { return compute() }
    let inputs = Inputs(base: base.bytes(), exponent: exponent.bytes())
    if let known = results.withLock({ $0[inputs] }) { return BigNumber(known) }
    let result = compute()
    results.withLock { results in
      if results.count >= capacity { results = [:] }
      results[inputs] = result.bytes()
    }
    return result
  }
}
