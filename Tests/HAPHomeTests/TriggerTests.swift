import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Triggers")
struct TriggerTests {
  /// A home with a lamp and an action set.
  private struct Home {
    var bench = HomeBench()
    var home: HomeObjectID
    var lamp: HomeAccessory
    var set: HomeObjectID

    init(location: Coordinate? = HomeBench.cupertino) throws {
      home = try bench.addHome(location: location)
      var light = Service.light(iid: 10, "Lamp")
      light.characteristics += [
        Characteristic(iid: 30, type: 0x73, format: .uint8, perms: [.pairedWrite, .events]),
        Characteristic(iid: 31, type: 0x14, format: .bool, perms: [.pairedWrite]),
        Characteristic(iid: 32, type: 0x20, format: .string, perms: [.pairedRead, .events]),
        Characteristic(iid: 33, type: 0x4C, format: .tlv8, perms: [.pairedRead, .events]),
      ]
      lamp = try bench.add(.device(1, [.with(aid: 1, "Lamp", [light])]), to: home)
      set = try bench.addSet("S", to: home)
      try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x25), true)))
    }

    mutating func refusal(of kind: Trigger.Kind) -> Refusal? {
      bench.refusal(.addTrigger(home: home, name: "New", kind))
    }

    mutating func refusal(of condition: Condition) -> Refusal? { refusal(of: .on(.calendar(.hour(1)), if: condition)) }

    mutating func addTrigger(_ name: String, _ kind: Trigger.Kind) throws -> HomeObjectID {
      let trigger = try bench.addTrigger(name, kind, to: home)
      try bench.perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
      return trigger
    }
  }

  @Test("HOME.T1 a timer's time has no seconds")
  func seconds() throws {
    var home = try Home()
    let minute = home.bench.minute(after: 10)
    for wrong in [Duration.seconds(1), .seconds(59), .nanoseconds(1)] {
      let timer = TimerTrigger(fireDate: minute.advanced(by: wrong))
      #expect(home.refusal(of: .timer(timer)) == Refusal(70, .t1))
    }
    _ = try home.addTrigger("T", .timer(TimerTrigger(fireDate: minute)))
  }

  @Test("HOME.T2 a period is 5 minutes to 5 weeks")
  func periods() throws {
    var home = try Home()
    let date = home.bench.minute(after: 10)
    let small = [CivilPeriod(minutes: 4)!, CivilPeriod(minutes: 1)!]
    let large = [
      CivilPeriod(weeks: 5, minutes: 1)!, CivilPeriod(days: 36)!, CivilPeriod(months: 2)!,
      CivilPeriod(months: 1, days: 5)!,
    ]
    let right = [CivilPeriod(minutes: 5)!, CivilPeriod(weeks: 5)!, CivilPeriod(months: 1)!, CivilPeriod(hours: 7)!]
    for period in small {
      #expect(home.refusal(of: .timer(TimerTrigger(fireDate: date, recurrence: period))) == Refusal(42, .t2))
    }
    for period in large {
      #expect(home.refusal(of: .timer(TimerTrigger(fireDate: date, recurrence: period))) == Refusal(72, .t2))
    }
    for (index, period) in right.enumerated() {
      _ = try home.addTrigger("T\(index)", .timer(TimerTrigger(fireDate: date, recurrence: period)))
    }
    let zone = TimerTrigger(fireDate: date, zone: ZoneName("Nowhere/City")!)
    #expect(home.refusal(of: .timer(zone)) == Refusal(3, nil))
  }

  @Test("HOME.T3 without a period, the time is in the future")
  func past() throws {
    var home = try Home()
    home.bench.now = Instant(seconds: 1_780_000_020)
    let (over, next) = (home.bench.minute(after: 0), home.bench.minute(after: 1))
    #expect(home.refusal(of: .timer(TimerTrigger(fireDate: over))) == Refusal(28, .t3))
    home.bench.now = next
    #expect(home.refusal(of: .timer(TimerTrigger(fireDate: next))) == Refusal(28, .t3))
    home.bench.now = over
    let trigger = try home.addTrigger("T", .timer(TimerTrigger(fireDate: next)))
    home.bench.now = next
    #expect(home.bench.refusal(.enableTrigger(trigger)) == Refusal(28, .t3))
    let repeated = TimerTrigger(fireDate: over, recurrence: CivilPeriod(days: 1))
    try home.bench.perform(.updateTrigger(trigger, .timer(repeated)))
    try home.bench.perform(.enableTrigger(trigger))
    #expect(home.bench.refusal(.updateTrigger(trigger, .timer(TimerTrigger(fireDate: over)))) == Refusal(28, .t3))
  }

  @Test("HOME.T4 an enabled trigger has sets with actions, and fires within 5 weeks")
  func enabling() throws {
    var home = try Home()
    let trigger = try home.bench.addTrigger("T", .on(.calendar(.hour(1))), to: home.home)
    #expect(home.bench.refusal(.enableTrigger(trigger)) == Refusal(26, .t4))
    let empty = try home.bench.addSet("Empty", to: home.home)
    try home.bench.perform(.addActionSetToTrigger(actionSet: home.set, trigger: trigger))
    try home.bench.perform(.addActionSetToTrigger(actionSet: empty, trigger: trigger))
    #expect(home.bench.refusal(.enableTrigger(trigger)) == Refusal(25, .t4))
    try home.bench.perform(.removeActionSetFromTrigger(actionSet: empty, trigger: trigger))
    try home.bench.perform(.enableTrigger(trigger))
    #expect(home.bench.refusal(.addActionSetToTrigger(actionSet: empty, trigger: trigger)) == Refusal(25, .t4))
    home.bench.now = home.bench.minute(after: 0)
    let fiveWeeks: Int64 = 35 * 1440
    let late = try home.addTrigger("Late", .timer(TimerTrigger(fireDate: home.bench.minute(after: fiveWeeks))))
    #expect(home.bench.refusal(.enableTrigger(late)) == Refusal(71, .t4))
    home.bench.now = home.bench.minute(after: 1)
    try home.bench.perform(.enableTrigger(late))
    let tooLate = TimerTrigger(fireDate: home.bench.minute(after: fiveWeeks))
    #expect(home.bench.refusal(.updateTrigger(late, .timer(tooLate))) == Refusal(71, .t4))
    // The first occurrence is long over; the next one counts.
    let old = TimerTrigger(fireDate: Instant(seconds: 0), recurrence: CivilPeriod(weeks: 5))
    try home.bench.perform(.updateTrigger(late, .timer(old)))
  }

  @Test("HOME.T5 a new trigger is disabled; it is disabled before it is removed")
  func disabled() throws {
    var home = try Home()
    let trigger = try home.addTrigger("T", .on(.calendar(.hour(1))))
    #expect(home.bench.model.homes[0].triggers[0].isEnabled == false)
    #expect(try home.bench.perform(.disableTrigger(trigger)).isEmpty)
    try home.bench.perform(.enableTrigger(trigger))
    var value = home.bench.model.homes[0].triggers[0]
    #expect(value.isEnabled)
    #expect(try home.bench.perform(.enableTrigger(trigger)).isEmpty)
    value.isEnabled = false
    let changes = try home.bench.perform(.removeTrigger(trigger)).map(\.detail)
    #expect(changes == [.triggerUpdated(value), .triggerRemoved(trigger)])
    let other = try home.addTrigger("T", .on(.calendar(.hour(1))))
    #expect(try home.bench.perform(.removeTrigger(other)).map(\.detail) == [.triggerRemoved(other)])
  }

  @Test("HOME.T6 the sun and regions need the home's location")
  func location() throws {
    var home = try Home(location: nil)
    let sunset = SunMoment(.sunset, offset: -1800)!
    let region = Region(centre: HomeBench.cupertino, radius: 100)!
    let kinds: [Trigger.Kind] = [
      .on(.sun(sunset)), .on(.location(region, onEntry: true, onExit: false)),
      .on(.calendar(.hour(1)), if: .not(.sun(.before(sunset)))),
    ]
    for kind in kinds { #expect(home.refusal(of: kind) == Refusal(84, .t6)) }
    try home.bench.perform(.setLocation(home: home.home, HomeBench.cupertino))
    for (index, kind) in kinds.enumerated() { _ = try home.addTrigger("T\(index)", kind) }
    try home.bench.perform(.setLocation(home: home.home, nil))
    for trigger in home.bench.model.homes[0].triggers {
      #expect(home.bench.refusal(.enableTrigger(trigger.id)) == Refusal(84, .t6))
    }
  }

  @Test("HOME.T7 the characteristic of an event reports changes, and has the value or the range")
  func characteristicEvents() throws {
    var home = try Home()
    let lamp = home.lamp
    let range = ThresholdRange(min: 10, max: nil)!
    #expect(home.refusal(of: .on(.characteristic(lamp.id(0x14), equals: true))) == Refusal(7, .t7))
    #expect(home.refusal(of: .on(.threshold(lamp.id(0x14), range))) == Refusal(7, .t7))
    #expect(home.refusal(of: .on(.characteristic(lamp.id(0x25), equals: 7))) == Refusal(43, .s2))
    #expect(home.refusal(of: .on(.characteristic(lamp.id(0x8), equals: 101))) == Refusal(45, .s2))
    #expect(home.refusal(of: .on(.threshold(lamp.id(0x25), range))) == Refusal(43, .t7))
    let events: [HomeEvent] = [
      .characteristic(lamp.id(0x25), equals: 1), .characteristic(lamp.id(0x8), equals: nil),
      .threshold(lamp.id(0x8), range), .threshold(lamp.id(0x13), range), .characteristic(lamp.id(0x73), equals: 0),
    ]
    _ = try home.addTrigger("T", .event(EventTrigger(events: events)))
    #expect(ThresholdRange(min: nil, max: nil) == nil && ThresholdRange(min: 2, max: 1) == nil)
    #expect(ThresholdRange(min: .nan, max: 1) == nil && ThresholdRange(min: 1, max: .infinity) == nil)
  }

  @Test("HOME.T7 a condition compares a characteristic that can be read with a value of its kind")
  func comparisons() throws {
    var home = try Home()
    let lamp = home.lamp
    #expect(home.refusal(of: .characteristic(lamp.id(0x73), .equal, 1)) == Refusal(6, .t7))
    let wrong: [(TypeID, Comparison, Value)] = [
      (0x25, .equal, 2), (0x25, .less, true), (0x25, .equal, "on"), (0x8, .equal, "5"), (0x8, .less, true),
      (0x13, .less, .float(.nan)), (0x20, .greater, "a"), (0x20, .equal, 1), (0x4C, .less, .data([])),
      (0x4C, .equal, "AA=="), (0x8, .equal, .null), (0x13, .equal, .float(.infinity)),
    ]
    for (type, comparison, value) in wrong {
      let refusal = home.refusal(of: .characteristic(lamp.id(type), comparison, value))
      #expect(refusal == Refusal(43, .s2), "\(type) \(comparison) \(value)")
    }
    let right: [(TypeID, Comparison, Value)] = [
      (0x25, .equal, true), (0x25, .notEqual, 0), (0x8, .less, 5), (0x8, .greaterOrEqual, 5.5), (0x13, .less, 5),
      (0x20, .equal, "a"), (0x4C, .notEqual, .data([1])), (0x8, .greater, 1000),
    ]
    let parts = right.map { Condition.characteristic(lamp.id($0), $1, $2) }
    _ = try home.addTrigger("T", .on(.calendar(.hour(1)), if: .any(parts)))
  }

  @Test("HOME.T8 events, end events and conditions have the kinds and the parts that they may have")
  func kinds() throws {
    var home = try Home()
    let user = home.bench.model.homes[0].users[0].id
    func presence(_ kind: PresenceEvent.Kind) -> PresenceEvent { PresenceEvent(kind, of: .users([user])) }
    let calendar = HomeEvent.calendar(.hour(1))
    let region = Region(centre: HomeBench.cupertino, radius: 100)!
    let sunset = SunMoment(.sunset)!
    let nobody = PresenceEvent(.everyEntry, of: .users([]))
    let empty = try DateParts()
    let events: [EventTrigger] = [
      EventTrigger(events: []), EventTrigger(events: [.duration(seconds: 60)]),
      EventTrigger(events: [.calendar(empty)]), EventTrigger(events: [.presence(nobody)]),
      EventTrigger(events: [.location(region, onEntry: false, onExit: false)]),
      EventTrigger(events: [calendar], endEvents: [calendar]),
      EventTrigger(events: [calendar], endEvents: [.sun(sunset)]),
      EventTrigger(events: [calendar], endEvents: [.presence(presence(.everyEntry))]),
      EventTrigger(events: [calendar], endEvents: [.location(region, onEntry: true, onExit: true)]),
      EventTrigger(events: [calendar], endEvents: [.duration(seconds: 0)]),
      EventTrigger(events: [calendar], endEvents: [.duration(seconds: 35 * 86_400 + 1)]),
    ]
    for event in events { #expect(home.refusal(of: .event(event)) == Refusal(3, .t8), "\(event)") }
    let monday = try DateParts(weekday: .monday, hour: 1)
    let conditions: [Condition] = [
      .presence(presence(.everyEntry)), .presence(presence(.everyExit)), .time(.on(empty)), .time(.before(empty)),
      .time(.after(monday)), .time(.between(.hour(1), empty)), .time(.between(empty, .hour(1))),
      .not(.any([.time(.before(.hour(2))), .time(.after(try DateParts(minute: 5)))])),
    ]
    for condition in conditions { #expect(home.refusal(of: condition) == Refusal(3, .t8), "\(condition)") }
    let endEvents: [HomeEvent] = [
      .duration(seconds: 600), .characteristic(home.lamp.id(0x25), equals: false),
      .threshold(home.lamp.id(0x8), ThresholdRange(min: nil, max: 5)!),
    ]
    let right = EventTrigger(
      events: [
        calendar, .presence(presence(.lastExit)), .sun(sunset), .location(region, onEntry: true, onExit: false),
      ],
      endEvents: endEvents, weekdays: [.monday],
      condition: .all([
        .presence(presence(.firstEntry)), .presence(PresenceEvent(.lastExit, of: .homeUsers)), .time(.on(monday)),
        .time(.between(.hour(22), .hour(6))), .sun(.between(sunset, SunMoment(.sunrise, offset: 3600)!)), .unknown,
      ]), executesOnce: true)
    let trigger = try home.addTrigger("T", .event(right))
    #expect(home.bench.model.homes[0].triggers[0].kind == .event(right))
    let timer = TimerTrigger(fireDate: home.bench.minute(after: 5))
    #expect(home.bench.refusal(.updateTrigger(trigger, .timer(timer))) == Refusal(3, nil))
    #expect(try home.bench.perform(.updateTrigger(trigger, .event(right))).isEmpty)
    #expect(SunMoment(.sunset, offset: 43_201) == nil && SunMoment(.sunset, offset: -43_201) == nil)
    #expect(Region(centre: HomeBench.cupertino, radius: 0) == nil)
    #expect(Region(centre: HomeBench.cupertino, radius: .nan) == nil)
  }

  @Test("A removed user disappears from events; a condition on this user alone becomes unknown")
  func removedUser() throws {
    var home = try Home()
    try home.bench.perform(.addUser(home: home.home, name: "Bert", role: .guest))
    let (anna, bert) = (home.bench.model.homes[0].users[0].id, home.bench.model.homes[0].users[1].id)
    let events = EventTrigger(
      events: [
        .presence(PresenceEvent(.everyEntry, of: .users([bert]))),
        .presence(PresenceEvent(.everyExit, of: .users([anna, bert]))),
        .presence(PresenceEvent(.everyExit, of: .homeUsers)),
      ],
      condition: .any([
        .presence(PresenceEvent(.lastExit, of: .users([bert]))),
        .presence(PresenceEvent(.firstEntry, of: .users([bert, anna]))),
      ]))
    _ = try home.addTrigger("T", .event(events))
    try home.bench.perform(.removeUser(bert))
    let left = EventTrigger(
      events: [
        .presence(PresenceEvent(.everyExit, of: .users([anna]))), .presence(PresenceEvent(.everyExit, of: .homeUsers)),
      ],
      condition: .any([.unknown, .presence(PresenceEvent(.firstEntry, of: .users([anna])))]))
    #expect(home.bench.model.homes[0].triggers[0].kind == .event(left))
  }
}
