/// A run as it was told: what every report is made of.
///
/// It can be asked at any moment. A run that ended early tells what was planned and never ran.
package struct RunReport: Equatable, Sendable {
  /// Nil: the run ended before it began.
  package private(set) var header: RunHeader?
  /// In the order in which they were meant to run; each id once.
  package private(set) var plan: [PlannedCase] = []
  /// In the order in which they ended; each id once.
  package private(set) var outcomes: [CaseOutcome] = []
  /// Ids of cases that began and haven't ended.
  package private(set) var running: [String] = []
  package private(set) var notes: [String] = []
  /// The accessory went away while the run went on.
  package private(set) var lost: Loss?
  package private(set) var isInterrupted = false
  /// Nil: the run didn't come to its end.
  package private(set) var summary: RunSummary?
  private var places = Places()

  package struct Loss: Equatable, Sendable {
    package var reason: String
    /// What was sent last, readable.
    package var lastSent: String
    package var bytes: [UInt8]

    package init(reason: String, lastSent: String, bytes: [UInt8]) {
      self.reason = reason
      self.lastSent = lastSent
      self.bytes = bytes
    }
  }

  /// Where the cases stand in the lists, by id.
  private struct Places: Equatable {
    var planned: [String: Int] = [:]
    var ended: [String: Int] = [:]
  }

  package init() {}

  package init(_ events: some Sequence<RunEvent>) {
    for event in events { take(event) }
  }

  /// A case is told once: what the plan says it is stays, and of two ends the later one counts.
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

  /// The same run with every case's end, and all that was said beside them, changed.
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
