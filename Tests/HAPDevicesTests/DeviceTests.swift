import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPDevices

@Suite("Devices and behaviours")
struct DeviceTests {
  @Test("A characteristic without a behaviour accepts any value set by hand, even if it is read-only")
  func plain() throws {
    let world = VirtualWorld(Garage.database())
    try world.setByHand(Garage.on, true)
    try world.setByHand(Garage.fadeRate, 2)
    #expect(world.changes() == ["1.21=true", "1.22=2.0"])
    world.write(Garage.on, false)
    #expect(world.changes() == [])
    #expect(!Garage.database().characteristics[0].perms.contains(.pairedWrite))
    try world.setByHand(Garage.current, 4)
    #expect(world[Garage.current] == 4)
  }

  @Test(
    "A value that the constraints forbid is refused with the broken rule, and nothing changes",
    arguments: [
      (Garage.on, "open", "format is bool, which takes true or false"), (Garage.on, 2, "true or false"),
      (Garage.current, 5, "Current Door State can't be 5: maxValue is 4"), (Garage.current, -1, "uint8 holds 0...255"),
      (Garage.current, 1.5, "a whole number"), (Garage.current, .null, "can't be null"),
      (Garage.current, 256, "uint8 holds"),
      (Garage.fadeRate, 10.1, "Fade Rate can't be 10.1: maxValue is 10"), (Garage.fadeRate, -0.1, "minValue is 0"),
      (Garage.fadeRate, 1.55, "minStep is 0.1, counted from 0"), (Garage.fadeRate, "fast", "a number"),
      (Garage.fadeRate, .float(.infinity), "maxValue is 10"), (Garage.fadeRate, .float(.nan), "can't be nan"),
      (AttributeID(aid: 1, iid: 12), .string(String(repeating: "x", count: 65)), "it has 65 bytes, and maxLen is 64"),
      (AttributeID(aid: 1, iid: 12), 7, "takes text"),
    ] as [(AttributeID, Value, String)])
  func refused(_ id: AttributeID, _ value: Value, _ rule: String) {
    let world = VirtualWorld(Garage.database())
    let error = #expect(throws: CommandError.self) { try world.setByHand(id, value) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains(rule) == true, "\(error?.message ?? "")")
    #expect(world.changes() == [])
  }

  @Test("For valid values, valid ranges and bytes, the error names the rule, too")
  func otherRules() {
    func rule(_ format: Format, _ constraints: Constraints, _ value: Value) -> String? {
      let characteristic = Characteristic(
        iid: 1, type: TypeID("7E536242-341C-4862-BE90-272CE15BD633")!, format: format, perms: [.pairedRead],
        value: .null,
        description: "Thing", constraints: constraints)
      do throws(CommandError) {
        _ = try characteristic.admitByHand(value)
        return nil
      } catch { return error.message }
    }
    #expect(rule(.uint8, Constraints(validValues: [0, 2]), 1) == "Thing can't be 1: valid-values are 0, 2")
    #expect(rule(.uint8, Constraints(validValuesRange: 2...4), 5) == "Thing can't be 5: valid-values-range is 2...4")
    #expect(rule(.int, Constraints(minValue: 1, minStep: 5), 8) == "Thing can't be 8: minStep is 5, counted from 1")
    // Integer steps are not counted from a fractional minimum.
    #expect(rule(.int, Constraints(minValue: 0.5, minStep: 2), 3) == "Thing can't be 3: minStep is 2")
    #expect(
      rule(.float, Constraints(minValue: 0.5, minStep: 2), 3) == "Thing can't be 3: minStep is 2, counted from 0.5")
    // As doubles, these two are equal.
    #expect(
      rule(.uint64, Constraints(maxValue: .integer((1 << 64) - 2)), .integer((1 << 64) - 1))
        == "Thing can't be 18446744073709551615: maxValue is 18446744073709551614")
    let two = Constraints(maxDataLen: 2)
    #expect(rule(.data, two, .data([1, 2, 3])) == "Thing can't be 3 bytes: it has 3 bytes, and maxDataLen is 2")
    #expect(rule(.data, two, "AQID") == #"Thing can't be "AQID": it decodes to 3 bytes, and maxDataLen is 2"#)
    #expect(rule(.data, two, "AQI") == #"Thing can't be "AQI": its format is data, which takes base64 text"#)
    #expect(
      rule(.float, Constraints(), .float(.infinity))
        == "Thing can't be inf: its format is float, which takes finite numbers")
    #expect(rule(.tlv8, Constraints(), "!!!")?.contains("base64") == true)
    #expect(rule(.tlv8, Constraints(), 1)?.contains("base64") == true)
    #expect(rule(.tlv8, Constraints(), "AQID") == nil)
  }

  @Test("An unknown characteristic can't be set")
  func unknown() {
    let world = VirtualWorld(Garage.database())
    #expect(throws: CommandError(.noSuchCharacteristic, "there is no characteristic 9.9")) {
      try world.setByHand(AttributeID(aid: 9, iid: 9), 1)
    }
  }

  @Test("Two doors are independent, including their timers")
  func twoDoors() {
    let world = VirtualWorld(
      Garage.database(isBridge: true),
      behaviours: [Garage.door: #"{"travelTime": "3s"}"#, Garage.otherDoor: #"{"travelTime": "5s"}"#])
    world.write(Garage.target, 0)
    world.write(AttributeID(aid: 2, iid: 10), 0)
    world.write(Garage.lockTarget, 0)
    world.pass(.seconds(5))
    #expect(world.changes() == ["1.9=2", "2.9=2", "1.31=0", "1.9=0", "2.9=0"])
  }

  @Test("If several services can be obstructed, the service is required; if none can, the command is refused")
  func obstruct() throws {
    let bridge = VirtualWorld(Garage.database(isBridge: true))
    #expect(
      #expect(throws: CommandError.self) { try bridge.command(.obstruct(true, service: nil)) }?.code == .ambiguous)
    try bridge.command(.obstruct(true, service: Garage.otherDoor))
    #expect(bridge.changes() == ["2.11=true"])
    let refused = #expect(throws: CommandError.self) { try bridge.command(.obstruct(true, service: Garage.lamp)) }
    #expect(refused?.code == .notPossible)
    #expect(bridge.changes() == [])
  }

  @Test("An unknown timer is ignored")
  func strayTimer() {
    let world = VirtualWorld(Garage.database())
    for token in [-1, 0, 1, 255, 256, 257, 511, 512, 100_000, .max] { world.fire(token) }
    #expect(world.changes() == [])
  }

  @Test("All parameter problems are reported at once, each with its path and place")
  func parameterProblems() throws {
    func problems(_ text: String, _ service: ServiceDefinition = .garageDoorOpener) -> [String] {
      let node = try! JSONNode.parse(Array(#"{"behaviour": \#(text)}"#.utf8))["behaviour"]!
      return BehaviourRegistry.standard.problems(in: node, for: service.type).map {
        "\($0.path) \($0.place) \($0.message)"
      }
    }
    #expect(problems("{}") == [])
    #expect(problems(#"{"travelTime": "1.5min", "onObstruction": "stop", "jams": false, "x-note": 1}"#) == [])
    #expect(
      problems(#"{"travelTme": "1s", "onObstruction": "revers", "actuationTime": 3, "jams": 2}"#) == [
        #"behaviour.travelTme 1:16 there is no member "travelTme" here: did you mean "travelTime"?"#,
        #"behaviour.onObstruction 1:52 "reverse" or "stop" is expected, not "revers": did you mean "reverse"?"#,
        #"behaviour.actuationTime 1:79 a duration such as "12s", "500ms" or "1.5min" is expected: did you mean "3s"?"#,
        #"behaviour.jams 1:90 a number from 0 to 1, true or false is expected, not 2"#,
      ])
    #expect(problems(#"{"travelTime": "fast"}"#).first?.hasSuffix(#"is expected, not "fast""#) == true)
    #expect(problems(#"{"travelTime": null}"#).first?.hasSuffix("is expected, not null") == true)
    #expect(problems(#"{"onObstruction": 1}"#).first?.hasSuffix("is expected, not an integer") == true)
    #expect(problems("7").first?.hasSuffix("an object of parameters is expected, not an integer") == true)
    #expect(problems(#"{"travelTime": "1s"}"#, .lockMechanism).count == 1)
    #expect(
      problems("{}", .accessoryInformation) == [
        "behaviour 1:15 AccessoryInformation has no behaviour, so it takes no parameters ('hapsim behaviours' lists all behaviours)"
      ])
  }

  @Test("Each parameter is documented, and its default has its kind")
  func documentation() {
    for kind in BehaviourRegistry.standard.kinds {
      #expect(kind.summary.hasSuffix("."))
      for parameter in BehaviourParameter.flattened(kind.parameters) {
        #expect(parameter.summary.hasSuffix("."))
        switch (parameter.kind, parameter.defaultSetting) {
        case (.duration, .duration), (.fraction, .fraction), (.flag, .flag): break
        case (.series, .series(nil)): break
        case (.number(let range), .number(let number)): #expect(range.contains(number))
        case (.choice(let words), .choice(let word)): #expect(words.contains(word))
        case (.list, .list([])): break
        case (_, nil): #expect(parameter.name.contains("[]."), "only members of a list can be required")
        default: Issue.record("\(parameter.name)")
        }
      }
    }
  }

  @Test("The simulation's random generator is SplitMix64: seed 1234567 gives the published first numbers")
  func random() {
    var random = SimulationRandom(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test("A context returns the last value set in it, and lists its actions in order")
  func context() {
    let database = Garage.database()
    var context = DeviceContext(now: .seconds(3), random: SimulationRandom(seed: 1)) { id in
      database.slot(of: id).map { database.characteristics[$0] }
    }
    #expect(context.value(Garage.current) == 1)
    for value in [2, 3] as [Value] { context.set(Garage.current, value) }
    context.set(nil, 7)
    context.schedule(4, after: .seconds(-1))
    context.cancel(4)
    #expect(context.value(Garage.current) == 3)
    #expect(context.characteristic(Garage.current)?.value == 3)
    #expect(context.value(nil) == nil && context.value(AttributeID(aid: 9, iid: 9)) == nil)
    #expect(
      context.actions == [
        .set(Garage.current, 2), .set(Garage.current, 3), .schedule(token: 4, after: .zero), .cancel(token: 4),
      ])
  }
}
