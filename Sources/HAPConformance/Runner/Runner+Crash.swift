import HAPLoop
import HAPReport
import HAPSuite

/// Handling of an accessory that stopped answering. If the command's process (`--exec`) ended, it is restarted; otherwise the run is lost.
extension Runner {
  /// An accessory that doesn't answer.
  struct Death: Sendable {
    var reason = ""
    /// The last message before the check for an answer.
    var lastSent: (title: String, bytes: [UInt8])
  }

  /// Checks whether the accessory answers, three times with a second in between, because it may be restarting or busy.
  /// - Returns: nil if it answers.
  func death() async -> Death? {
    var death = Death(lastSent: device.lastSent)
    for _ in 0..<3 {
      if Task.isCancelled { return nil }
      do throws(PairingManager.Refusal) {
        try await manager.isAlive()
        return nil
      } catch { death.reason = error.message }
      if await world.process?.ending() != nil { return death }
      try? await loop.sleep(for: .seconds(1))
    }
    return Task.isCancelled ? nil : death
  }

  /// Concludes a case that ran alone. If the accessory's process ended, the case fails and the command is restarted.
  /// - Parameter death: nil: the accessory answers.
  func conclude(_ result: CaseExecution.Result, _ entry: Plan.Entry, after death: Death?) async {
    guard let death else { return conclude(result, entry.definition) }
    var result = result
    if let ending = await world.process?.ending() {
      var failure = CaseFailure(
        "the accessory crashed: its process ended \(ending)", sent: death.lastSent.title, got: ending)
      failure.procedures = []
      if !result.outcome.message.isEmpty { result.outcome.notes.append(result.outcome.message) }
      result.outcome.verdict = .fail
      result.failures = [CaseExecution.Ending(verdict: .fail, message: failure.message, failure: failure)]
      result.outcome.decide(by: result.failures[0])
      result.isCrash = true
    }
    conclude(result, entry.definition)
    await startAgain(entry.definition.id, death)
  }

  /// Restarts the accessory's command if its process ended, so that the other cases run; otherwise the accessory is lost.
  /// - Parameter id: the case or cases after which it stopped answering.
  func startAgain(_ id: String, _ death: Death) async {
    let lastSent = death.lastSent
    var reason = "after \(id): \(death.reason)"
    if let process = world.process, let ending = await process.ending() {
      if let failure = await process.startAgain() {
        reason += "; its process ended \(ending), and the command can't be started again: \(failure)"
      } else {
        tell(.note("the accessory's process ended \(ending) after \(id); the command was started again"))
        failedPairings = 0
        return
      }
    }
    isLost = true
    tell(.lost(reason: reason, lastSent: lastSent.title, bytes: Array(lastSent.bytes.prefix(4096))))
  }
}

extension CaseExecution.Result {
  /// Reports a crash that happened while the case ran beside others and did not repeat when they ran alone. A case that fails keeps its verdict.
  /// - Parameters:
  ///   - ending: how the accessory's process ended.
  ///   - others: the identifiers of the other cases that failed then.
  mutating func noteCrash(_ ending: String, beside others: [String]) {
    let company = others.isEmpty ? "" : " at the same time as \(others.joined(separator: ", "))"
    let message =
      "the accessory crashed: its process ended \(ending) while this case ran\(company); it did not when the cases ran alone"
    if outcome.verdict == .fail || outcome.verdict == .error {
      outcome.notes.append(message)
    } else {
      outcome.verdict = .flaky
      outcome.message = message
    }
  }
}
