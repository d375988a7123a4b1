import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWorld

// The checks at the end of a run. Each of them was seen to fail: by its mutation, and by the change that its comment names.
extension HubLedger {
  /// The time in nanoseconds within which an occurrence is decided and executed, if nothing disturbs it: 5 s for each of
  /// two reads, 10 s for the answers.
  static let slack: UInt64 = 20_000_000_000
  static let latest = Duration.seconds(60)

  func check() {
    coverage.add(.occurrences, occurrences.count)
    coverage.add(.executions, executions.count)
    for (index, trigger) in population.triggers.enumerated() { check(index, trigger) }
    checkRecords()
  }

  private func check(_ index: Int, _ trigger: HubPopulation.PlannedTrigger) {
    let own = occurrences.filter { $0.trigger == index }
    let done = executions.filter { $0.trigger == index && !$0.origin.isEnd }
    checkCount(index, own, done, isOnce: trigger.kind.eventTrigger?.executesOnce ?? false)
    for execution in done { checkCondition(trigger, execution, own) }
    for (place, occurrence) in own.enumerated() where isCertain(place, own, trigger) {
      coverage.add(.certainOccurrences)
      checkExecuted(occurrence, done, trigger)
    }
    checkExplained(index, trigger, own, done)
    checkEffects(index, trigger, done)
  }

  // MARK: Not twice

  /// Seen to fail: `HomeEngine.makePlan` plans the occurrences of the minute before `settled` again.
  private func checkCount(_ index: Int, _ own: [Occurrence], _ done: [Execution], isOnce: Bool) {
    let dues = Set(own.compactMap(\.due))
    var planned: Set<Instant> = []
    var others = 0
    for execution in done {
      let time = execution.origin.occurrence
      if dues.contains(time) {
        guard !planned.insert(time).inserted else { continue }
        report(.atMostOnce, "trigger \(index) executes the occurrence \(time) twice")
      } else {
        others += 1
        let events = own.count(where: { $0.due == nil && $0.time <= execution.start })
        if others > events {
          report(
            .atMostOnce, "trigger \(index): execution \(others) at \(wall(execution.start)), after \(events) events")
        }
      }
    }
    if isOnce, done.count > 1 { report(.executesOnce, "trigger \(index) executes \(done.count) times") }
  }

  // MARK: Conditions

  /// The value of a characteristic in a span; `unknown` while its device could not be reached, nil if it changed.
  private enum SpanValue {
    case known(Value)
    case unknown
  }

  private func value(_ id: HomeObjectID, _ start: UInt64, _ end: UInt64) -> SpanValue? {
    let downs = deviceDowns[population.devices[id]!]
    if downs.contains(where: { $0.start <= start && $0.end >= end }) { return .unknown }
    guard isClear(downs, start, end) else { return nil }
    let history = changes[id]!
    guard !history.contains(where: { $0.time >= start && $0.time <= end }) else { return nil }
    return .known(history.last { $0.time < start }!.value)
  }

  /// Returns whether a condition holds in a span, at a moment; nil if this is not certain.
  private func truth(_ condition: Condition, _ start: UInt64, _ end: UInt64, at moment: Instant) -> Truth? {
    var values: [HomeObjectID: Value] = [:]
    for id in condition.characteristics {
      switch value(id, start, end) {
      case .known(let value): values[id] = value
      case .unknown: break
      case nil: return nil
      }
    }
    if condition.hasPresence {
      // A hub that has just started does not know the last moves.
      guard isClear(downs, start, end), !moves.contains(where: { $0.time >= start && $0.time <= end }) else {
        return nil
      }
    }
    let atHome = moves.last { $0.time < max(start, 1) }!.atHome
    return condition.holds({ values[$0] }, atHome: atHome, at: moment, in: population.zone).map { $0 ? .true : .false }
      ?? .unknown
  }

  private func truth(
    _ trigger: HubPopulation.PlannedTrigger, _ start: UInt64, _ end: UInt64, at moment: Instant
  ) -> Truth? {
    guard let event = trigger.kind.eventTrigger else { return .true }
    if !event.weekdays.isEmpty, !event.weekdays.contains(population.zone.weekday(moment)) { return .false }
    return event.condition.map { truth($0, start, end, at: moment) } ?? .true
  }

  enum Truth { case `true`, `false`, unknown }

  /// Seen to fail: an unknown condition counts as true in `HomeEngine.decide`.
  private func checkCondition(
    _ trigger: HubPopulation.PlannedTrigger, _ execution: Execution, _ own: [Occurrence]
  ) {
    let start = execution.start > Self.slack ? execution.start - Self.slack : 0
    let moment = execution.origin.occurrence
    guard let truth = truth(trigger, start, execution.start, at: moment) else { return }
    coverage.add(.refusals)
    if truth != .true {
      report(
        .conditionsHold,
        "trigger \(execution.trigger) executes the occurrence \(moment), and its condition is \(truth)")
    }
  }

  // MARK: Exactly once

  func isClear(_ spans: [Span], _ start: UInt64, _ end: UInt64) -> Bool {
    !spans.contains { $0.start < end && $0.end > start }
  }

  /// Whether nothing disturbed an occurrence, and its condition was known to be true.
  private func isCertain(_ place: Int, _ own: [Occurrence], _ trigger: HubPopulation.PlannedTrigger) -> Bool {
    let occurrence = own[place]
    let (time, end) = (occurrence.time, occurrence.time + Self.slack)
    guard occurrence.isPossible, time > Self.slack, end < agendaEnd else { return false }
    let start = time - Self.slack
    let isPlanned = occurrence.due != nil
    if let due = occurrence.due, due.duration(to: occurrence.wall) > Self.latest { return false }
    // A planned occurrence can be due at the start of the hub, or by a change of its clock.
    guard isClear(downs, isPlanned ? time : start, end), isClear(diskFaults, start, end),
      !clockChanges.contains(where: { $0.time >= start && $0.time <= end && !(isPlanned && $0.time <= time) })
    else { return false }
    for (other, neighbour) in own.enumerated() where other != place {
      if neighbour.time >= start && neighbour.time <= end { return false }
    }
    guard (occurrence.devices + [trigger.device]).allSatisfy({ isClear(deviceDowns[$0], start, end) }) else {
      return false
    }
    let moments = occurrence.due.map { [$0] } ?? [occurrence.wall, occurrence.wall.advanced(by: .seconds(1))]
    // The value of the event itself changes now, so it is compared afterwards only.
    return moments.allSatisfy { truth(trigger, start, end, at: $0) == .true }
  }

  /// Seen to fail: the plan of a trigger is void after a missed occurrence.
  private func checkExecuted(
    _ occurrence: Occurrence, _ done: [Execution], _ trigger: HubPopulation.PlannedTrigger
  ) {
    let end = occurrence.time + Self.slack
    let matches = done.filter { execution in
      execution.start >= occurrence.time && execution.start <= end
        && (occurrence.due == nil || execution.origin.occurrence == occurrence.due)
    }
    let applied = matches.first?.applied.count(where: { $0 <= end }) ?? 0
    if matches.count != 1 || applied != trigger.writes.count {
      report(
        .exactlyOnce,
        "trigger \(occurrence.trigger): the occurrence of \(occurrence.due ?? occurrence.wall) executes \(matches.count) times, with \(applied) writes"
      )
    }
  }
}
