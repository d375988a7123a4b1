import HAPWire
import Testing
@testable import HAPDevices

/// Replaced profiles whose behaviours depend on other services.
extension ReplacedBehaviourTests {
  private static let battery =
    #"{ "type": "BatteryService", "name": "Battery", "behaviour": { "life": "100s" } }"#
  private static let motion =
    #"{ "type": "MotionSensor", "name": "Motion", "characteristics": [ { "type": "StatusLowBattery" } ] }"#
  private static func sensor(_ services: [String]) -> String { profile("Sensor", "sensor", services) }

  /// The values of all characteristics with this name.
  private func integers(_ name: String, in served: ServedSimulation) async throws -> [Int128?] {
    let status = try await served.command("status")
    var values: [Int128?] = []
    for accessory in status["accessories"]?.elements ?? [] {
      for characteristic in accessory["characteristics"]?.elements ?? []
      where characteristic["name"]?.stringValue?.hasSuffix(name) == true {
        values.append(characteristic["value"]?.integerValue)
      }
    }
    return values
  }

  @Test("A battery continues to drain after a service with Status Low Battery is removed") func removedNeighbour()
    async throws
  {
    try await simulated(Self.sensor([Self.motion, Self.battery])) { served in
      try await advance("79.5s", in: served)
      #expect(try await integers("Status Low Battery", in: served) == [0, 0])
      try await replace(Self.sensor([Self.battery]), in: served)
      try await advance("10s", in: served)
      #expect(try await integers("Status Low Battery", in: served) == [1])
      try await advance("1h", in: served)
      #expect(try await integer("Battery Level", in: served) == 0)
    }
  }

  @Test("A battery sets Status Low Battery of a service that is added") func addedNeighbour() async throws {
    try await simulated(Self.sensor([Self.battery])) { served in
      try await advance("50s", in: served)
      try await replace(Self.sensor([Self.motion, Self.battery]), in: served)
      #expect(try await integers("Status Low Battery", in: served) == [0, 0])
      try await advance("40s", in: served)
      #expect(try await integers("Status Low Battery", in: served) == [1, 1])
    }
  }

  @Test("A restarted irrigation system uses the remaining time of a continuing valve") func irrigation() async throws {
    func sprinklers(_ valves: String...) -> String {
      let services = valves.map {
        """
        { "type": "Valve", "name": "\($0)", "characteristics": [
          { "type": "SetDuration", "value": 300 }, { "type": "RemainingDuration" } ] }
        """
      }
      let system = """
        { "type": "IrrigationSystem", "name": "Garden", "characteristics": [ { "type": "RemainingDuration" } ] }
        """
      return Self.profile("Garden", "sprinkler", [system] + services)
    }
    try await simulated(sprinklers("One")) { served in
      func remaining() async throws -> [Int128?] { try await integers("Remaining Duration", in: served) }
      try await served.command("set", #""characteristic": "Active", "service": "One", "value": 1"#)
      #expect(try await remaining() == [300, 300])
      try await advance("100s", in: served)
      try await replace(sprinklers("One", "Two"), in: served)
      #expect(try await remaining() == [200, 200, 0])
      try await advance("199s", in: served)
      #expect(try await integer("In Use", in: served) == 1)
      try await advance("1s", in: served)
      #expect(try await integer("In Use", in: served) == 0)
      #expect(try await remaining().first == 0)
    }
  }

  /// Services whose behaviours depend on each other.
  private static let pool = [
    battery, motion, fan,
    #"{ "type": "BatteryService", "name": "Spare", "behaviour": { "life": "10s" } }"#,
    #"{ "type": "LeakSensor", "name": "Leak", "characteristics": [ { "type": "StatusLowBattery" } ] }"#,
    #"{ "type": "IrrigationSystem", "name": "Garden", "characteristics": [ { "type": "RemainingDuration" } ] }"#,
    #"""
    { "type": "Valve", "name": "One", "characteristics": [
      { "type": "SetDuration", "value": 60 }, { "type": "RemainingDuration" } ] }
    """#,
    #"{ "type": "Valve", "name": "Two", "characteristics": [ { "type": "SetDuration", "value": 30 } ] }"#,
    #"{ "type": "Faucet", "name": "Tap" }"#,
    #"{ "type": "HeaterCooler", "name": "Heater" }"#,
    #"{ "type": "LockMechanism", "name": "Lock", "behaviour": { "actuationTime": "5s" } }"#,
    #"{ "type": "LockManagement", "name": "Manager" }"#,
    #"{ "type": "GarageDoorOpener", "name": "Door" }"#,
    #"{ "type": "AirPurifier", "name": "Purifier" }"#,
    #"{ "type": "FanV2", "name": "Blower" }"#,
    #"{ "type": "FilterMaintenance", "name": "Filter" }"#,
    #"{ "type": "Television", "name": "Set" }"#,
    #"{ "type": "InputSource", "name": "Input" }"#,
    #"{ "type": "WindowCovering", "name": "Blind" }"#,
    #"{ "type": "SecuritySystem", "name": "Alarm" }"#,
  ]

  @Test("Replaced profiles, commands and advances of time never cause a trap", arguments: 1...8) func anySequence(
    seed: Int
  )
    async throws
  {
    var random = SimulationRandom(seed: UInt64(seed))
    func anyProfile() -> String {
      let count = Int.random(in: 1...8, using: &random)
      return Self.sensor(Array(Self.pool.shuffled(using: &random).prefix(count)))
    }
    func anyCommand(_ addresses: [String]) -> String {
      let value = ["0", "1", "2", "true", "false", "35"].randomElement(using: &random) ?? "0"
      let address = addresses.randomElement(using: &random) ?? "1.1"
      return [
        #"{ "command": "advance", "duration": "\#(Int.random(in: 1...40_000, using: &random))ms" }"#,
        #"{ "command": "set", "characteristic": "\#(address)", "value": \#(value) }"#,
        #"{ "command": "battery", "value": \#(Int.random(in: 0...100, using: &random)) }"#,
        #"{ "command": "jam", "value": true }"#, #"{ "command": "trigger" }"#, #"{ "command": "obstruct" }"#,
      ][min(5, Int.random(in: 0...12, using: &random) / 2)]
    }
    try await simulated(anyProfile()) { served in
      for _ in 0..<25 {
        try await replace(anyProfile(), in: served)
        let status = try await served.command("status")
        let addresses = (status["accessories"]?.elements ?? []).flatMap { $0["characteristics"]?.elements ?? [] }
          .compactMap { entry in
            entry["iid"]?.integerValue.map { "1.\($0)" }
          }
        for _ in 0..<12 { _ = try await served.answer(anyCommand(addresses)) }
      }
    }
  }
}
