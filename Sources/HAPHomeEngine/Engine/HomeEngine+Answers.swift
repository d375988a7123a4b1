import HAPHome
import HAPModel

/// Answers of the shell to requests. An answer to an unknown request is ignored: its trigger may be removed, or the wait
/// may be over.
extension HomeEngine {
  /// Receives the values of a `read`.
  /// - Parameters:
  ///   - values: the values that were read.
  ///   - why: the reason for those that are missing.
  public mutating func readEnded(
    _ ticket: EngineTicket, _ values: [HomeObjectID: Value], why: String? = nil
  ) -> [EngineAction] {
    readEnded(ticket, values, whyMissing: why)
    return takeActions()
  }

  mutating func readEnded(_ ticket: EngineTicket, _ values: [HomeObjectID: Value], whyMissing why: String?) {
    guard let request = pending[ticket] else { return }
    let known = values.filter { !$0.value.isNull }
    switch request {
    case .conditionValues(let id, until: _):
      pending[ticket] = nil
      guard let activation = runs[id]?.activation, activation.ticket == ticket else { return }
      decide(id, activation.cause, at: activation.moment, known, whyMissing: why)
      activateNext(id)
    case .snapshotValues(let id, until: _):
      pending[ticket] = nil
      guard runs[id]?.activation?.ticket == ticket else { return }
      snapshotRead(id, known)
      activateNext(id)
    case .endValues(let id, until: _):
      pending[ticket] = nil
      if runs[id]?.ending?.ticket == ticket { endValuesRead(id, known) }
    case .executionRecord, .endRecord, .execution, .restoration, .personRecord, .changes: return
    }
  }

  /// The shell calls this when a `record` or `recordPerson` is durable, or could not be stored.
  /// - Parameter failure: the reason why it could not be stored. Then nothing is written for it.
  public mutating func recorded(_ ticket: EngineTicket, failure: String? = nil) -> [EngineAction] {
    guard let request = pending[ticket] else { return [] }
    switch request {
    case .executionRecord(let id):
      pending[ticket] = nil
      if runs[id]?.activation?.ticket == ticket {
        executionRecorded(id, failure: failure)
        activateNext(id)
      }
    case .personRecord(let events, let moment):
      pending[ticket] = nil
      for event in events {
        guard let failure else {
          activate(event.trigger, event.cause, at: moment)
          continue
        }
        if runs[event.trigger]?.trigger.isEnabled == true { refuse(event.trigger, event.cause, .notRecorded(failure)) }
      }
    case .endRecord(let id):
      pending[ticket] = nil
      if runs[id]?.ending?.ticket == ticket { endRecorded(id, failure: failure) }
    case .changes(let changes):
      pending[ticket] = nil
      if failure == nil { for change in changes { actions.append(.tell(change)) } }
    case .conditionValues, .snapshotValues, .endValues, .execution, .restoration: return []
    }
    return takeActions()
  }

  /// Receives the results of `execute` or `restore`.
  public mutating func sceneEnded(_ ticket: EngineTicket, _ report: ExecutionReport) -> [EngineAction] {
    switch pending[ticket] {
    case .execution(let evaluation, let started):
      pending[ticket] = nil
      executionEnded(evaluation, started, report)
    case .restoration(let evaluation, let started, let restored):
      pending[ticket] = nil
      restorationEnded(evaluation, started, restored, report)
    case .conditionValues, .snapshotValues, .endValues, .executionRecord, .endRecord, .personRecord, .changes, nil:
      return []
    }
    return takeActions()
  }
}
