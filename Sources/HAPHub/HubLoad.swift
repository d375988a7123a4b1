/// The open work of a hub, for tests: everything ends.
package struct HubLoad: Hashable, Sendable {
  /// Executions without a result.
  package var executions: Int
  /// PUTs without an answer.
  package var puts: Int
  /// Reads without a result.
  package var reads: Int
  /// Inputs of the engine that wait for a command.
  package var inputs: Int
  /// Records and commands that are not stored.
  package var unstored: Int
  /// Triggers that were fired by hand, and places, without an answer.
  package var answers: Int
  /// Devices that are being added or removed.
  package var busyDevices: Int

  /// The greatest of the numbers.
  package var greatest: Int { [executions, puts, reads, inputs, unstored, answers, busyDevices].max() ?? 0 }
  package var isIdle: Bool { greatest == 0 }
}

extension HomeHub {
  package var load: HubLoad {
    HubLoad(
      executions: executions.count, puts: puts.count, reads: reads.count, inputs: automation.waiting.count,
      unstored: journal.count, answers: automation.places.count + automation.fires.values.reduce(0) { $0 + $1.count },
      busyDevices: reserved.count { $0.value.isHeld })
  }
}
