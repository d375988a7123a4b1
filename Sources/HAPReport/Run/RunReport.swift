/// A run as its events describe it: the source of every report.
///
/// It is valid at any moment. After a run that ended early, it lists the planned cases that did not run.
package struct RunReport: Equatable, Sendable {
  /// The head of the run; `nil`: the run ended before its first event.
  package private(set) var header: RunHeader?
  /// The plan in order; each id once.
  package private(set) var plan: [PlannedCase] = []
  /// The outcomes in the order in which the cases ended; each id once.
  package private(set) var outcomes: [CaseOutcome] = []
  /// Ids of cases that have begun and not ended.
  package private(set) var running: [String] = []
  package private(set) var notes: [String] = []
  /// The loss of the accessory during the run, if it was lost.
  package private(set) var lost: Loss?
  package private(set) var isInterrupted = false
  /// The summary; `nil`: the run did not finish.
  package private(set) var summary: RunSummary?
  private var places = Places()

  package struct Loss: Equatable, Sendable {
    package var reason: String
    /// A readable summary of the last message sent.
    package var lastSent: String
    package var bytes: [UInt8]

    package init(reason: String, lastSent: String, bytes: [UInt8]) {
      self.reason = reason
      self.lastSent = lastSent
      self.bytes = bytes
    }
  }

  /// The positions of the cases in the lists, by id.
  private struct Places: Equatable {
    var planned: [String: Int] = [:]
    var ended: [String: Int] = [:]
  }

  package init() {}

  package init(_ events: some Sequence<RunEvent>) {
    for event in events { take(event) }
  }

  /// Adds an event. The description in the plan has precedence, and the last of several outcomes of a case counts.
  package mutating func take(_ event: RunEvent) {
    switch event {
    case .began(let header): self.header = header
    case .planned(let cases):
      for planned in cases where places.planned[planned.description.id] == nil {
        places.planned[planned.description.id] = plan.count
        plan.append(planned)
      }
    case .caseBegan(let id): if !running.contains(id) { running.append(id) }
    case .caseEnded(var outcome):
      let id = outcome.description.id
      if let place = places.planned[id] { outcome.description = plan[place].description }
      running.removeAll { $0 == id }
      if let place = places.ended[id] {
        outcomes[place] = outcome
      } else {
        places.ended[id] = outcomes.count
        outcomes.append(outcome)
      }
    case .note(let note): notes.append(note)
    case .lost(let reason, let lastSent, let bytes):
      lost = Loss(reason: reason, lastSent: lastSent, bytes: bytes)
    case .interrupted: isInterrupted = true
    case .ended(let summary): self.summary = summary
    }
  }

  package func outcome(of id: String) -> CaseOutcome? { places.ended[id].map { outcomes[$0] } }

  /// Returns the run with all outcomes and texts transformed.
  func mapping(
    header: (RunHeader) -> RunHeader, plan: (PlannedCase) -> PlannedCase, outcome: (CaseOutcome) -> CaseOutcome,
    text: (String) -> String, bytes: ([UInt8]) -> [UInt8]
  ) -> RunReport {
    var report = self
    report.header = self.header.map(header)
    report.plan = self.plan.map(plan)
    report.outcomes = outcomes.map(outcome)
    report.notes = notes.map(text)
    report.lost = lost.map {
      Loss(reason: text($0.reason), lastSent: text($0.lastSent), bytes: bytes($0.bytes))
    }
    report.summary?.leftovers = (summary?.leftovers ?? []).map(text)
    return report
  }
}
