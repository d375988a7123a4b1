/// A population of the swarm.
protocol Population: Sendable {
  /// The name for `make swarm POPULATION=`, and the option.
  var name: String { get }
  /// Runs seeds one after the other, and prints the coverage as one line for `report`.
  func runSome(from first: UInt64, count: UInt64) throws
  /// Runs one seed, and prints every event.
  /// - Returns: whether all invariants held.
  func replay(_ seed: UInt64) throws -> Bool
  /// Prints the sum of the coverage.
  func report(_ lines: [String])
}
