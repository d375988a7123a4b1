import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// A slow engine, written from the rules alone: it looks at each minute of a year, and asks each trigger whether one of
/// its events happens. Only the sun's time of a day comes from the almanac, which has its own vectors.
struct ReferenceEngine {
  enum Input {
    case value(HomeObjectID, Value)
    /// A value that is not reported, but can be read; nil: it cannot be read.
    case silent(HomeObjectID, Value?)
    case person(HomeObjectID, isHome: Bool)
  }

  enum Verdict: String {
    case executed, conditionFalse, conditionUnknown, weekday, ended
  }

  struct Result: Hashable, Comparable, CustomStringConvertible {
    var second: Int
    var trigger: HomeObjectID
    var verdict: Verdict

    static func < (left: Result, right: Result) -> Bool {
      (left.second, left.trigger, left.verdict.rawValue) < (right.second, right.trigger, right.verdict.rawValue)
    }
    var description: String { "\(Instant(seconds: Int64(second))) \(trigger) \(verdict)" }
  }

  let triggers: [Trigger]
  let clock: ReferenceClock
  let otherClocks: [ZoneName: ReferenceClock]
  let zone: ZoneRules
  let place: Coordinate
  var values: [HomeObjectID: Value]
  var atHome: Set<HomeObjectID> = []
  var ends: [HomeObjectID: Int] = [:]
  var results: [Result] = []
  private var sunTimes: [SunEvent: [Int: Int]] = [:]
  /// The planned events: the index of the minute, its second, and the trigger.
  private var planned: [Int: [(second: Int, trigger: Trigger)]] = [:]

  init(
    _ triggers: [Trigger], _ clock: ReferenceClock, others: [ZoneName: ReferenceClock], zone: ZoneRules,
    place: Coordinate, values: [HomeObjectID: Value]
  ) {
    (self.triggers, self.clock, otherClocks, self.zone, self.place) = (triggers, clock, others, zone, place)
    self.values = values
    for event in SunEvent.allCases {
      for day in clock.local[0] / 1440 - 1...clock.local[clock.local.count - 1] / 1440 {
        let civil = clock.days[day]
        let date = try! CivilDate(year: civil.year, month: civil.month, day: civil.day)
        sunTimes[event, default: [:]][day] = event.time(on: date, at: place, in: zone).map { Int($0.seconds) }
      }
    }
  }

  // MARK: The year

  mutating func run(_ inputs: [(second: Int, input: Input)], from first: Int) {
    for trigger in triggers { plan(trigger) }
    var next = 0
    var index = first - clock.start
    while index < clock.local.count {
      defer { index += 1 }
      let minute = clock.start + index
      var happenings: [(second: Int, input: Input?, trigger: Trigger?)] = []
      if let events = planned[index] { happenings += events.map { ($0.second, nil, $0.trigger) } }
      for end in ends.values where end / 60 == minute { happenings.append((end % 60, nil, nil)) }
      while next < inputs.count, inputs[next].second / 60 <= minute {
        happenings.append((inputs[next].second % 60, inputs[next].input, nil))
        next += 1
      }
      guard !happenings.isEmpty else { continue }
      // Planned events come first within a second.
      happenings.sort { ($0.second, $0.input == nil ? 0 : 1) < ($1.second, $1.input == nil ? 0 : 1) }
      for (second, input, trigger) in happenings {
        let now = minute * 60 + second
        if let trigger { evaluate(trigger, now, index) }
        for (id, end) in ends where end == now { finish(id, now) }
        if let input { receive(input, now, index) }
      }
    }
  }

  private mutating func finish(_ trigger: HomeObjectID, _ now: Int) {
    ends[trigger] = nil
    results.append(Result(second: now, trigger: trigger, verdict: .ended))
  }

  // MARK: Planned events

  private mutating func plan(_ trigger: Trigger) {
    func add(_ indices: [Int]) { for index in indices { planned[index, default: []].append((0, trigger)) } }
    if case .timer(let timer) = trigger.kind { add(indices(of: timer)) }
    for event in trigger.kind.events {
      switch event {
      case .calendar(let parts): add(parts.hour == nil && parts.minute != nil ? shown(parts) : indices(of: parts))
      case .sun(let moment):
        for second in sunTimes[moment.event]!.values.map({ $0 + moment.offset }) {
          planned[second / 60 - clock.start, default: []].append((second % 60, trigger))
        }
      default: continue
      }
    }
  }

  /// The minutes whose civil time has these parts.
  private func shown(_ parts: DateParts) -> [Int] {
    var found: [Int] = []
    var index = 0
    while index < clock.local.count {
      if clock.local[index] % 60 == parts.minute!, hasDay(parts, clock.local[index]) { found.append(index) }
      index += 1
    }
    return found
  }

  /// The minutes at which a time of the day is planned.
  private func indices(of parts: DateParts) -> [Int] {
    let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
    var found: [Int] = []
    var place = 0
    while place < clock.planned.times.count {
      let time = clock.planned.times[place]
      if time % 1440 == minute, hasDay(parts, time) { found.append(clock.planned.indices[place]) }
      place += 1
    }
    return found
  }

  private func hasDay(_ parts: DateParts, _ time: Int) -> Bool {
    let day = clock.days[time / 1440]
    return (parts.year ?? day.year) == day.year && (parts.month ?? day.month) == day.month
      && (parts.day ?? day.day) == day.day && (parts.weekday?.rawValue ?? day.weekday) == day.weekday
  }

  /// The minutes of a timer, by the civil times of its zone.
  private func indices(of timer: TimerTrigger) -> [Int] {
    let first = Int(timer.fireDate.seconds) / 60 - clock.start
    guard let period = timer.recurrence else { return [first] }
    let own = timer.zone.map { otherClocks[$0]! } ?? clock
    let elapsed = period.hours * 60 + period.minutes
    guard period.months + period.weeks + period.days > 0 else {
      return Array(stride(from: first, to: clock.local.count, by: elapsed))
    }
    let begin = own.local[first]
    var found = [first]
    var place = 0
    while place < own.planned.times.count {
      let time = own.planned.times[place]
      if time > begin, time % 1440 == begin % 1440, let count = count(period, from: begin, to: time, own) {
        found.append(own.planned.indices[place] + count * elapsed)
      }
      place += 1
    }
    return found
  }

  /// The number of periods between two civil times with the same time of day; nil if it is not whole.
  private func count(_ period: CivilPeriod, from begin: Int, to time: Int, _ clock: ReferenceClock) -> Int? {
    let day = clock.days[time / 1440], first = clock.days[begin / 1440]
    if period.months > 0 {
      let months = (day.year - first.year) * 12 + day.month - first.month
      let isDay = months > 0 && months % period.months == 0 && day.day == min(first.day, day.lastDay)
      return isDay ? months / period.months : nil
    }
    let length = period.weeks * 7 + period.days, distance = (time - begin) / 1440
    return distance % length == 0 ? distance / length : nil
  }

  // MARK: Values and persons

  private mutating func receive(_ input: Input, _ now: Int, _ index: Int) {
    switch input {
    case .silent(let id, let value): values[id] = value
    case .value(let id, let value):
      let before = values[id]!.doubleValue!, after = value.doubleValue!
      values[id] = value
      for trigger in triggers where trigger.kind.events.contains(where: { isEvent($0, id, before, after) }) {
        evaluate(trigger, now, index)
      }
    case .person(let user, let isHome):
      let before = atHome
      if isHome { atHome.insert(user) } else { atHome.remove(user) }
      for trigger in triggers where trigger.kind.events.contains(where: { isEvent($0, before) }) {
        evaluate(trigger, now, index)
      }
    }
  }

  private func isEvent(_ event: HomeEvent, _ id: HomeObjectID, _ before: Double, _ after: Double) -> Bool {
    switch event {
    case .characteristic(id, equals: let expected):
      let changed = abs(before - after) > 0.001
      return expected.map { changed && abs(after - $0.doubleValue!) < 0.05 } ?? changed
    case .threshold(id, let range):
      func isInside(_ number: Double) -> Bool { number >= range.min ?? -1e9 && number <= range.max ?? 1e9 }
      return isInside(after) && !isInside(before)
    default: return false
    }
  }

  private func isEvent(_ event: HomeEvent, _ before: Set<HomeObjectID>) -> Bool {
    guard case .presence(let presence) = event else { return false }
    let users: Set<HomeObjectID> =
      switch presence.users {
      case .currentUser: [.anna]
      case .homeUsers: [.anna, .ben, .carl]
      case .users(let users): users
      }
    let (old, new) = (before.intersection(users), atHome.intersection(users))
    return switch presence.kind {
    case .everyEntry: new.count > old.count
    case .everyExit: new.count < old.count
    case .firstEntry: old.isEmpty && !new.isEmpty
    case .lastExit: !old.isEmpty && new.isEmpty
    }
  }

  // MARK: Evaluation

  private mutating func evaluate(_ trigger: Trigger, _ now: Int, _ index: Int) {
    guard case .event(let event) = trigger.kind else {
      results.append(Result(second: now, trigger: trigger.id, verdict: .executed))
      return
    }
    var verdict = Verdict.executed
    if !event.weekdays.isEmpty, !event.weekdays.contains(Weekday(rawValue: clock.day(at: index).weekday)!) {
      verdict = .weekday
    } else if let condition = event.condition {
      let truth = truth(condition, now, index)
      verdict = truth > 0 ? .executed : truth < 0 ? .conditionFalse : .conditionUnknown
    }
    results.append(Result(second: now, trigger: trigger.id, verdict: verdict))
    for case .duration(let seconds) in event.endEvents where verdict == .executed { ends[trigger.id] = now + seconds }
  }

  /// 1 for true, 0 for unknown, -1 for false.
  private func truth(_ condition: Condition, _ now: Int, _ index: Int) -> Int {
    switch condition {
    case .all(let parts): return parts.map { truth($0, now, index) }.min() ?? 1
    case .any(let parts): return parts.map { truth($0, now, index) }.max() ?? -1
    case .not(let part): return -truth(part, now, index)
    case .unknown: return 0
    case .characteristic(let id, let comparison, let value):
      guard let actual = values[id]?.doubleValue else { return 0 }
      let difference = actual - value.doubleValue!
      let sign = abs(difference) < 0.05 ? 0 : difference < 0 ? -1 : 1
      let holds =
        switch comparison {
        case .equal: sign == 0
        case .notEqual: sign != 0
        case .less: sign < 0
        case .lessOrEqual: sign <= 0
        case .greater: sign > 0
        case .greaterOrEqual: sign >= 0
        }
      return holds ? 1 : -1
    case .time(let condition): return truth(condition, index) ? 1 : -1
    case .sun(let condition): return truth(condition, now, index)
    case .presence(let presence):
      guard case .users(let users) = presence.users else { preconditionFailure() }
      let isSomebody = !atHome.isDisjoint(with: users)
      return isSomebody == (presence.kind == .firstEntry) ? 1 : -1
    }
  }

  private func truth(_ condition: TimeCondition, _ index: Int) -> Bool {
    let minute = clock.local[index] % 1440
    func minutes(_ parts: DateParts) -> Int { parts.hour! * 60 + (parts.minute ?? 0) }
    switch condition {
    case .before(let parts): return minute < minutes(parts)
    case .after(let parts): return minute >= minutes(parts)
    case .between(let start, let end):
      let (start, end) = (minutes(start), minutes(end))
      return start <= end ? (start..<end).contains(minute) : !(end..<start).contains(minute)
    case .on(let parts):
      let day = clock.day(at: index)
      return (parts.weekday?.rawValue ?? day.weekday) == day.weekday && (parts.month ?? day.month) == day.month
    }
  }

  private func truth(_ condition: SunCondition, _ now: Int, _ index: Int) -> Int {
    let day = clock.local[index] / 1440
    let times = condition.moments.map { moment in sunTimes[moment.event]![day].map { $0 + moment.offset } }
    guard let first = times[0], let second = times[times.count - 1] else { return 0 }
    let holds =
      switch condition {
      case .before: now < first
      case .after: now >= first
      case .between: first <= second ? now >= first && now < second : now >= first || now < second
      }
    return holds ? 1 : -1
  }
}
