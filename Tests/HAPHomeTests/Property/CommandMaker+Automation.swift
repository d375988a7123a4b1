import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// Action sets and triggers.
extension CommandMaker {
  mutating func automation(_ kind: HomeCommandName, _ home: Home?) -> HomeCommand {
    let set = pick(home?.actionSets.filter { chance(50) || $0.actions.isEmpty == false } ?? [])
    let trigger = pick(home?.triggers ?? [])
    let (sets, triggers) = (set.map { [$0.id] } ?? [], trigger.map { [$0.id] } ?? [])
    let used = set?.actions.map(\.characteristic) ?? []
    switch kind {
    case .addActionSet: return .addActionSet(home: id(of: home), name: name())
    case .removeActionSet:
      let own = home?.actionSets.filter { $0.kind == .userDefined }.map(\.id) ?? []
      return .removeActionSet(chance(70) ? id(own) : id(sets))
    case .addAction: return .addAction(actionSet: id(sets), action(in: home))
    case .updateAction: return .updateAction(actionSet: id(sets), action(in: home, on: chance(85) ? used : nil))
    case .removeAction:
      return .removeAction(actionSet: id(sets), characteristic: id(chance(85) ? used : characteristics(home).map(\.id)))
    case .addTrigger: return .addTrigger(home: id(of: home), name: name(), triggerKind(home))
    case .updateTrigger:
      var new = triggerKind(home)
      // Most often of the trigger's kind.
      for _ in 0..<8 where trigger.map({ $0.kind.isTimer != new.isTimer }) ?? false { new = triggerKind(home) }
      return .updateTrigger(id(triggers), new)
    case .removeTrigger: return .removeTrigger(id(triggers))
    case .enableTrigger: return .enableTrigger(id(triggers))
    case .disableTrigger: return .disableTrigger(id(triggers))
    case .addActionSetToTrigger: return .addActionSetToTrigger(actionSet: id(sets), trigger: id(triggers))
    case .removeActionSetFromTrigger:
      return .removeActionSetFromTrigger(
        actionSet: chance(80) ? id(trigger?.actionSets ?? []) : id(sets), trigger: id(triggers))
    default:
      return .addOwnedActionSet(trigger: id(triggers), (0..<number(below: 4)).map { _ in action(in: home) })
    }
  }

  private func characteristics(_ home: Home?) -> [HomeCharacteristic] {
    home?.accessories.flatMap(\.services).flatMap(\.characteristics) ?? []
  }

  /// Returns a characteristic of the home, most often one that fits.
  private mutating func characteristic(
    in home: Home?, where fits: (HomeCharacteristic) -> Bool
  ) -> (HomeObjectID, HomeCharacteristic?) {
    let all = characteristics(home)
    let right = all.filter(fits)
    let found = chance(92) ? pick(right) : pick(all)
    return (id(found.map { [$0.id] } ?? []), found)
  }

  private mutating func action(in home: Home?, on ids: [HomeObjectID]? = nil) -> HomeAction {
    let (id, found) = characteristic(in: home) {
      ids?.contains($0.id) ?? $0.permissions.contains(.pairedWrite)
    }
    return HomeAction(id, value(for: found))
  }

  /// A value that the characteristic takes, or in one of 10 cases another one.
  private mutating func value(for characteristic: HomeCharacteristic?) -> Value {
    if chance(90), let format = characteristic?.rules.format {
      switch format {
      case .bool: return pick([true, false, 1, 0])!
      case .int: return .integer(Int128(number(below: 51)))
      case .float: return chance(50) ? .float(Double(number(below: 361))) : .integer(Int128(number(below: 361)))
      case .uint8: return pick([0, 1, 3])!
      case .string: return pick(["", "abcd", "ä"])!
      case .tlv8, .data: return .data([1, 2])
      default: break
      }
    }
    return pick([true, 7, 51, 101, -1, 0.5, 361.0, .float(.nan), .float(.infinity), "abcde", .null, .data([1])])!
  }

  // MARK: Triggers

  private mutating func triggerKind(_ home: Home?) -> Trigger.Kind {
    guard chance(70) else { return .timer(timer()) }
    var trigger = EventTrigger(
      events: (0..<(chance(95) ? number(below: 3) + 1 : 0)).map { _ in event(in: home) },
      endEvents: (0..<(chance(30) ? number(below: 2) + 1 : 0)).map { _ in endEvent(in: home) },
      executesOnce: chance(20))
    if chance(20) { trigger.weekdays = [.monday, .friday] }
    if chance(60) { trigger.condition = condition(in: home, levels: number(below: 4)) }
    return .event(trigger)
  }

  private mutating func timer() -> TimerTrigger {
    let minutes = chance(85) ? number(below: 30 * 1440) : number(below: 100 * 1440) - 50 * 1440
    var date = Instant(seconds: (now.seconds / 60 + Int64(minutes)) * 60)
    if chance(5) { date = date.advanced(by: pick([.seconds(1), .nanoseconds(1)])!) }
    let periods = [
      nil, nil, CivilPeriod(minutes: 5), CivilPeriod(weeks: 5), CivilPeriod(months: 1), CivilPeriod(days: 1),
      CivilPeriod(hours: 7), CivilPeriod(minutes: 4), CivilPeriod(days: 36), CivilPeriod(months: 1, days: 5),
    ]
    let zones = [nil, nil, ZoneName.utc, ZoneName(chance(10) ? "Nowhere/City" : "Europe/Berlin")]
    return TimerTrigger(fireDate: date, recurrence: pick(periods)!, zone: pick(zones)!)
  }

  private mutating func event(in home: Home?) -> HomeEvent {
    switch number(below: 14) {
    case 0...2:
      let (id, found) = characteristic(in: home) { $0.permissions.contains(.events) }
      return .characteristic(id, equals: chance(30) ? nil : value(for: found))
    case 3, 4:
      let (id, _) = characteristic(in: home) { $0.permissions.contains(.events) && $0.rules.format.isNumeric }
      return .threshold(id, ThresholdRange(min: 10, max: chance(50) ? 20 : nil)!)
    case 5...7: return .calendar(chance(90) ? .hour(number(below: 24)) : try! DateParts())
    case 8, 9: return .sun(SunMoment(chance(50) ? .sunrise : .sunset, offset: number(below: 7200) - 3600)!)
    case 10, 11: return .presence(presence(in: home))
    case 12:
      let region = Region(centre: HomeBench.cupertino, radius: 100)!
      return .location(region, onEntry: chance(60), onExit: chance(60))
    default: return chance(15) ? .duration(seconds: 60) : .calendar(.hour(6))
    }
  }

  private mutating func endEvent(in home: Home?) -> HomeEvent {
    if chance(10) { return event(in: home) }
    if chance(50) { return .duration(seconds: chance(95) ? number(below: 3600) + 1 : 0) }
    let (id, found) = characteristic(in: home) { $0.permissions.contains(.events) }
    return .characteristic(id, equals: value(for: found))
  }

  private mutating func presence(in home: Home?) -> PresenceEvent {
    let kind = pick(PresenceEvent.Kind.allCases)!
    guard chance(60) else { return PresenceEvent(kind, of: chance(50) ? .homeUsers : .currentUser) }
    let users = (0..<(chance(95) ? number(below: 2) + 1 : 0)).map { _ in id(home?.users.map(\.id) ?? []) }
    return PresenceEvent(kind, of: .users(Set(users)))
  }

  private mutating func condition(in home: Home?, levels: Int) -> Condition {
    if levels > 0 {
      let parts = (0..<number(below: 3)).map { _ in condition(in: home, levels: levels - 1) }
      switch number(below: 4) {
      case 0: return .all(parts)
      case 1: return .any(parts)
      case 2: return .not(condition(in: home, levels: levels - 1))
      default: break
      }
    }
    switch number(below: 8) {
    case 0...3: return comparison(in: home)
    case 4: return .time(pick([.before(.hour(18)), .after(.hour(7)), .between(.hour(22), .hour(6)), .on(.hour(5))])!)
    case 5: return chance(80) ? .sun(.before(SunMoment(.sunset)!)) : .time(.after(try! DateParts(minute: 5)))
    case 6:
      let drawn = presence(in: home)
      return .presence(chance(85) ? PresenceEvent(chance(50) ? .firstEntry : .lastExit, of: drawn.users) : drawn)
    default: return .unknown
    }
  }

  private mutating func comparison(in home: Home?) -> Condition {
    let (id, found) = characteristic(in: home) { $0.permissions.contains(.pairedRead) }
    let isOrdered = found?.rules.format.isNumeric ?? false
    let comparison: Comparison = isOrdered || chance(5) ? pick(Comparison.allCases)! : chance(50) ? .equal : .notEqual
    return .characteristic(id, comparison, value(for: found))
  }
}

extension Trigger.Kind {
  var isTimer: Bool { if case .timer = self { true } else { false } }
}
