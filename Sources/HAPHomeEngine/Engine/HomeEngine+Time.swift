import HAPAlmanac
import HAPHome

extension HomeEngine {
  /// Steps of the clock that are smaller have no effect.
  private static let smallestStep = Duration.seconds(1)

  /// Sets the clock. Everything that is due until then happens now.
  ///
  /// A time before the last one means that the clock was set back. A step of less than a second is ignored.
  /// - Parameter uptime: the time since any moment, of a clock that is never set and also counts while the machine
  ///   sleeps. With it, the engine tells a step of the clock from time that has passed, so that the durations of effects
  ///   and the limits of waits stay. Nil: time that is later has passed.
  public mutating func advance(to time: Instant, uptime: Duration? = nil) -> [EngineAction] {
    let step = step(to: time, uptime)
    let isSetBack = time < now
    if !isSetBack || step <= .zero - Self.smallestStep {
      pass(to: time)
      if max(step, .zero - step) >= Self.smallestStep { clockIsSet(by: step, isSetBack: isSetBack) }
    }
    meetDeadlines()
    return takeActions()
  }

  private mutating func pass(to time: Instant) {
    let isJump = now.duration(to: time) > policy.greatestLateness
    let ignored = isJump ? order.filter { runs[$0]?.state.settled != nil && settled($0) == nil } : []
    now = time
    // The clock was wrong until now, and the times that were settled before that count again.
    for id in ignored where settled(id) != nil { makePlan(id) }
  }

  /// The time until which planned occurrences are settled; nil: none is. A time that is far ahead is ignored: the clock
  /// is wrong now, or was wrong then.
  func settled(_ id: HomeObjectID) -> Instant? {
    runs[id]?.state.settled.flatMap { now.duration(to: $0) <= policy.greatestSetBack ? $0 : nil }
  }

  /// Returns by how much the clock was set since the last time; negative: back.
  private mutating func step(to time: Instant, _ uptime: Duration?) -> Duration {
    let last = clock
    clock = uptime.map { (time, $0) }
    guard let last, let uptime else { return min(.zero, now.duration(to: time)) }
    return last.wall.duration(to: time) - max(.zero, uptime - last.uptime)
  }

  mutating func meetDeadlines() {
    while let first = deadlines.first, first.time <= now {
      deadlines.removeFirst()
      guard isValid(first) else { continue }
      switch first.deadline {
      case .occurrence(let trigger, let source, _): occurred(trigger, source, due: first.time)
      case .read(let ticket):
        readEnded(ticket, [:], whyMissing: "no answer within \(policy.readLimit.components.seconds) s")
      case .end(let trigger): end(trigger, .duration(due: first.time))
      }
    }
  }

  func isValid(_ entry: DeadlineHeap.Entry) -> Bool {
    switch entry.deadline {
    case .occurrence(let trigger, _, let plan): runs[trigger]?.plan == plan
    case .read(let ticket): pending[ticket]?.limit == entry.time
    case .end(let trigger): runs[trigger]?.state.running?.end == entry.time
    }
  }

  /// Removes the void deadlines.
  mutating func rebuildDeadlines() {
    deadlines.removeAll()
    for id in order {
      guard let run = runs[id] else { continue }
      for (index, source) in run.sources.enumerated() {
        if let due = source.due { deadlines.add(.occurrence(id, source: index, plan: run.plan), at: due) }
      }
      if let end = run.state.running?.end { deadlines.add(.end(id), at: end) }
    }
    for (ticket, pending) in pending.sorted(by: { $0.key < $1.key }) {
      if let limit = pending.limit { deadlines.add(.read(ticket), at: limit) }
    }
    validDeadlines = deadlines.count
  }

  // MARK: Planned events

  /// Computes the next occurrences of a trigger, after those that are settled.
  mutating func makePlan(_ id: HomeObjectID) {
    guard var run = runs[id], let home = homes[run.home] else { return }
    run.plan += 1
    run.sources = run.trigger.isEnabled ? sources(of: run.trigger, in: home).map { ($0, nil) } : []
    for index in run.sources.indices {
      let due = run.sources[index].source.next(after: settled(id) ?? now)
      run.sources[index].due = due
      if let due { deadlines.add(.occurrence(id, source: index, plan: run.plan), at: due) }
    }
    runs[id] = run
  }

  /// Returns the next planned time of an enabled trigger that is on one of its weekdays; nil: nothing is planned.
  func nextTime(of id: HomeObjectID) -> Instant? {
    guard let run = runs[id], let home = homes[run.home] else { return nil }
    guard case .event(let event) = run.trigger.kind, !event.weekdays.isEmpty else { return run.nextDue }
    guard let zone = home.zone else { return nil }
    let times = run.sources.compactMap { source, due -> Instant? in
      var due = due
      for _ in 0..<7 {
        guard let time = due else { return nil }
        let date = zone.civilTime(at: time).date
        if event.weekdays.contains(date.weekday) { return time }
        guard let midnight = date.adding(days: 1).flatMap({ try? CivilTime($0) }) else { return nil }
        due = source.next(after: zone.instant(of: midnight).advanced(by: .nanoseconds(-1)))
      }
      return due
    }
    return times.min()
  }

  private func sources(of trigger: Trigger, in home: HomePlan) -> [TimeSource] {
    switch trigger.kind {
    case .timer(let timer): zone(of: timer, in: home).map { [.timer(timer, $0)] } ?? []
    case .event(let event):
      event.events.compactMap {
        switch $0 {
        case .calendar(let parts): home.zone.map { .calendar(parts, $0) }
        case .sun(let moment): home.location.map { .sun(moment, $0) }
        case .characteristic, .threshold, .presence, .location, .duration: nil
        }
      }
    }
  }

  /// Returns the zone without which planned events or the condition of a trigger cannot be computed.
  func missingZone(_ trigger: Trigger, in home: HomePlan) -> ZoneName? {
    switch trigger.kind {
    case .timer(let timer):
      return zone(of: timer, in: home) == nil ? timer.zone ?? home.zoneName : nil
    case .event(let event):
      var needs = !event.weekdays.isEmpty || event.events.contains { if case .calendar = $0 { true } else { false } }
      event.condition?.forEachLeaf {
        switch $0 {
        case .time, .sun: needs = true
        case .characteristic, .presence, .unknown, .all, .any, .not: break
        }
      }
      return needs && home.zone == nil ? home.zoneName : nil
    }
  }

  private mutating func occurred(_ id: HomeObjectID, _ index: Int, due: Instant) {
    guard let run = runs[id] else { return }
    let source = run.sources[index].source
    let earliest = now.advanced(by: .zero - policy.greatestLateness)
    let isMissed = due < earliest
    // Of the missed occurrences, only the first one is explained: there may be any number of them.
    let settled = isMissed ? Instant(nanoseconds: earliest.nanoseconds - 1) : due
    let latest = max(self.settled(id) ?? settled, settled)
    runs[id]?.state.settled = latest
    let next = source.next(after: settled)
    runs[id]?.sources[index].due = next
    if let next { deadlines.add(.occurrence(id, source: index, plan: run.plan), at: next) }
    if isMissed {
      refuse(id, source.cause(due: due), .missed)
    } else {
      activate(id, source.cause(due: due), at: due)
    }
  }

  /// Marks planned occurrences until now as settled, when a trigger starts to be enabled. Occurrences that were settled
  /// before the clock was set back stay so.
  /// - Returns: whether the state changed.
  mutating func settle(_ id: HomeObjectID) -> Bool {
    guard let run = runs[id], let home = homes[run.home], !sources(of: run.trigger, in: home).isEmpty else {
      return false
    }
    if let settled = settled(id), settled >= now { return false }
    runs[id]?.state.settled = now
    return true
  }

  // MARK: The clock is set

  private mutating func clockIsSet(by step: Duration, isSetBack: Bool) {
    for (id, watch) in watches { if let lost = watch.lostAt { watches[id]?.lostAt = lost.advanced(by: step) } }
    for (ticket, request) in pending {
      if let limit = request.limit { pending[ticket] = request.waiting(until: limit.advanced(by: step)) }
    }
    for id in order { clockIsSet(id, by: step, isSetBack: isSetBack) }
    rebuildDeadlines()
  }

  private mutating func clockIsSet(_ id: HomeObjectID, by step: Duration, isSetBack: Bool) {
    guard var run = runs[id] else { return }
    let stateBefore = run.state
    run.executions = []
    run.moveEnd(by: step)
    runs[id] = run
    if isSetBack { makePlan(id) }
    if run.state != stateBefore { record(id) }
    if isSetBack { explainSettled(id) }
  }

  /// Explains that planned times are over which the clock will show again (rule E12).
  mutating func explainSettled(_ id: HomeObjectID) {
    guard let run = runs[id], let settled = settled(id), settled > now else { return }
    for source in run.sources.map(\.source) {
      if let due = source.next(after: now), due <= settled {
        explain(id, source.cause(due: due), .settledBefore(settled))
      }
    }
  }
}
