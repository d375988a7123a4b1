import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

/// A sensor with its value (9), Status Active (10), and further characteristics from 11 on.
func sensor(
  _ type: ServiceDefinition, _ state: Characteristic, _ behaviour: String = "{}", more: [Characteristic] = [],
  seed: UInt64 = 1
) -> VirtualWorld {
  let service = Service(iid: 8, type: type.type, characteristics: [state, .make(10, .statusActive, true)] + more)
  return VirtualWorld(
    try! AttributeDatabase([Accessory(aid: 1, services: [service])]),
    behaviours: [AttributeID(aid: 1, iid: 8): behaviour], seed: seed)
}

private let state = AttributeID(aid: 1, iid: 9), active = AttributeID(aid: 1, iid: 10)
private let level = AttributeID(aid: 1, iid: 11), peak = AttributeID(aid: 1, iid: 12)

@Suite("Detecting sensors") struct DetectingSensorTests {
  static let all: [(ServiceDefinition, CharacteristicDefinition, Value, Duration?)] = [
    (.motionSensor, .motionDetected, false, .seconds(30)), (.occupancySensor, .occupancyDetected, 0, .seconds(120)),
    (.contactSensor, .contactSensorState, 0, .seconds(10)), (.leakSensor, .leakDetected, 0, nil),
    (.smokeSensor, .smokeDetected, 0, .seconds(60)), (.carbonMonoxideSensor, .carbonMonoxideDetected, 0, .seconds(60)),
    (.carbonDioxideSensor, .carbonDioxideDetected, 0, .seconds(60)),
  ]

  @Test("[SV-07, SV-21] A triggered sensor reports a detection for its hold time", arguments: all)
  func triggered(_ type: ServiceDefinition, _ what: CharacteristicDefinition, _ clear: Value, _ hold: Duration?) throws
  {
    let world = sensor(type, .make(9, what, clear))
    let (on, off) = what.format == .bool ? ("1.9=true", "1.9=false") : ("1.9=1", "1.9=0")
    try world.physical(.trigger)
    #expect(world.changes() == [on])
    guard let hold else {
      world.pass(.seconds(1_000_000))
      #expect(world.changes() == [] && world.pendingTimers == 0)
      return
    }
    world.pass(hold - .milliseconds(1))
    #expect(world.changes() == [])
    world.pass(.milliseconds(1))
    #expect(world.changes() == [off] && world.pendingTimers == 0)
  }

  @Test("hold is configurable; with 0s, a detection lasts until it is reset by hand", arguments: all)
  func hold(_ type: ServiceDefinition, _ what: CharacteristicDefinition, _ clear: Value, _: Duration?) throws {
    let short = sensor(type, .make(9, what, clear), #"{"hold": "3s"}"#)
    try short.physical(.trigger)
    short.pass(.seconds(3))
    #expect(short.changes().count == 2 && short[state] == clear)
    let endless = sensor(type, .make(9, what, clear), #"{"hold": "0s"}"#)
    try endless.physical(.trigger)
    endless.pass(.seconds(1_000_000))
    #expect(endless.changes().count == 1)
    try endless.setByHand(state, clear)
    #expect(endless.changes().count == 1 && endless[state] == clear)
  }

  @Test("[SV-07] A repeated trigger restarts the hold time, without another event")
  func prolonged() throws {
    let world = sensor(.motionSensor, .make(9, .motionDetected, false))
    try world.physical(.trigger)
    world.pass(.seconds(20))
    try world.physical(.trigger)
    world.pass(.milliseconds(29_999))
    #expect(world.changes() == ["1.9=true"])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=false"])
  }

  @Test("[SV-21] A value set by hand is kept, even during a trigger")
  func byHand() throws {
    let world = sensor(.contactSensor, .make(9, .contactSensorState, 0))
    try world.setByHand(state, 1)
    world.pass(.seconds(100))
    try world.physical(.trigger)
    #expect(world.changes() == ["1.9=1"])
    try world.setByHand(state, 1)
    world.pass(.seconds(100))
    #expect(world.changes() == ["1.9=1"] && world.pendingTimers == 0)
  }

  @Test("[SV-21] With Status Active false, a trigger is refused with the reason; an earlier detection ends in time")
  func inactive() throws {
    let world = sensor(.motionSensor, .make(9, .motionDetected, false))
    try world.physical(.trigger)
    try world.setByHand(active, false)
    let refusal = CommandError(.notPossible, "the sensor detects nothing while its Status Active is false")
    #expect(throws: refusal) { try world.physical(.trigger) }
    world.pass(.seconds(30))
    #expect(throws: refusal) { try world.physical(.trigger) }
    #expect(world.changes() == ["1.9=true", "1.10=false", "1.9=false"] && world.pendingTimers == 0)
    try world.setByHand(active, true)
    try world.physical(.trigger)
    #expect(world.changes() == ["1.10=true", "1.9=true"])
  }
}

@Suite("Gas sensors") struct GasSensorTests {
  private func world(_ behaviour: String = "{}", at: Value = 0, isDioxide: Bool = false) -> VirtualWorld {
    isDioxide
      ? sensor(
        .carbonDioxideSensor, .make(9, .carbonDioxideDetected, 0), behaviour,
        more: [.make(11, .carbonDioxideLevel, at), .make(12, .carbonDioxidePeakLevel, 0)])
      : sensor(
        .carbonMonoxideSensor, .make(9, .carbonMonoxideDetected, 0), behaviour,
        more: [.make(11, .carbonMonoxideLevel, at), .make(12, .carbonMonoxidePeakLevel, 0)])
  }

  @Test("[SV-21] A level of alarmAt or more is detected, and the peak level is the maximum so far")
  func threshold() throws {
    for (isDioxide, parameters, limit) in [
      (false, "{}", 50.0), (true, "{}", 2000), (false, #"{"alarmAt": 10}"#, 10), (true, #"{"alarmAt": 800}"#, 800),
    ] {
      let world = world(parameters, isDioxide: isDioxide)
      try world.setByHand(level, .float(limit - 1))
      #expect(world.changes() == ["1.11=\(limit - 1)", "1.12=\(limit - 1)"])
      try world.setByHand(level, .float(limit))
      #expect(world.changes() == ["1.11=\(limit)", "1.12=\(limit)", "1.9=1"])
      try world.setByHand(level, .float(limit - 2))
      #expect(world.changes() == ["1.11=\(limit - 2)", "1.9=0"])
      try world.setByHand(peak, 0)
      try world.setByHand(level, 1)
      #expect(world.changes() == ["1.12=0.0", "1.11=1.0", "1.12=1.0"])
    }
    let high = world(at: 70)
    #expect(high.changes() == ["1.12=70.0", "1.9=1"])
  }

  @Test("[SV-21] A detection set by hand is kept until the level crosses the threshold again")
  func byHand() throws {
    let world = world()
    try world.setByHand(level, 60)
    try world.setByHand(state, 0)
    _ = world.changes()
    try world.setByHand(level, 70)
    #expect(world.changes() == ["1.11=70.0", "1.12=70.0"])
    try world.setByHand(level, 0)
    try world.setByHand(level, 60)
    #expect(world.changes() == ["1.11=0.0", "1.11=60.0", "1.9=1"])
  }

  @Test("[SV-21] A trigger ends in time, unless the level is high; a low level doesn't end a trigger early")
  func triggered() throws {
    let world = world()
    try world.physical(.trigger)
    try world.setByHand(level, 60)
    world.pass(.seconds(60))
    #expect(world.changes() == ["1.9=1", "1.11=60.0", "1.12=60.0"])
    try world.physical(.trigger)
    try world.setByHand(level, 0)
    #expect(world.changes() == ["1.11=0.0"])
    world.pass(.seconds(60))
    #expect(world.changes() == ["1.9=0"])
  }

  @Test("[SV-21] With Status Active false, the level is ignored until it is true again")
  func inactive() throws {
    let world = world()
    try world.setByHand(active, false)
    try world.setByHand(level, 60)
    #expect(world.changes() == ["1.10=false", "1.11=60.0"])
    try world.setByHand(active, true)
    #expect(world.changes() == ["1.10=true", "1.12=60.0", "1.9=1"])
  }

  @Test("[SV-21] The level can be replayed and can walk")
  func moves() {
    let replaying = world(#"{"replay": [[1, 40], [2, 55.4], [3, 20]], "repeat": false}"#)
    replaying.pass(.seconds(10))
    #expect(
      replaying.changes() == ["1.11=40.0", "1.12=40.0", "1.11=55.0", "1.12=55.0", "1.9=1", "1.11=20.0", "1.9=0"])
    let walking = world(#"{"walk": 30, "every": "1s"}"#)
    walking.pass(.seconds(200))
    #expect(walking.changes().contains("1.9=1"))
  }
}

@Suite("Measuring sensors") struct MeasuringSensorTests {
  static let all: [(ServiceDefinition, CharacteristicDefinition)] = [
    (.temperatureSensor, .currentTemperature), (.humiditySensor, .currentRelativeHumidity),
    (.lightSensor, .currentAmbientLightLevel),
  ]

  private func numbers(_ world: VirtualWorld) -> [Double] {
    world.changes().compactMap { $0.hasPrefix("1.9=") ? Double($0.dropFirst(4)) : nil }
  }

  @Test("By default, a value stays as it was set", arguments: all)
  func still(_ type: ServiceDefinition, _ what: CharacteristicDefinition) throws {
    let world = sensor(type, .make(9, what, .float(20)))
    try world.setByHand(state, 33)
    world.pass(.seconds(1_000_000))
    #expect(world.changes() == ["1.9=33.0"] && world.pendingTimers == 0)
  }

  @Test("[SV-21] \"walk\" changes the value randomly within its range, by at most the given step", arguments: all)
  func walks(_ type: ServiceDefinition, _ what: CharacteristicDefinition) {
    let world = sensor(type, .make(9, what, .float(20)), #"{"walk": 3, "every": "10s"}"#)
    world.pass(.milliseconds(9_999))
    #expect(world.changes() == [])
    world.pass(.seconds(10_000))
    let path = [20] + numbers(world)
    #expect(path.count > 500)
    let step = what.constraints.minStep?.doubleValue ?? 0
    #expect(zip(path, path.dropFirst()).allSatisfy { abs($0 - $1) <= 3 + step })
    #expect(zip(path, path.dropFirst()).contains { abs($0 - $1) > 2 })
    let low = what.constraints.minValue?.doubleValue ?? 0, high = what.constraints.maxValue?.doubleValue ?? 0
    #expect(path.allSatisfy { (low...high).contains($0) })
    #expect(path.contains(low), "the walk reached the end of its range and continued")
    #expect(world.pendingTimers == 1)
  }

  @Test("\"every\" is the time between two steps: a minute by default, at least 100 ms")
  func every() {
    for (parameter, time) in [("", 60_000), (#", "every": "7s""#, 7_000), (#", "every": "0s""#, 100)] {
      let world = sensor(.lightSensor, .make(9, .currentAmbientLightLevel, 500), #"{"walk": 3\#(parameter)}"#)
      world.pass(.milliseconds(time * 20) - .milliseconds(1))
      #expect(world.changes().count == 19)
      world.pass(.milliseconds(1))
      #expect(world.changes().count == 1)
    }
  }

  @Test("The random walk depends only on the seed")
  func seeded() {
    func path(_ seed: UInt64) -> [String] {
      let world = sensor(.temperatureSensor, .make(9, .currentTemperature, 20), #"{"walk": 1}"#, seed: seed)
      world.pass(.seconds(3600))
      return world.changes()
    }
    #expect(path(7) == path(7) && path(7) != path(8))
  }

  @Test("Small steps accumulate, and the random walk continues from a value set by hand")
  func smallSteps() throws {
    let world = sensor(.humiditySensor, .make(9, .currentRelativeHumidity, 50), #"{"walk": 0.2, "every": "1s"}"#)
    world.pass(.seconds(1000))
    #expect(numbers(world).count > 5)
    try world.setByHand(state, 90)
    world.pass(.seconds(5))
    #expect(numbers(world).allSatisfy { $0 >= 89 })
  }

  @Test("[SV-21] A series is replayed at its times, and restarts after its last value", arguments: all)
  func replays(_ type: ServiceDefinition, _ what: CharacteristicDefinition) {
    let world = sensor(type, .make(9, what, .float(5)), #"{"replay": [[0, 20], ["10s", 21], [30, 22]], "walk": 9}"#)
    #expect(world.changes() == ["1.9=20.0"])
    for expected in [
      (9, []), (1, ["1.9=21.0"]), (19, []), (1, ["1.9=22.0"]), (19, []), (1, ["1.9=20.0"]), (10, ["1.9=21.0"]),
      (20, ["1.9=22.0"]), (20, ["1.9=20.0"]),
    ] as [(Int, [String])] {
      world.pass(.seconds(expected.0))
      #expect(world.changes() == expected.1)
    }
    #expect(world.pendingTimers == 1, "a replayed value does not walk")
  }

  @Test("With repeat false, a series is played once; a series of one value is never repeated")
  func once() {
    let world = sensor(
      .temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[1, 20], [2, 21]], "repeat": false}"#)
    world.pass(.seconds(1000))
    #expect(world.changes() == ["1.9=20.0", "1.9=21.0"] && world.pendingTimers == 0)
    let single = sensor(.temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[3, 20]]}"#)
    single.pass(.seconds(1000))
    #expect(single.changes() == ["1.9=20.0"] && single.pendingTimers == 0)
  }

  @Test("A series with a late start waits for its first value in each round")
  func lateStart() {
    let world = sensor(.temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[5, 20], [7, 21]]}"#)
    world.pass(.milliseconds(13_999))
    #expect(world.changes() == ["1.9=20.0", "1.9=21.0"])
    world.pass(.milliseconds(1))
    #expect(world.changes() == ["1.9=20.0"])
  }

  @Test("A late timer applies the last due value, however many are due")
  func late() {
    let measurements = sensor(
      .temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[0, 20], ["10ms", 21], ["20ms", 22]]}"#)
    _ = measurements.changes()
    measurements.sleep(.seconds(3_000_000) + .milliseconds(15))
    measurements.fire(1)
    #expect(measurements.changes() == ["1.9=21.0"])
    measurements.pass(.milliseconds(5))
    #expect(measurements.changes() == ["1.9=22.0"])
  }

  @Test("A value set by hand is kept until the next one of the series")
  func byHand() throws {
    let world = sensor(.temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[0, 20], [10, 21]]}"#)
    try world.setByHand(state, 30)
    world.pass(.seconds(9))
    #expect(world.changes() == ["1.9=20.0", "1.9=30.0"])
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.9=21.0"])
  }

  @Test("[SV-21] With Status Active false, no values are reported; afterwards, the present value is")
  func inactive() throws {
    let world = sensor(
      .temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[0, 20], [10, 21], [20, 22]]}"#)
    try world.setByHand(active, false)
    world.pass(.seconds(15))
    #expect(world.changes() == ["1.9=20.0", "1.10=false"])
    try world.setByHand(active, true)
    #expect(world.changes() == ["1.10=true", "1.9=21.0"])
    let walking = sensor(.temperatureSensor, .make(9, .currentTemperature, 50), #"{"walk": 5, "every": "1s"}"#)
    try walking.setByHand(active, false)
    walking.pass(.seconds(50))
    #expect(walking.changes() == ["1.10=false"])
    try walking.setByHand(active, true)
    #expect(walking.changes().count == 2)
  }

  @Test("A value that the characteristic can't hold becomes the nearest legal one, or is skipped")
  func beyond() {
    let world = sensor(
      .temperatureSensor, .make(9, .currentTemperature, 5), #"{"replay": [[0, 1e300], [1, -40], [2, 20.04]]}"#)
    world.pass(.seconds(2))
    #expect(world.changes() == ["1.9=100.0", "1.9=0.0", "1.9=20.0"])
    var odd = Characteristic.make(9, .currentTemperature, 5)
    odd.format = .int
    odd.constraints = Constraints(minValue: 9, maxValue: 3)
    for constraints in [Constraints(), Constraints(minValue: 9, maxValue: 3)] {
      odd.constraints = constraints
      let world = sensor(
        .temperatureSensor, odd, #"{"replay": [[0, 1e300], [1, -1e300]], "walk": 100000, "every": "1s"}"#)
      world.pass(.seconds(100))
      let walking = sensor(.temperatureSensor, odd, #"{"walk": 100000, "every": "1s"}"#)
      walking.pass(.seconds(100))
    }
  }
}
