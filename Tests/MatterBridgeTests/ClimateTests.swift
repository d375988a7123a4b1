import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

private let thermostat: ClusterID = 0x201
private let covering: ClusterID = 0x102
private let fan: ClusterID = 0x202

@Suite("Matter: thermostats") struct ThermostatTests {
  @Test("Each system mode is a target state, and reads back")
  func modes() throws {
    let home = try MappedHome("thermostat")
    #expect(try home.deviceTypes(1) == [.thermostat, .humiditySensor])
    for (system, target) in [(4, 1), (3, 2), (1, 3), (0, 0)] as [(UInt64, Value)] {
      #expect(home.write(1, thermostat, 0x1C, .unsigned(system)) == .success)
      #expect(try home.value(.targetHeatingCooling) == target)
      #expect(try home.read(1, thermostat, 0x1C) == .unsigned(system))
      try home.change(.targetHeatingCooling, to: 0)
    }
    for wrong in [2, 5, 9, 10] as [UInt64] {
      #expect(home.write(1, thermostat, 0x1C, .unsigned(wrong)) == .constraintError)
    }
    #expect(home.write(1, thermostat, 0x1C, .null) == .invalidDataType)
  }

  @Test("The setpoint of the active side is the target temperature, and the other one its threshold")
  func setpoints() throws {
    let home = try MappedHome("thermostat")
    let (heat, cool): (AttributeNumber, AttributeNumber) = (0x12, 0x11)
    for (state, heating, cooling) in [(0, 2100, 2500), (1, 2100, 2500), (2, 1800, 2100), (3, 1800, 2500)]
      as [(Value, Int64, Int64)]
    {
      try home.change(.targetHeatingCooling, to: state)
      #expect(try home.read(1, thermostat, heat) == .signed(heating))
      #expect(try home.read(1, thermostat, cool) == .signed(cooling))
    }
    try home.change(.targetHeatingCooling, to: 1)
    #expect(home.write(1, thermostat, heat, .signed(2250)) == .success)
    #expect(try home.value(.targetTemperature).doubleValue == 22.5)
    try home.change(.targetHeatingCooling, to: 3)
    #expect(home.write(1, thermostat, heat, .signed(2000)) == .success)
    #expect(try home.value(.heatingThreshold).doubleValue == 20 && home.value(.targetTemperature).doubleValue == 22.5)
    _ = home.node.takeChanges()
    let changes = try home.change(.heatingThreshold, to: .float(19))
    #expect(changes.contains(AttributePath(1, thermostat, heat)))
  }

  @Test("In auto, a heating setpoint above the cooling one moves it")
  func crossing() throws {
    let home = try MappedHome("thermostat")
    try home.change(.targetHeatingCooling, to: 3)
    try home.change(.coolingThreshold, to: .float(20))
    #expect(home.write(1, thermostat, 0x12, .signed(2200)) == .success)
    #expect(try home.read(1, thermostat, 0x12) == .signed(2200) && home.read(1, thermostat, 0x11) == .signed(2200))
    #expect(home.write(1, thermostat, 0x11, .signed(1500)) == .success)
    #expect(try home.read(1, thermostat, 0x12) == .signed(1500))
  }

  @Test("A setpoint outside of the limits is refused, and the limits can be narrowed")
  func limits() throws {
    let home = try MappedHome("thermostat")
    let low = try home.read(1, thermostat, 3).signed(in: -32768...32767)
    let high = try home.read(1, thermostat, 4).signed(in: -32768...32767)
    #expect(try home.read(1, thermostat, 0x15) == .signed(low) && home.read(1, thermostat, 0x16) == .signed(high))
    for setpoint in [low, high] { #expect(home.write(1, thermostat, 0x12, .signed(setpoint)) == .success) }
    for setpoint in [low - 1, high + 1] {
      #expect(home.write(1, thermostat, 0x12, .signed(setpoint)) == .constraintError)
    }
    #expect(home.write(1, thermostat, 0x15, .signed(1600)) == .success)
    #expect(home.write(1, thermostat, 0x12, .signed(1599)) == .constraintError)
    #expect(home.write(1, thermostat, 0x16, .signed(1500)) == .constraintError)
    #expect(home.write(1, thermostat, 0x16, .signed(2000)) == .success)
    #expect(home.write(1, thermostat, 0x15, .signed(2001)) == .constraintError)
    #expect(home.write(1, thermostat, 0x12, .signed(2001)) == .constraintError)
    #expect(home.write(1, thermostat, 0x15, .signed(low - 1)) == .constraintError)
    #expect(home.write(1, thermostat, 0x12, .text("20")) == .invalidDataType)
    #expect(home.write(1, thermostat, 0x1B, .unsigned(4)) == .success)
    #expect(home.write(1, thermostat, 0x1B, .unsigned(2)) == .constraintError)
  }

  @Test("SetpointRaiseLower moves by tenths of a degree, up to the limits")
  func raise() throws {
    let home = try MappedHome("thermostat")
    try home.change(.targetHeatingCooling, to: 1)
    #expect(home.invoke(1, thermostat, 0, .unsigned(0), .signed(5)) == .success)
    #expect(try home.read(1, thermostat, 0x12) == .signed(2150))
    #expect(home.invoke(1, thermostat, 0, .unsigned(1), .signed(-10)) == .success)
    #expect(try home.read(1, thermostat, 0x11) == .signed(2400))
    #expect(home.invoke(1, thermostat, 0, .unsigned(2), .signed(10)) == .success)
    #expect(try home.read(1, thermostat, 0x12) == .signed(2250) && home.read(1, thermostat, 0x11) == .signed(2500))
    for _ in 0..<5 { #expect(home.invoke(1, thermostat, 0, .unsigned(0), .signed(-128)) == .success) }
    #expect(try home.read(1, thermostat, 0x12) == home.read(1, thermostat, 0x15))
    #expect(home.invoke(1, thermostat, 0, .unsigned(3), .signed(1)) == .constraintError)
    #expect(home.invoke(1, thermostat, 0, .unsigned(0), .signed(128)) == .constraintError)
    #expect(home.invoke(1, thermostat, 0, .unsigned(0)) == .invalidCommand)
  }

  @Test("The running state follows the current state")
  func running() throws {
    let home = try MappedHome("thermostat")
    for (state, running, mode) in [(1, 1, 4), (2, 2, 3), (0, 0, 0)] as [(Value, UInt64, UInt64)] {
      try home.change(.currentHeatingCooling, to: state)
      #expect(try home.read(1, thermostat, 0x29) == .unsigned(running))
      #expect(try home.read(1, thermostat, 0x1E) == .unsigned(mode))
    }
    #expect(try home.change(.currentTemperature, to: .float(19.95)) == [AttributePath(1, thermostat, 0)])
    #expect(try home.read(1, thermostat, 0) == .signed(1995))
  }

  @Test("A heater cooler is off while it is not active, and has thresholds as setpoints")
  func heaterCooler() throws {
    let home = try MappedHome("heater-cooler")
    #expect(try home.read(1, thermostat, 0x1C) == .unsigned(0))
    for (system, target) in [(1, 0), (4, 1), (3, 2)] as [(UInt64, Value)] {
      #expect(home.write(1, thermostat, 0x1C, .unsigned(system)) == .success)
      #expect(try home.value(.targetHeaterCooler) == target && home.value(.active) == 1)
      #expect(try home.read(1, thermostat, 0x1C) == .unsigned(system))
    }
    #expect(home.written.last?.others.count == 1)
    #expect(home.write(1, thermostat, 0x1C, .unsigned(0)) == .success)
    #expect(try home.value(.active) == 0 && home.value(.targetHeaterCooler) == 2)
    #expect(home.write(1, thermostat, 0x11, .signed(2650)) == .success)
    #expect(try home.value(.coolingThreshold).doubleValue == 26.5)
  }

  @Test("A thermostat that only heats has no cooling")
  func heatingOnly() throws {
    var accessories = try MappedHome.database("thermostat").accessories
    let service = try #require(accessories[0].services.firstIndex { $0.type == 0x4A })
    for index in accessories[0].services[service].characteristics.indices
    where accessories[0].services[service].characteristics[index].type == .targetHeatingCooling {
      accessories[0].services[service].characteristics[index].constraints.validValues = [0, 1]
    }
    let home = MappedHome(try AttributeDatabase(accessories))
    let cluster = try #require(home.node.clusters(of: 1).first { $0.id == thermostat })
    #expect(cluster.features == 1 && !cluster.attributes.contains { $0.number == 0x11 })
    #expect(try home.read(1, thermostat, 0x1B) == .unsigned(2))
    #expect(home.write(1, thermostat, 0x1C, .unsigned(3)) == .constraintError)
    #expect(home.invoke(1, thermostat, 0, .unsigned(1), .signed(1)) == .invalidCommand)
  }
}

@Suite("Matter: coverings and fans") struct MovementTests {
  @Test("Each position and each angle comes back from Matter's percentages")
  func positions() throws {
    for position in 0...100 {
      #expect(Covering.position(closed: Covering.closed(position: Double(position))) == Double(position))
    }
    for angle in -90...90 {
      #expect(Covering.angle(closed: Covering.closed(angle: Double(angle))).rounded() == Double(angle))
    }
    let home = try MappedHome("window-covering")
    for closed in stride(from: UInt64(0), through: 10000, by: 50) {
      #expect(home.invoke(1, covering, 5, .unsigned(closed)) == .success)
      let position = try #require(try home.value(.targetPosition).doubleValue)
      #expect(abs(position - Covering.position(closed: closed)) <= 0.5)
      #expect(try home.read(1, covering, 0x0B) == .unsigned(Covering.closed(position: position)))
    }
    #expect(home.invoke(1, covering, 8, .unsigned(10000)) == .success)
    #expect(try home.value(CoveringCluster.horizontal.targetTilt) == 90)
    #expect(try home.read(1, covering, 0x0C) == .unsigned(10000))
    #expect(home.invoke(1, covering, 5, .unsigned(10001)) == .constraintError)
    #expect(home.invoke(1, covering, 8, .unsigned(10001)) == .constraintError)
    #expect(home.invoke(1, covering, 5) == .invalidCommand && home.invoke(1, covering, 5, .null) == .invalidCommand)
  }

  @Test("Open, close and stop write the target or hold the position")
  func commands() throws {
    let home = try MappedHome("window-covering")
    #expect(home.invoke(1, covering, 1) == .success)
    #expect(try home.value(.targetPosition) == 0)
    #expect(home.invoke(1, covering, 0) == .success)
    #expect(try home.value(.targetPosition) == 100)
    #expect(home.invoke(1, covering, 2) == .success)
    #expect(home.written.last?.first.value == true)
    let door = try MappedHome("door")
    try door.change(.currentPosition, to: 40)
    #expect(door.invoke(1, covering, 2) == .success)
    let hasHold = door.server.database.characteristics.contains { $0.type == .holdPosition }
    #expect(try hasHold || door.value(.targetPosition) == 40)
  }

  @Test("Movements and positions of the device mark their attributes")
  func movements() throws {
    let home = try MappedHome("window-covering")
    for (state, status) in [(0, 0b1010), (1, 0b0101), (2, 0)] as [(Value, UInt64)] {
      #expect(try home.change(.positionState, to: state) == [AttributePath(1, covering, 0x0A)] || state == 2)
      #expect(try home.read(1, covering, 0x0A) == .unsigned(status))
    }
    let changes = try home.change(.currentPosition, to: 30)
    #expect(Set(changes) == [AttributePath(1, covering, 8), AttributePath(1, covering, 0x0E)])
    #expect(try home.read(1, covering, 0x0E) == .unsigned(7000) && home.read(1, covering, 8) == .unsigned(70))
  }

  @Test("Each fan mode writes power, target and speed in one write")
  func modes() throws {
    let home = try MappedHome("fan")
    for (mode, read, active, automatic, speed) in [
      (1, 1, 1, 0, 33), (2, 2, 1, 0, 66), (3, 3, 1, 0, 100), (4, 3, 1, 0, 100), (5, 5, 1, 1, 100), (6, 5, 1, 1, 100),
      (0, 0, 0, 1, 100),
    ] as [(UInt64, UInt64, Value, Value, Double)] {
      let writes = home.written.count
      #expect(home.write(1, fan, 0, .unsigned(mode)) == .success)
      #expect(home.written.count == writes + 1)
      #expect(try home.read(1, fan, 0) == .unsigned(read))
      #expect(try home.value(.active) == active && home.value(.targetFanState) == automatic)
      #expect(try home.value(.rotationSpeed).doubleValue == speed)
      #expect(try (home.read(1, fan, 2) == .null) == (read == 5))
    }
    #expect(home.write(1, fan, 0, .unsigned(7)) == .constraintError && home.write(1, fan, 0, .null) == .invalidDataType)
  }

  @Test("Each percentage is a speed, and 0 turns the fan off")
  func speeds() throws {
    let home = try MappedHome("fan")
    for percent in UInt64(1)...100 {
      #expect(home.write(1, fan, 2, .unsigned(percent)) == .success)
      #expect(try home.read(1, fan, 2) == .unsigned(percent) && home.read(1, fan, 3) == .unsigned(percent))
      #expect(try home.read(1, fan, 0) == .unsigned(percent <= 33 ? 1 : percent <= 66 ? 2 : 3))
    }
    #expect(home.write(1, fan, 2, .null) == .success)
    #expect(home.write(1, fan, 2, .unsigned(101)) == .constraintError)
    #expect(home.write(1, fan, 2, .unsigned(0)) == .success)
    #expect(try home.value(.active) == 0 && home.value(.rotationSpeed).doubleValue == 100)
    #expect(try home.read(1, fan, 3) == .unsigned(0))
    #expect(home.write(1, fan, 3, .unsigned(1)) == .unsupportedWrite)
  }

  @Test("A low percentage is the first step above 0 of a fan with coarse steps")
  func coarseSteps() throws {
    let home = try MappedHome(
      json: """
        { "format": "hasaccessory/1", "name": "Fan", "category": "fan", "services": [
          { "type": "Fanv2", "characteristics": [ { "type": "RotationSpeed", "minStep": 25 } ] } ] }
        """)
    #expect(home.write(1, fan, 2, .unsigned(5)) == .success)
    #expect(try home.value(.active) == 1 && home.value(.rotationSpeed).doubleValue == 25)
    #expect(home.write(1, fan, 2, .unsigned(0)) == .success)
    #expect(try home.value(.active) == 0 && home.value(.rotationSpeed).doubleValue == 25)
  }

  @Test("Swing and direction are written and read")
  func swing() throws {
    let home = try MappedHome("fan")
    for (attribute, type) in [(8, TypeID.swingMode), (0x0B, .rotationDirection)] as [(AttributeNumber, TypeID)] {
      for value in [1, 0] as [UInt64] {
        #expect(home.write(1, fan, attribute, .unsigned(value)) == .success)
        #expect(try home.value(type) == .integer(Int128(value)) && home.read(1, fan, attribute) == .unsigned(value))
      }
      #expect(home.write(1, fan, attribute, .unsigned(2)) == .constraintError)
    }
  }
}
