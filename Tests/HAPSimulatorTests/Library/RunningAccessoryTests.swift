import HAPModel
import HAPWire
import Testing

@testable import HAPDevices
@testable import HAPSimulator
@testable import HAPSimulatorCore

@Suite("The library: operations of an accessory") struct RunningAccessoryTests {
  private func with<T>(
    _ source: ProfileSource, _ body: (Simulator, RunningAccessory) async throws -> T
  ) async throws -> T {
    let simulator = try await Simulator()
    let accessory = try await simulator.start(source)
    let result = try await body(simulator, accessory)
    await simulator.stop()
    return result
  }

  @Test("Values are set by name, number and boolean, and read as value and name") func values() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      try await door.set("TargetDoorState", to: "open")
      #expect(try await door.value(of: "TargetDoorState") == 0)
      #expect(try await door.word(of: "target door state") == "open")
      try await door.set("TargetDoorState", to: 1)
      #expect(try await door.word(of: "TargetDoorState") == "closed")
      try await door.set(CharacteristicName("ObstructionDetected", service: "Door"), to: true)
      #expect(try await door.value(of: "ObstructionDetected") == true)
      #expect(try await door.word(of: "ObstructionDetected") == nil)
      // Another test's client may connect to a port that it used before and that this door has now.
      let kinds = door.history.map(\.kind).filter { $0 != .connected && $0 != .disconnected }
      #expect(kinds.allSatisfy { $0 == .changed } && kinds.count >= 3, "\(kinds)")
    }
  }

  @Test("Unknown names are refused with the nearest valid one") func wrongWords() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      for (name, value, code, message) in [
        ("TargetDoorState", "opn", .invalidValue, "did you mean \"open\"?"),
        ("TargetDoorState", 7, .invalidValue, "Target Door State can't be 7"),
        ("TargetDorState", 1, .noSuchCharacteristic, "did you mean \"TargetDoorState\"?"),
        ("9.9", 1, .noSuchCharacteristic, "there is no characteristic 9.9"),
        (CharacteristicName("Name", service: "Dor"), "x", .noSuchService, "\"Dor\""),
        ("Name", "x", .ambiguous, "characteristics match \"Name\""),
        (CharacteristicName("On", accessory: "Lamp"), true, .noSuchAccessory, "there is no accessory \"Lamp\""),
        ("", 1, .noSuchCharacteristic, "there is no characteristic \"\""),
      ] as [(CharacteristicName, Value, SimulatorError.Code, String)] {
        for action: @Sendable () async throws -> Void in [
          { try await door.set(name, to: value) }, { try await door.written(name, value) },
          { try await door.becomes(name, value) }, { try await door.expect(.changed, of: name, value) },
        ] {
          let error = await #expect(throws: SimulatorError.self) { try await action() }
          #expect(error?.code == code)
          #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
      }
      #expect(door.history.isEmpty)
    }
  }

  @Test("Doors are obstructed, buttons pressed, accessories identified") func actions() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      try await door.obstruct()
      try await door.becomes("ObstructionDetected", true)
      try await door.obstruct(false, service: "Door")
      try await door.becomes("ObstructionDetected", false)
      try await door.identify()
      try await door.expect(.identified)
      let error = await #expect(throws: SimulatorError.self) { try await door.press() }
      #expect(error?.code == .notPossible)
    }
    try await with(.json(ProfileText.sensor)) { simulator, sensor in
      try await sensor.tamper()
      try await sensor.becomes("StatusTampered", 1)
      try await sensor.tamper(false, service: "Temperature")
      try await sensor.becomes("StatusTampered", 0)
      try await sensor.setBattery(to: 5)
      try await sensor.becomes("BatteryLevel", 5)
      try await sensor.trigger(service: "Motion")
      try await sensor.becomes("MotionDetected", true)
      let error = await #expect(throws: SimulatorError.self) { try await sensor.setBattery(to: 101) }
      #expect(error?.code == .invalidValue)
    }
    try await with(.new("LockMechanism")) { simulator, lock in
      try await lock.jam()
      try await lock.set("LockTargetState", to: 0)
      try await simulator.advance(by: .seconds(60))
      try await lock.becomes("LockCurrentState", "jammed")
      try await lock.jam(false)
      let error = await #expect(throws: SimulatorError.self) { try await lock.trigger() }
      #expect(error?.code == .notPossible)
    }
    try await with(.new("StatelessProgrammableSwitch")) { simulator, button in
      // Both names, with and without an import of HAPModel, refer to one type.
      let press: HAPSimulator.ButtonPress = ButtonPress.double
      try await button.press(press)
      try await button.expect(.changed, of: "ProgrammableSwitchEvent", 1)
      #expect(try await button.word(of: "ProgrammableSwitchEvent") == "double-press")
    }
  }

  @Test("An accessory behind a bridge can be named, and made offline and online") func bridge() async throws {
    try await with(.json(ProfileText.bridge)) { simulator, bridge in
      try await bridge.set("On", to: true)
      let shed = CharacteristicName("TargetDoorState", accessory: "Shed")
      let barn = CharacteristicName("TargetDoorState", service: "Barn Door")
      try await bridge.set(shed, to: "open")
      #expect(try await bridge.word(of: shed) == "open")
      #expect(try await bridge.word(of: barn) == "closed")
      try await bridge.obstruct(accessory: "Barn")
      try await bridge.becomes(CharacteristicName("ObstructionDetected", accessory: "Barn"), true)
      try await bridge.setReachable(false, accessory: "Desk Lamp")
      try await bridge.setReachable(true, accessory: "Desk Lamp")
      let events = bridge.history.filter { $0.kind == .reachable }
      #expect(events.map(\.text).count == 2)
      let ambiguous = await #expect(throws: SimulatorError.self) { try await bridge.set("TargetDoorState", to: "open") }
      #expect(ambiguous?.code == .ambiguous)
      let error = await #expect(throws: SimulatorError.self) {
        try await bridge.setReachable(false, accessory: "Bridge")
      }
      #expect(error?.code == .notPossible)
    }
  }

  @Test("Faults are started and ended by name") func faults() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      try await door.switchOn(fault: "latency:by=2s")
      #expect(try await door.faults == ["latency:by=2s"])
      try await door.expect(.fault)
      try await door.switchOff(fault: "latency")
      #expect(try await door.faults == [])
      for (text, code, message) in [
        ("latenzy", .malformed, "did you mean \"latency\"?"), ("latency:by=fast", .malformed, "by is a duration"),
        ("latency:2s", .malformed, "is not parameter=value"), ("", .malformed, "there is no fault \"\""),
      ] as [(String, SimulatorError.Code, String)] {
        let error = await #expect(throws: SimulatorError.self) { try await door.switchOn(fault: text) }
        #expect(error?.code == code)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      }
      let error = await #expect(throws: SimulatorError.self) { try await door.switchOff(fault: "latency") }
      #expect(error?.code == .notPossible)
    }
  }

  @Test("A profile's own faults are active from the start, and are no events") func ownFaults() async throws {
    let profile = ProfileText.garage.replacing("\"services\"", with: "\"faults\": [\"latency:by=1s\"], \"services\"")
    try await with(.json(profile)) { simulator, door in
      let faults = try await door.faults
      #expect(faults == ["latency:by=1s"])
      #expect(door.history.isEmpty)
    }
  }

  @Test("A restart keeps the port; a factory reset changes the identity, a new profile doesn't") func restarts()
    async throws
  {
    try await with(.json(ProfileText.garage)) { simulator, door in
      let (port, deviceID) = (door.port, door.deviceID)
      let controller = try await PairedController(pairingWith: door)
      try await door.restart(.reboot)
      try await door.restart(.powerCut)
      #expect(door.port == port && door.deviceID == deviceID)
      #expect(try await door.pairings.map(\.name) == [controller.identifier])
      let number = try await door.replace(
        by: .json(
          ProfileText.garage.replacing("LockMechanism", with: "LightBulb").replacing("\"Lock\"", with: "\"Light\"")))
      #expect(number == 2 && door.deviceID == deviceID)
      try await door.set("On", to: true)
      try await door.restart(.factoryReset)
      #expect(door.port == port && door.deviceID != deviceID)
      #expect(try await door.pairings.isEmpty)
      #expect(door.history.filter { $0.kind == .restarted }.count == 3)
      let error = await #expect(throws: SimulatorError.self) { try await door.replace(by: .json("{}")) }
      #expect(error != nil)
      await controller.close()
    }
  }

  @Test("Removing pairings is answered, even if the accessory stops or restarts at that moment")
  func unpairedBesideAnEnd() async throws {
    for word in ["stop", "reboot", "power-cut"] {
      try await with(.json(ProfileText.garage)) { simulator, door in
        let controller = try await PairedController(pairingWith: door)
        let served = door.served
        // Both within one turn of the loop: the accessory ends while the removal is being stored.
        let first = try await served.loop.result { done in
          served.perform(json: "{\"command\": \"unpair\"}") { done(.success($0)) }
          served.perform(json: "{\"command\": \"\(word)\"}") { _ in }
        }
        #expect(throws: Never.self) { try first.get() }
        await controller.close()
      }
    }
  }

  @Test("During a restart, pairings are unavailable; a replacement overtaken by a stop throws .stopped")
  func inBetween() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      let served = door.served
      let error = await #expect(throws: SimulatorError.self) {
        _ = try await served.loop.result { done in
          served.perform(json: "{\"command\": \"reboot\"}") { _ in }
          done(served.pairings)
        }
      }
      #expect(error?.code == .notPossible && error?.message == "\"Garage\" is restarting", "\(error?.message ?? "")")
      // After the restart.
      try await door.expect(.restarted)
      let other = await #expect(throws: SimulatorError.self) {
        _ = try await served.loop.result { done in
          served.replace(by: ProfileSource.json(ProfileText.garage).origin, done: done)
          served.stop()
        }
      }
      #expect(other?.code == .stopped)
    }
  }

  @Test("Pairings can be removed without a controller") func unpair() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      let controller = try await PairedController(pairingWith: door)
      let error = await #expect(throws: SimulatorError.self) { try await door.unpair(controller: "nobody") }
      #expect(error?.code == .noSuchController)
      try await door.unpair(controller: controller.identifier)
      try await door.expect(.unpaired, by: controller.identifier)
      #expect(try await door.pairings.isEmpty)
      await controller.close()
    }
  }

  @Test("Connections can be closed, and the radio switched") func network() async throws {
    try await with(.json(ProfileText.garage)) { simulator, door in
      let controller = try await PairedController(pairingWith: door)
      door.forgetEvents()
      try await door.disconnect(controller: controller.identifier)
      try await door.expect(.disconnected)
      try await door.setRadio(false)
      try await door.setRadio(true)
      #expect(door.history.filter { $0.kind == .radio }.count == 2)
      let error = await #expect(throws: SimulatorError.self) { try await door.disconnect(controller: "nobody") }
      #expect(error?.code == .noSuchController)
      await controller.close()
    }
  }

  @Test("Any command is executed as JSON, except those of the simulator") func commands() async throws {
    try await with(.json(ProfileText.sensor)) { simulator, sensor in
      try await sensor.perform("{\"command\": \"battery\", \"value\": 5}")
      #expect(try await sensor.value(of: "BatteryLevel") == 5)
      let answer = try await sensor.perform("{\"id\": 7, \"command\": \"list\"}")
      let node = try JSONNode.parse(Array(answer.utf8))
      #expect(node["id"]?.integerValue == 7 && node["ok"]?.boolValue == true)
      try await sensor.perform("{\"command\": \"advance\", \"duration\": \"1h\"}")
      #expect(try await simulator.now == .seconds(3600))
      for (command, code, message) in [
        ("", .malformed, "not JSON"), ("7", .malformed, "an object is expected"),
        ("{\"command\": \"juggle\"}", .unknownCommand, "there is no command \"juggle\""),
        ("{\"command\": \"battery\"}", .malformed, "\"value\" is missing"),
        ("{\"command\": \"add\", \"profile\": \"x\"}", .notPossible, "use Simulator.start"),
        ("{\"command\": \"press\"}", .notPossible, "does not support press"),
        ("{\"command\": \"stop\", \"accessory\": \"Sensr\"}", .noSuchAccessory, "did you mean \"Sensor\"?"),
        ("{\"command\": \"remove\", \"accessory\": 7}", .noSuchAccessory, "there is no accessory 7"),
        ("{\"command\": \"replace\", \"profile\": \"/nowhere\"}", .notPossible, "/nowhere can't be read"),
      ] as [(String, SimulatorError.Code, String)] {
        let error = await #expect(throws: SimulatorError.self) { try await sensor.perform(command) }
        #expect(error?.code == code, "\(command)")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      }
    }
  }
}
