import Foundation
import HAPWorld
import Testing

@testable import HAPStore

/// Runs tests twice: with the system's files, and with a simulated disk.
struct OnBothDisks: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal static var disk: SimulatedDisk?

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    var options = SimulatedDisk.Options()
    options.processID = getpid()
    options.pass = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }  // other threads hold the locks
    try await Self.$disk.withValue(SimulatedDisk(options), operation: function)
  }
}

extension Trait where Self == OnBothDisks {
  static var onBothDisks: Self { Self() }
}
