import HAPModel
import Testing

@Suite struct DefaultValues {
  @Test(
    "[DB.12] The default of each characteristic is canonical and valid by its own constraints",
    arguments: Catalogue.characteristics)
  func valid(_ row: CharacteristicDefinition) {
    if row.type.readsAsNull {
      #expect(row.defaultValue == .null)
    } else {
      #expect(characteristic(row).allows(row.defaultValue), "\(row.identifier) \(row.defaultValue)")
    }
  }

  @Test(
    "Default values are safe states",
    arguments: [
      ("CurrentDoorState", "closed"), ("TargetDoorState", "closed"), ("LockCurrentState", "secured"),
      ("LockTargetState", "secured"), ("SecuritySystemCurrentState", "disarmed"),
      ("SecuritySystemTargetState", "disarm"),
      ("SmokeDetected", "not detected"), ("CarbonMonoxideDetected", "normal"), ("LeakDetected", "not detected"),
      ("PositionState", "stopped"), ("CurrentHeatingCoolingState", "off"), ("TargetHeatingCoolingState", "off"),
    ])
  func safe(_ name: String, _ word: String) throws {
    let row = try #require(Catalogue.characteristic(named: name))
    #expect(row.defaultValue == row.value(forWord: word))
  }

  @Test("Temperatures start at 20 °C, status is active, a door is not obstructed") func more() {
    #expect(CharacteristicDefinition.currentTemperature.defaultValue == 20.0)
    #expect(CharacteristicDefinition.targetTemperature.defaultValue == 20.0)
    #expect(CharacteristicDefinition.statusActive.defaultValue == true)
    #expect(CharacteristicDefinition.obstructionDetected.defaultValue == false)
  }

  @Test(
    "Current equals target for each pair with the same name",
    arguments: Catalogue.characteristics.filter { $0.identifier.hasPrefix("Current") })
  func pairs(_ current: CharacteristicDefinition) {
    guard let target = Catalogue.characteristic(named: "Target" + current.identifier.dropFirst(7)) else { return }
    // Heater-cooler and similar services use different numbers; there, equal numbers mean "inactive" and "auto".
    #expect(current.defaultValue == target.defaultValue, "\(current.identifier)")
  }

  @Test("If limits forbid the safe value, the lowest valid one is used")
  func narrowed() {
    func value(_ type: TypeID, _ format: Format, _ constraints: Constraints) -> Value {
      Catalogue.defaultValue(of: type, format: format, constraints: constraints)
    }
    #expect(value(0x11, .float, Constraints(minValue: 30, maxValue: 40)) == 30.0)
    #expect(value(0x32, .uint8, Constraints(validValues: [0])) == 0)
    #expect(value(0x32, .uint8, Constraints(minValue: 0, maxValue: 10, validValues: [7, 5])) == 5)
    #expect(value(0x32, .uint8, Constraints(validValuesRange: 4...6)) == 4)
  }

  @Test("A custom type starts at its lowest valid value: 0 if it is allowed and there is no minimum")
  func custom() {
    let type = TypeID("7E536242-341C-4862-BE90-272CE15BD633")!
    func value(_ format: Format, _ constraints: Constraints = Constraints()) -> Value {
      Catalogue.defaultValue(of: type, format: format, constraints: constraints)
    }
    #expect(value(.bool) == false)
    for format in [.uint8, .uint16, .uint32, .uint64, .int] as [Format] { #expect(value(format) == 0) }
    #expect(value(.int, Constraints(minValue: -5)) == -5)
    #expect(value(.int, Constraints(maxValue: -3)) == .integer(Int128(Int32.min)))
    #expect(value(.float) == 0.0)
    #expect(value(.float, Constraints(minValue: -1.5)) == -1.5)
    #expect(value(.float, Constraints(maxValue: -2)) == -2.0)
    #expect(value(.string) == "")
    #expect(value(.tlv8) == .data([]))
    #expect(value(.data) == .data([]))
  }
}
