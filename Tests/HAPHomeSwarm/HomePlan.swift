import HAPAlmanac
import HAPHome
import HAPModel
import HAPWorld

/// A scene of a run.
struct PlannedScene {
  let name: String
  var id: HomeObjectID
  /// The value that it writes to the token of each lamp.
  let value: Int
  let slots: [LabSlot]
}

/// A trigger of a run. Its lamps belong to it alone, so a write shows an execution.
struct PlannedTrigger {
  enum Cause: Equatable {
    /// Each five minutes from this time on.
    case timer(Instant)
    /// At this minute of each hour of the day 0.
    case daily(hour: Int, minute: Int)
    /// Motion at a device.
    case motion(Int)
    /// A user comes home.
    case arrival
  }

  /// A condition, and what makes it true.
  indirect enum Test {
    case motion(Int, Bool)
    case atHome(Bool)
    case not(Test)
    case all([Test])
    case any([Test])
  }

  let name: String
  var id: HomeObjectID
  let value: Int
  let slots: [LabSlot]
  let cause: Cause
  let test: Test?
  let isOnce: Bool
  /// The duration of the effect in seconds.
  let effect: Int?

  var isPlanned: Bool {
    switch cause {
    case .timer, .daily: true
    case .motion, .arrival: false
    }
  }
}

extension PlannedTrigger.Test {
  /// Whether it holds, with the motion of each device and the presence of the user.
  func holds(_ motion: [Int: Bool], _ isHome: Bool) -> Bool {
    switch self {
    case .motion(let device, let expected): motion[device] == expected
    case .atHome(let expected): isHome == expected
    case .not(let part): !part.holds(motion, isHome)
    case .all(let parts): parts.allSatisfy { $0.holds(motion, isHome) }
    case .any(let parts): parts.contains { $0.holds(motion, isHome) }
    }
  }

  func condition(_ motion: [Int: HomeObjectID], _ user: HomeObjectID) -> Condition {
    switch self {
    case .motion(let device, let expected):
      guard let id = motion[device] else { preconditionFailure("the device has a sensor") }
      return .characteristic(id, .equal, .bool(expected))
    case .atHome(let expected): return .presence(PresenceEvent(expected ? .firstEntry : .lastExit, of: .users([user])))
    case .not(let part): return .not(part.condition(motion, user))
    case .all(let parts): return .all(parts.map { $0.condition(motion, user) })
    case .any(let parts): return .any(parts.map { $0.condition(motion, user) })
    }
  }

  /// - Parameter devices: the devices with sensors.
  static func random(_ devices: [Int], _ random: inout WorldRandom, depth: Int = 0) -> Self {
    let part = { (random: inout WorldRandom) in Self.random(devices, &random, depth: depth + 1) }
    switch random.upTo(depth < 2 ? 4 : 1) {
    case 0: return .motion(devices[Int(random.upTo(UInt64(devices.count - 1)))], random.chance(0.5))
    case 1: return .atHome(random.chance(0.5))
    case 2: return .not(part(&random))
    case 3: return .all([part(&random), part(&random)])
    default: return .any([part(&random), part(&random)])
    }
  }
}

/// The home of a run, which commands of the run do not change.
struct HomePlan {
  var home: HomeObjectID
  var user: HomeObjectID
  /// The sensors by the number of their device.
  var motion: [Int: HomeObjectID] = [:]
  /// The lamp of each app.
  var own: [LabSlot] = []
  var scenes: [PlannedScene] = []
  var triggers: [PlannedTrigger] = []

  /// Chooses scenes and triggers.
  init(_ home: Home, _ devices: [LabDevice], apps: Int, wall: Instant, _ random: inout WorldRandom) {
    self.home = home.id
    user = home.users[0].id
    for device in devices { motion[device.number] = home.motion(of: device) }
    var slots = devices.flatMap { home.slots(of: $0) }
    func take(_ random: inout WorldRandom) -> LabSlot { slots.remove(at: Int(random.upTo(UInt64(slots.count - 1)))) }
    for _ in 0..<apps { own.append(take(&random)) }
    let triggerCount = min(2 + Int(random.upTo(2)), max(1, slots.count - 2))
    for number in 0..<triggerCount where slots.count > 1 {
      var used = [take(&random)]
      if slots.count > triggerCount - number + 2, random.chance(0.4) { used.append(take(&random)) }
      triggers.append(trigger(number, used, wall, &random))
    }
    var number = 0
    while !slots.isEmpty, number < 2 {
      var used = [take(&random)]
      while used.count < 4, !slots.isEmpty, random.chance(0.8) { used.append(take(&random)) }
      scenes.append(
        PlannedScene(name: "Scene \(["One", "Two"][number])", id: home.id, value: 2000 + number, slots: used))
      number += 1
    }
  }

  private func trigger(
    _ number: Int, _ slots: [LabSlot], _ wall: Instant, _ random: inout WorldRandom
  ) -> PlannedTrigger {
    let minute: Int64 = 60_000_000_000
    let next = wall.nanoseconds / minute + 2 + Int64(random.upTo(4))
    let sensors = motion.keys.sorted()
    let cause: PlannedTrigger.Cause
    switch random.upTo(5) {
    case 0, 1: cause = .timer(Instant(nanoseconds: next * minute))
    case 2: cause = .daily(hour: Int(next / 60 % 24), minute: Int(next % 60))
    case 3, 4: cause = .motion(sensors[Int(random.upTo(UInt64(sensors.count - 1)))])
    default: cause = .arrival
    }
    var isTimer = false
    if case .timer = cause { isTimer = true }
    let hasTest = !isTimer && random.chance(0.6)
    return PlannedTrigger(
      name: "Trigger \(["One", "Two", "Three", "Four"][number])", id: home, value: 1000 + number, slots: slots,
      cause: cause, test: hasTest ? .random(sensors, &random) : nil, isOnce: !isTimer && random.chance(0.15),
      effect: !isTimer && random.chance(0.3) ? Int(20 + random.upTo(40)) : nil)
  }

  /// The trigger as a command makes it.
  func kind(of trigger: PlannedTrigger) -> Trigger.Kind {
    let event: HomeEvent
    switch trigger.cause {
    case .timer(let first): return .timer(TimerTrigger(fireDate: first, recurrence: CivilPeriod(minutes: 5)))
    case .daily(let hour, let minute):
      guard let parts = try? DateParts(hour: hour, minute: minute) else { preconditionFailure("it is a time") }
      event = .calendar(parts)
    case .motion(let device):
      guard let id = motion[device] else { preconditionFailure("the device has a sensor") }
      event = .characteristic(id, equals: .bool(true))
    case .arrival: event = .presence(PresenceEvent(.everyEntry, of: .users([user])))
    }
    return .event(
      EventTrigger(
        events: [event], endEvents: trigger.effect.map { [.duration(seconds: $0)] } ?? [],
        condition: trigger.test?.condition(motion, user), executesOnce: trigger.isOnce))
  }
}
