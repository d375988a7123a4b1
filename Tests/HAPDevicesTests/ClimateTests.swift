import HAPModel
import Testing

@testable import HAPDevices

/// One accessory of the given services, whose iids are 10, 20, …, with their characteristics from 11, 21, ….
func house(
  _ services: [(ServiceDefinition, [(CharacteristicDefinition, Value)])], linked: [UInt64: [UInt64]] = [:],
  _ behaviours: [UInt64: String] = [:]
) -> VirtualWorld {
  let made = services.enumerated().map { index, service in
    let iid = UInt64(index + 1) * 10
    return Service(
      iid: iid, type: service.0.type, linked: linked[iid] ?? [],
      characteristics: service.1.enumerated().map { .make(iid + UInt64($0) + 1, $1.0, $1.1) })
  }
  return VirtualWorld(
    try! AttributeDatabase([Accessory(aid: 1, services: made)]),
    behaviours: Dictionary(uniqueKeysWithValues: behaviours.map { (AttributeID(aid: 1, iid: $0), $1) }))
}

func id(_ iid: UInt64) -> AttributeID { AttributeID(aid: 1, iid: iid) }

@Suite("Thermostats") struct ThermostatTests {
  // 11 current state, 12 mode, 13 temperature, 14 target, 15 heating, 16 cooling threshold
  private func world(_ behaviour: String = "{}", mode: Value = 0, at temperature: Value = 20, thresholds: Bool = false)
    -> VirtualWorld
  {
    var characteristics: [(CharacteristicDefinition, Value)] = [
      (.currentHeatingCoolingState, 0), (.targetHeatingCoolingState, mode), (.currentTemperature, temperature),
      (.targetTemperature, .float(21)),
    ]
    if thresholds {
      characteristics += [(.heatingThresholdTemperature, .float(19)), (.coolingThresholdTemperature, .float(23))]
    }
    return house([(.thermostat, characteristics)], [10: behaviour])
  }

  private let calm = #""inertia": "0s", "power": 6, "hysteresis": 0.5, "report": "10min""#

  @Test(
    "[SV-13] The mode drives the current state, if heating or cooling is needed",
    arguments: [
      (Value(integerLiteral: 1), Value.float(18), Value(integerLiteral: 1)), (1, .float(25), 0), (2, .float(25), 2),
      (2, .float(18), 0),
      (3, .float(18), 1), (3, .float(25), 2), (3, .float(21), 0), (0, .float(5), 0),
    ])
  func modes(mode: Value, temperature: Value, expected: Value) {
    let world = world("{\(calm)}", at: temperature)
    world.write(id(12), mode)
    #expect(world[id(11)] == expected)
  }

  @Test("The thermostat heats with its power up to the target, and again when it is below by more than the hysteresis")
  func heats() {
    let world = world("{\(calm)}", mode: 1, at: .float(20))
    #expect(world.changes() == ["1.11=1"])
    world.pass(.seconds(600))
    #expect(world.changes() == ["1.13=21.0", "1.11=0"])
    world.pass(.seconds(86_400))
    #expect(world.changes() == [])
    world.write(id(14), .float(21.5))
    #expect(world.changes() == [])
    world.write(id(14), .float(21.6))
    #expect(world.changes() == ["1.11=1"])
  }

  @Test("power, hysteresis and report are configurable")
  func parameters() {
    let weak = world(#"{"inertia": "0s", "power": 3, "report": "10min"}"#, mode: 1, at: .float(20))
    weak.pass(.seconds(600))
    #expect(weak.changes() == ["1.11=1", "1.13=20.5"])
    let wide = world(#"{"inertia": "0s", "hysteresis": 2}"#, mode: 1, at: .float(20))
    #expect(wide.changes() == [])
    let often = world(#"{"inertia": "0s", "power": 6, "report": "1min"}"#, mode: 1, at: .float(20))
    often.pass(.seconds(120))
    #expect(often.changes() == ["1.11=1", "1.13=20.1", "1.13=20.2"])
  }

  @Test("Without heating or cooling, the room drifts to the outside temperature at the rate of its inertia")
  func drifts() {
    let world = world(#"{"outside": 0, "inertia": "1h", "report": "1h"}"#, at: .float(20))
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.13=7.4"])  // 20 / e
    let still = self.world(#"{"outside": 0, "inertia": "0s", "report": "1h"}"#, at: .float(20))
    still.pass(.seconds(36_000))
    #expect(still.changes() == [])
  }

  @Test("[SV-14] Temperature Display Units changes no temperature; temperatures are always in Celsius")
  func units() {
    let world = house(
      [
        (
          .thermostat,
          [
            (.currentHeatingCoolingState, 0), (.targetHeatingCoolingState, 1), (.currentTemperature, .float(18)),
            (.targetTemperature, .float(21)), (.temperatureDisplayUnits, 0),
          ]
        )
      ])
    _ = world.changes()
    world.write(id(15), 1)
    #expect(world.changes() == [] && world[id(13)] == .float(18) && world[id(14)] == .float(21))
  }

  @Test("In auto mode, the temperature stays within the thresholds")
  func thresholds() {
    let world = world("{\(calm)}", mode: 3, at: .float(18), thresholds: true)
    #expect(world[id(11)] == 1)
    world.pass(.seconds(600))
    #expect(world[id(11)] == 0 && world[id(13)] == .float(19))
    world.write(id(16), .float(18))
    #expect(world[id(11)] == 2)
  }

  @Test("A temperature set by hand is corrected; a state set by hand is overwritten")
  func byHand() throws {
    let world = world("{\(calm)}", mode: 1, at: .float(21))
    #expect(world.changes() == [])
    try world.setByHand(id(13), .float(15))
    #expect(world.changes() == ["1.13=15.0", "1.11=1"])
    try world.setByHand(id(11), 0)
    world.pass(.seconds(600))
    #expect(world.changes() == ["1.11=0", "1.13=16.0", "1.11=1"])
  }

  @Test("A simulated day keeps a single timer")
  func day() {
    let world = world(mode: 3, at: .float(18), thresholds: true)
    world.pass(.seconds(86_400))
    let temperature = world[id(13)]?.doubleValue ?? 0
    #expect((18...20).contains(temperature))
    #expect(world.pendingTimers == 1)
  }
}

@Suite("Heaters, coolers and humidifiers") struct HeaterCoolerTests {
  // 11 active, 12 current, 13 target, 14 temperature, 15 heating, 16 cooling; 21 a faucet's Active
  private func world(active: Value, mode: Value = 0, at temperature: Value = 20, faucet: Bool = false) -> VirtualWorld {
    var services: [(ServiceDefinition, [(CharacteristicDefinition, Value)])] = [
      (
        .heaterCooler,
        [
          (.active, active), (.currentHeaterCoolerState, 0), (.targetHeaterCoolerState, mode),
          (.currentTemperature, temperature),
          (.heatingThresholdTemperature, .float(21)), (.coolingThresholdTemperature, .float(25)),
        ]
      )
    ]
    if faucet { services.append((.faucet, [(.active, 1)])) }
    return house(services, linked: faucet ? [20: [10]] : [:], [10: #"{"inertia": "0s", "report": "10min"}"#])
  }

  @Test(
    "[SV-15] The heater-cooler is inactive, idle, heats or cools",
    arguments: [
      (Value(integerLiteral: 0), Value(integerLiteral: 1), Value.float(18), Value(integerLiteral: 0)),
      (1, 1, .float(18), 2),
      (1, 2, .float(18), 1), (1, 2, .float(28), 3), (1, 1, .float(28), 1), (1, 0, .float(18), 2), (1, 0, .float(28), 3),
      (1, 0, .float(23), 1),
    ])
  func states(active: Value, mode: Value, temperature: Value, expected: Value) {
    let world = world(active: active, mode: mode, at: temperature)
    #expect(world[id(12)] == expected)
    world.write(id(11), 0)
    #expect(world[id(12)] == 0)
  }

  @Test("[SV-29] A linked faucet turns the heater off")
  func faucet() {
    let world = world(active: 1, at: .float(18), faucet: true)
    _ = world.changes()
    world.write(id(21), 0)
    #expect(world.changes() == ["1.11=0", "1.12=0"])
    world.write(id(21), 1)
    #expect(world.changes() == [])
  }

  // 11 active, 12 current, 13 target, 14 humidity, 15 low, 16 high, 17 water
  private func damp(_ behaviour: String, mode: Value = 0, at humidity: Value = .float(30)) -> VirtualWorld {
    house(
      [
        (
          .humidifierDehumidifier,
          [
            (.active, 1), (.currentHumidifierDehumidifierState, 0), (.targetHumidifierDehumidifierState, mode),
            (.currentRelativeHumidity, humidity), (.relativeHumidityHumidifierThreshold, .float(40)),
            (.relativeHumidityDehumidifierThreshold, .float(60)), (.waterLevel, .float(100)),
          ]
        )
      ], [10: behaviour])
  }

  @Test(
    "[SV-15] The humidifier humidifies and dehumidifies",
    arguments: [
      (Value(integerLiteral: 0), Value.float(30), Value(integerLiteral: 2)), (0, .float(70), 3), (0, .float(50), 1),
      (1, .float(70), 1),
      (2, .float(30), 1), (2, .float(70), 3),
    ])
  func humidity(mode: Value, at humidity: Value, expected: Value) {
    let world = damp(#"{"inertia": "0s"}"#, mode: mode, at: humidity)
    #expect(world[id(12)] == expected)
    world.write(id(11), 0)
    #expect(world[id(12)] == 0)
  }

  @Test("Humidifying empties the tank, and ends when it is empty; power, tank, outside and hysteresis are configurable")
  func tank() throws {
    let world = damp(#"{"inertia": "0s", "power": 1, "tank": "2h", "report": "1h"}"#)
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.12=2", "1.14=31.0", "1.17=50.0"])
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.14=32.0", "1.17=0.0", "1.12=1"])
    try world.setByHand(id(17), .float(100))
    #expect(world.changes() == ["1.17=100.0", "1.12=2"])
    let endless = damp(#"{"inertia": "0s", "power": 1, "tank": "0s", "report": "1h"}"#)
    endless.pass(.seconds(3600))
    #expect(endless.changes() == ["1.12=2", "1.14=31.0"])
    #expect(damp(#"{"hysteresis": 15}"#)[id(12)] == 1)
    let dry = damp(#"{"outside": 0, "inertia": "1h", "power": 0, "report": "1h"}"#, mode: 2)
    dry.pass(.seconds(3600))
    #expect(dry.changes() == ["1.12=1", "1.14=11.0"])
  }
}

@Suite("Fans, purifiers and filters") struct AirTests {
  // 11 active, 12 current, 13 speed
  @Test("[SV-25] A fan blows while it is active and its speed isn't 0; spinUp delays it")
  func fan() {
    let world = house([(.fanv2, [(.active, 0), (.currentFanState, 0), (.rotationSpeed, .float(50))])])
    world.write(id(11), 1)
    #expect(world.changes() == ["1.12=2"])
    world.write(id(13), .float(0))
    #expect(world.changes() == ["1.12=1"])
    world.write((id(13), .float(30)), (id(11), 0))
    #expect(world.changes() == ["1.12=0"])
    let slow = house(
      [(.fanv2, [(.active, 0), (.currentFanState, 0), (.rotationSpeed, .float(50))])], [10: #"{"spinUp": "3s"}"#])
    slow.write(id(11), 1)
    slow.pass(.milliseconds(2999))
    #expect(slow.changes() == ["1.12=1"])
    slow.pass(.milliseconds(1))
    #expect(slow.changes() == ["1.12=2"])
    slow.write(id(11), 0)
    slow.write(id(11), 1)
    slow.write(id(11), 0)
    slow.pass(.seconds(10))
    #expect(slow.changes() == ["1.12=0", "1.12=1", "1.12=0"])
  }

  // 11 active, 12 current; fan 21 active, 22 current; filter 31 change, 32 level, 33 reset
  private func purifier(_ behaviours: [UInt64: String] = [:], isLinked: Bool = true) -> VirtualWorld {
    house(
      [
        (.airPurifier, [(.active, 0), (.currentAirPurifierState, 0)]), (.fanv2, [(.active, 0), (.currentFanState, 0)]),
        (
          .filterMaintenance,
          [(.filterChangeIndication, 0), (.filterLifeLevel, .float(100)), (.resetFilterIndication, .null)]
        ),
      ], linked: isLinked ? [10: [20, 30]] : [:], behaviours)
  }

  @Test("[SV-15] [SV-26] The purifier starts and stops its fan; the fan stops the purifier, but doesn't start it")
  func purifies() {
    let world = purifier()
    world.write(id(11), 1)
    #expect(world.changes() == ["1.21=1", "1.12=1", "1.22=2"])
    world.pass(.seconds(2))
    #expect(world.changes() == ["1.12=2"])
    world.write(id(21), 0)
    #expect(world.changes() == ["1.22=0", "1.11=0", "1.12=0"])
    world.write(id(21), 1)
    #expect(world.changes() == ["1.22=2"])
    world.write(id(11), 1)
    world.write(id(11), 0)
    world.pass(.seconds(10))
    #expect(world.changes() == ["1.12=1", "1.21=0", "1.12=0", "1.22=0"])
    let quick = purifier([10: #"{"startTime": "0s"}"#], isLinked: false)
    quick.write(id(11), 1)
    #expect(quick.changes() == ["1.12=2"])
  }

  @Test("[SV-27] A filter wears while its purifier runs, reports when a change is due, and is new after a reset")
  func filter() {
    let world = purifier([30: #"{"life": "100h", "changeAt": 98}"#])
    world.pass(.seconds(36_000))
    #expect(world.changes() == [])
    world.write(id(11), 1)
    _ = world.changes()
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.12=2", "1.32=99.0"])
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.32=98.0", "1.31=1"])
    world.write(id(33), 1)
    #expect(world.changes() == ["1.32=100.0", "1.31=0"])
    world.write(id(11), 0)
    world.pass(.seconds(36_000))
    #expect(world[id(32)] == .float(100) && world.pendingTimers == 0)
    let eternal = purifier([30: #"{"life": "0s"}"#], isLinked: false)
    eternal.pass(.seconds(1_000_000))
    #expect(eternal.changes() == [])
  }

  @Test("A filter without a purifier always wears")
  func alone() throws {
    let world = house(
      [(.filterMaintenance, [(.filterChangeIndication, 0), (.filterLifeLevel, .float(11))])], [10: #"{"life": "100h"}"#]
    )
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.12=10.0", "1.11=1"])
    try world.setByHand(id(12), .float(50))
    #expect(world.changes() == ["1.12=50.0", "1.11=0"])
    world.pass(.seconds(50 * 3600))
    #expect(world[id(12)] == .float(0) && world.pendingTimers == 0)
  }
}

@Suite("Batteries") struct BatteryTests {
  // 11 level, 12 low, 13 charging; 21 Status Low Battery of a sensor
  private func world(_ behaviour: String = "{}", level: Value = 100, charging: Value = 0) -> VirtualWorld {
    house(
      [
        (.batteryService, [(.batteryLevel, level), (.statusLowBattery, 0), (.chargingState, charging)]),
        (.motionSensor, [(.statusLowBattery, 0)]),
      ], [10: behaviour])
  }

  @Test("[SV-22] A battery drains, and reports a low level, also in the other services")
  func drains() {
    let world = world(#"{"life": "100h", "lowAt": 98}"#)
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.11=99"])
    world.pass(.seconds(3600))
    #expect(world.changes() == ["1.11=98", "1.12=1", "1.21=1"])
    world.pass(.seconds(98 * 3600 + 1))
    #expect(world[id(11)] == 0 && world.pendingTimers == 0)
  }

  @Test("A second battery of the accessory has its own low state")
  func two() throws {
    let world = house([
      (.batteryService, [(.batteryLevel, 100), (.statusLowBattery, 0), (.chargingState, 0)]),
      (.batteryService, [(.batteryLevel, 100), (.statusLowBattery, 0), (.chargingState, 0)]),
    ])
    try world.physical(.battery(5), at: id(10))
    #expect(world.changes() == ["1.11=5", "1.12=1"])
  }

  @Test("On a charger, a battery charges until it is full")
  func charges() throws {
    let world = world(#"{"life": "0s", "chargeTime": "100s"}"#, level: 10)
    #expect(world.changes() == ["1.12=1", "1.21=1"] && world.pendingTimers == 0)
    try world.setByHand(id(13), 1)
    world.pass(.seconds(11))
    #expect(world.changes().suffix(3) == ["1.11=21", "1.12=0", "1.21=0"])
    world.pass(.seconds(1000))
    #expect(world[id(11)] == 100 && world[id(13)] == 0 && world.pendingTimers == 0)
  }

  @Test("An action or a change by hand sets any level")
  func actions() throws {
    let world = world(#"{"life": "0s"}"#)
    try world.physical(.battery(5))
    #expect(world.changes() == ["1.11=5", "1.12=1", "1.21=1"])
    try world.setByHand(id(11), 60)
    #expect(world.changes() == ["1.11=60", "1.12=0", "1.21=0"])
    try world.physical(.battery(1000))
    #expect(world[id(11)] == 100)
  }

  @Test("A simulated year takes a hundred events")
  func year() {
    let world = world()
    world.pass(.seconds(400 * 86_400))
    #expect(world.changes().filter { $0.hasPrefix("1.11=") }.count == 100)
  }
}
