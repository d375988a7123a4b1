import HAPLoop
import HAPModel
import HAPProfile
import HAPStore
import HAPWire
import Testing
@testable import HAPDevices
@testable import HAPHost

private func simulated<T>(
  _ profiles: String..., pace: SimulationClock.Pace = .standing, folder: StateFolder = .ephemeral(),
  host: IPAddress = .loopbackV4, _ body: (ServedSimulation) async throws -> T
) async throws -> T {
  let served = try await ServedSimulation(profiles, pace: pace, folder: folder, host: host)
  do {
    let result = try await body(served)
    try await served.stop()
    return result
  } catch {
    try await served.stop()
    throw error
  }
}

@Suite("Executed commands") struct CommandTests {
  @Test("A door opens when time is advanced, and not earlier") func advance() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      try await served.command("set", #""characteristic": "TargetDoorState", "value": "open""#)
      #expect(try await served.value("Current Door State")?.integerValue == 2)
      #expect(try await served.command("advance", #""duration": "9.9s""#)["now"]?.numberValue?.double == 9.9)
      #expect(try await served.value("Current Door State")?.integerValue == 2)
      try await served.command("advance", #""duration": "100ms""#)
      #expect(try await served.value("Current Door State")?.integerValue == 0)
      let time = try await served.command("list")["time"]
      #expect(time?["now"]?.numberValue?.double == 10 && time?["scale"]?.integerValue == 0)
    }
  }

  @Test("A single advance covers a day of a thermostat and of a sensor with a battery") func day() async throws {
    try await simulated(ProfileText.thermostat, ProfileText.sensor) { (served) async throws in
      try await served.command("advance", #""duration": "1d""#)
      let temperature = try #require(try await served.value("Current Temperature", accessory: "Hall")?.numberValue)
      #expect((20...22).contains(temperature.double), "\(temperature.double)")
      #expect(try await served.value("Battery Level")?.integerValue == 50)
      // The values changed in many steps, not in one.
      #expect(served.events.withLock { $0.count } > 100)
      #expect(try await served.command("list")["time"]?["now"]?.numberValue?.double == 86_400)
      try await served.command("advance", #""duration": "2d""#)
      #expect(try await served.value("Battery Level")?.integerValue == 0)
      #expect(try await served.value("Status Low Battery")?.integerValue == 1)
    }
  }

  @Test("In real time, advance is refused, and the list has the time scale") func running() async throws {
    try await simulated(ProfileText.garage, pace: .running(scale: 50)) { (served) async throws in
      #expect(
        try await served.refusal("advance", #""duration": "1s""#).hasPrefix("not-possible: time is not frozen"))
      #expect(try await served.command("list")["time"]?["scale"]?.numberValue?.double == 50)
    }
  }

  @Test("An action goes to the service that supports it, or is refused") func actions() async throws {
    try await simulated(ProfileText.garage, ProfileText.sensor) { (served) async throws in
      try await served.command("jam", #""accessory": "Garage""#)
      try await served.command(
        "set", #""accessory": "Garage", "characteristic": "LockTargetState", "value": "unsecured""#)
      try await served.command("advance", #""duration": "10s""#)
      #expect(try await served.value("Lock Current State")?.integerValue == 2)
      try await served.command("jam", #""accessory": "Garage", "service": "Lock", "value": false"#)
      try await served.command("battery", #""accessory": "Sensor", "value": 7"#)
      #expect(try await served.value("Battery Level")?.integerValue == 7)
      #expect(try await served.value("Status Low Battery")?.integerValue == 1)
      try await served.command("tamper", #""accessory": "Sensor""#)
      #expect(try await served.value("Status Tampered")?.integerValue == 1)
      try await served.command("tamper", #""accessory": "Sensor", "value": false"#)
      #expect(try await served.value("Status Tampered")?.integerValue == 0)
      for command in ["press", "trigger"] {
        #expect(
          try await served.refusal(command, #""accessory": "Garage""#)
            == "not-possible: this accessory does not support \(command)")
      }
      #expect(
        try await served.refusal("tamper", #""accessory": "Garage", "service": "Door""#).hasPrefix(
          "not-possible: service 1."))
      #expect(
        try await served.refusal("jam", #""accessory": "Garage", "service": "Dor""#).hasPrefix(
          #"no-such-service: there is no service "Dor" here; there are "#))
    }
  }

  @Test("For an accessory behind a bridge, only its own services are considered") func bridged() async throws {
    try await simulated(ProfileText.bridge) { (served) async throws in
      #expect(try await served.refusal("obstruct").hasPrefix("ambiguous: several services can be obstructed"))
      try await served.command("obstruct", #""accessory": "Barn""#)
      #expect(try await served.value("Barn Obstruction Detected")?.boolValue == true)
      #expect(try await served.value("Shed Obstruction Detected")?.boolValue == false)
      try await served.command("obstruct", #""accessory": 3"#)
      #expect(try await served.value("Shed Obstruction Detected")?.boolValue == true)
      #expect(
        try await served.refusal("obstruct", #""accessory": "Desk Lamp""#)
          == #"not-possible: "Desk Lamp" has no service that supports this command"#)
      try await served.command("identify", #""accessory": "Desk Lamp""#)
      #expect(served.events.withLock { $0.last?.kind } == .identified(aid: 2, for: .seconds(3)))
    }
  }

  @Test("An accessory behind a bridge can be offline and online; others are unaffected") func offline() async throws {
    try await simulated(ProfileText.bridge) { (served) async throws in
      func isOnline() async throws -> [Bool?] {
        let list = try await served.command("list")
        return (list["accessories"]?.elements?.first?["bridged"]?.elements ?? []).map { $0["online"]?.boolValue }
      }
      try await served.command("offline", #""accessory": "Shed""#)
      try await served.command("offline", #""accessory": "Shed""#)
      #expect(try await isOnline() == [true, false, true])
      // Only a new profile without the accessory resets this state, a restart doesn't.
      try await served.command("reboot", #""accessory": "Bridge""#)
      #expect(try await isOnline() == [true, false, true])
      try await served.command("online", #""accessory": "shed""#)
      #expect(try await isOnline() == [true, true, true])
      #expect(served.eventNames().filter { $0 == "reachable" }.count == 3)
      let rule = "not-possible: only a bridged accessory can be offline"
      for members in ["", #""accessory": "Bridge""#, #""accessory": 1"#] {
        #expect(try await served.refusal("offline", members).hasPrefix(rule))
      }
    }
    try await simulated(ProfileText.garage) { (served) async throws in
      #expect(try await served.refusal("online").hasPrefix("not-possible: only a bridged accessory"))
    }
  }

  @Test("A command for a whole server is refused for an accessory behind a bridge") func whole() async throws {
    try await simulated(ProfileText.bridge) { (served) async throws in
      for (command, members) in [
        ("radio", #""value": false, "#), ("reboot", ""), ("power-cut", ""), ("factory-reset", ""), ("disconnect", ""),
        ("remove", ""), ("stop", ""), ("replace", #""profile": "x", "#),
      ] {
        #expect(
          try await served.refusal(command, members + #""accessory": "Shed""#)
            == #"not-possible: accessory "Shed" belongs to "Bridge", and this command applies only to the whole bridge: name the bridge"#,
          "\(command)")
      }
      try await served.command("radio", #""value": false, "accessory": 1"#)
    }
  }

  @Test("The radio returns at the same port, which another program may have taken in the meantime")
  func radio() async throws {
    // Another test could take the port while the radio is off.
    let host = try ServedSimulation.ownHost(2)
    try await simulated(ProfileText.garage, host: host) { (served) async throws in
      func port() async throws -> (port: Int128?, radio: Bool?) {
        let entry = try await served.command("list")["accessories"]?.elements?.first
        return (entry?["port"]?.integerValue, entry?["radio"]?.boolValue)
      }
      let before = try await port()
      #expect(before.radio == true)
      for _ in 0..<2 { try await served.command("radio", #""value": false"#) }
      #expect(try await port() == (before.port, false))
      // Commands for the device still work.
      try await served.command("obstruct")
      #expect(try await served.command("disconnect")["connections"]?.integerValue == 0)
      let number = UInt16(before.port ?? 0)
      let listener = OnThread<TCPListener?>(nil)
      try await served.onLoop {
        listener.value = try TCPListener(served.loop, host: host, port: number) { $0.close() }
      }
      #expect(
        try await served.refusal("radio", #""value": true"#)
          == "failed: the radio stays off: port \(number) is in use")
      #expect(try await port() == (before.port, false))
      // It stays off after a reboot, too.
      try await served.command("reboot")
      #expect(try await port() == (before.port, false))
      try await served.onLoop { listener.value?.close() }
      for _ in 0..<2 { try await served.command("radio", #""value": true"#) }
      #expect(try await port() == (before.port, true))
      #expect(served.eventNames().filter { $0 == "radio" }.count == 2)
    }
  }

  @Test("A controller to disconnect must be paired") func disconnect() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      #expect(try await served.command("disconnect")["connections"]?.integerValue == 0)
      #expect(
        try await served.refusal("disconnect", #""controller": "me""#)
          == #"no-such-controller: no controller "me" is paired with "Garage"; none is"#)
    }
    let folder = StateFolder.ephemeral()
    let store = try folder.accessory(key: try AccessoryProfileKey.of(ProfileText.garage))
    try store.upsert(
      Pairing(identifier: Array("Phone".utf8), publicKey: [UInt8](repeating: 1, count: 32), isAdmin: true))
    store.close()
    try await simulated(ProfileText.garage, folder: folder) { (served) async throws in
      #expect(try await served.command("disconnect", #""controller": "Phone""#)["connections"]?.integerValue == 0)
      #expect(
        try await served.refusal("disconnect", #""controller": "phone2""#)
          == #"no-such-controller: no controller "phone2" is paired with "Garage": did you mean "Phone"?"#)
    }
  }

  @Test("A restart keeps stored data and the port", arguments: Restart.allCases) func restart(
    _ restart: Restart
  ) async throws {
    let folder = StateFolder.ephemeral()
    let store = try folder.accessory(key: try AccessoryProfileKey.of(ProfileText.garage))
    try store.upsert(
      Pairing(identifier: Array("Phone".utf8), publicKey: [UInt8](repeating: 1, count: 32), isAdmin: true))
    store.close()
    try await simulated(ProfileText.garage, folder: folder) { (served) async throws in
      let before = try await served.command("list")["accessories"]?.elements?.first
      try await served.command("set", #""characteristic": "TargetDoorState", "value": "open""#)
      try await served.command("advance", #""duration": "3s""#)
      let answer = try await served.command(restart.rawValue)
      let after = try await served.command("list")["accessories"]?.elements?.first
      #expect(after?["port"] == before?["port"] && after?["port"]?.integerValue != 0)
      let isReset = restart == .factoryReset
      #expect((after?["deviceID"]?.stringValue != before?["deviceID"]?.stringValue) == isReset)
      #expect(answer["deviceID"]?.stringValue == (isReset ? after?["deviceID"]?.stringValue : nil))
      #expect(after?["paired"]?.boolValue == !isReset)
      // The device restarted with its stored values: an opening door, or the profile's state. Time continued.
      #expect(try await served.value("Target Door State")?.integerValue == (isReset ? 1 : 0))
      try await served.command("advance", #""duration": "10s""#)
      #expect(try await served.value("Current Door State")?.integerValue == (isReset ? 1 : 0))
      #expect(try await served.command("list")["time"]?["now"]?.numberValue?.double == 13)
      #expect(served.events.withLock { $0.contains { $0.kind == .restarted(restart) } })
    }
  }

  @Test("A restart uses the profile that has replaced the first") func restartAfterReplace() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      served.profiles.withLock {
        $0["new"] = ProfileText.garage.replacing("\"Garage\"", with: "\"Carport\"")
        $0["bad"] = "{}"
      }
      #expect(try await served.command("replace", #""profile": "new""#)["configurationNumber"]?.integerValue == 1)
      #expect(try await served.command("list")["accessories"]?.elements?.first?["name"]?.stringValue == "Garage")
      try await served.command("reboot")
      #expect(try await served.command("list")["accessories"]?.elements?.first?["name"]?.stringValue == "Carport")
      #expect(try await served.refusal("replace", #""profile": "bad""#).hasPrefix("not-possible: bad:1:1"))
    }
  }

  @Test("A power cut keeps the record, and publishes it again under a new name") func record()
    async throws
  {
    let advertiser = RecordedAdvertiser()
    let served = try await ServedSimulation([ProfileText.garage], advertiser: advertiser)
    try await served.command("power-cut")
    try await served.onLoop { advertiser.tell(.seen("Garage")) }
    #expect(served.events.withLock { $0.last?.kind } == .selfCheck(name: "Garage", isVisible: true))
    #expect(try await served.onLoop { advertiser.names } == ["Garage"])
    served.profiles.withLock { $0["new"] = ProfileText.garage.replacing("\"Garage\"", with: "\"Carport\"") }
    try await served.command("replace", #""profile": "new""#)
    try await served.command("power-cut")
    #expect(try await served.onLoop { advertiser.names } == ["Garage", "Carport"])
    try await served.stop()
  }

  @Test("While one replacement is prepared, another replacement and a restart are refused")
  func overlapping() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      served.profiles.withLock { $0["new"] = ProfileText.garage }
      let lines = [
        #"{"command": "replace", "profile": "new"}"#, #"{"command": "replace", "profile": "new"}"#,
        #"{"command": "reboot"}"#,
      ]
      let answers: [String] = await withCheckedContinuation { continuation in
        served.loop.schedule {
          let answers = OnThread<[String]>([])
          for line in lines {
            served.commands.answer(Array(line.utf8)) { answer in
              answers.value.append(answer)
              if answers.value.count == lines.count { continuation.resume(returning: answers.value) }
            }
          }
        }
      }
      #expect(answers.count { $0.contains("is being replaced") } == 2)
      #expect(answers.last?.contains("\"ok\":true") == true, "\(answers)")
      try await served.command("reboot")
    }
  }

  @Test("Commands during a restart are refused, and the accessory returns") func whileRestarting() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      async let back = served.answer(#"{"command": "reboot"}"#)
      // The next commands on the loop: the new run is still being prepared.
      let refusals = try await [
        served.refusal("set", #""characteristic": "TargetDoorState", "value": "open""#), served.refusal("reboot"),
        served.refusal("radio", #""value": false"#), served.refusal("disconnect"), served.refusal("obstruct"),
        served.refusal("replace", #""profile": "x""#),
      ]
      #expect(try await back["ok"]?.boolValue == true)
      // At least the first command came before the restart was done, unless the machine was very quick.
      #expect(
        refusals.allSatisfy { $0 == "carried out" || $0.contains("restarting") || $0.contains("no file") },
        "\(refusals), \(served.events.withLock { $0.map(\.text) })")
      try await served.command("obstruct")
    }
  }

  @Test("Accessories can be added and removed; one added again has its stored data") func addAndRemove() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      served.profiles.withLock {
        $0["hall"] = ProfileText.thermostat
        $0["wrong"] = ProfileText.thermostat.replacing("Thermostat", with: "Thermostatt")
      }
      let added = try await served.command("add", #""profile": "hall""#)
      #expect(added["name"]?.stringValue == "Hall" && added["category"]?.stringValue == "thermostat")
      #expect(added["port"]?.integerValue != 0 && added["setupPayload"]?.stringValue?.hasPrefix("X-HM://") == true)
      #expect(try await served.command("list")["accessories"]?.elements?.count == 2)
      #expect(
        try await served.refusal("obstruct")
          == #"ambiguous: 2 accessories are served ("Garage", "Hall"): select one with "accessory""#)
      #expect(
        try await served.refusal("add", #""profile": "hall""#).hasPrefix(#"not-possible: "Hall" is already running"#))
      #expect(try await served.refusal("add", #""profile": "wrong""#).contains("Thermostatt"))
      #expect(try await served.command("list")["accessories"]?.elements?.count == 2)
      try await served.command("remove", #""accessory": "Hall""#)
      #expect(
        try await served.refusal("remove", #""accessory": "Hall""#)
          == #"no-such-accessory: there is no accessory "Hall"; there are "Garage""#)
      let again = try await served.command("add", #""profile": "hall""#)
      #expect(again["deviceID"] == added["deviceID"] && again["setupCode"] == added["setupCode"])
      for name in ["Garage", "Hall"] { try await served.command("remove", "\"accessory\": \"\(name)\"") }
      #expect(try await served.command("list")["accessories"]?.elements?.isEmpty == true)
      #expect(try await served.refusal("obstruct") == "no-such-accessory: no accessory is served")
      #expect(try await served.refusal("obstruct", #""accessory": "Hall""#).hasSuffix(": none is served"))
      #expect(served.allStopped.withLock { $0 } == 0)
    }
  }

  @Test("A stopped accessory refuses all commands except list and remove") func stopped() async throws {
    try await simulated(ProfileText.garage, ProfileText.sensor) { (served) async throws in
      try await served.command("stop", #""accessory": "Garage""#)
      for (command, members) in [
        ("set", #""characteristic": "On", "value": 1, "#), ("identify", ""), ("press", ""), ("trigger", ""),
        ("obstruct", ""), ("jam", ""), ("tamper", ""), ("battery", #""value": 1, "#), ("offline", ""), ("online", ""),
        ("radio", #""value": true, "#), ("disconnect", ""), ("reboot", ""), ("power-cut", ""), ("factory-reset", ""),
        ("replace", #""profile": "x", "#),
      ] {
        #expect(
          try await served.refusal(command, members + #""accessory": "Garage""#)
            == #"not-possible: "Garage" has stopped"#, "\(command)")
      }
      let list = try await served.command("list", #""accessory": "Garage""#)["accessories"]?.elements
      #expect(list?.first?["running"]?.boolValue == false && list?.first?["port"] == nil)
      #expect(try await served.command("status")["accessories"]?.elements?.count == 2)
      #expect(served.allStopped.withLock { $0 } == 0)
      try await served.command("remove", #""accessory": "Garage""#)
      try await served.command("stop")
      // The stop of all accessories is reported after the answer, on the loop.
      try await served.onLoop {}
      #expect(served.allStopped.withLock { $0 } == 1)
    }
  }

  @Test("For an unknown accessory, the error suggests the nearest name") func names() async throws {
    try await simulated(ProfileText.bridge, ProfileText.garage) { (served) async throws in
      #expect(
        try await served.refusal("identify", #""accessory": "Desk Lmap""#)
          == #"no-such-accessory: there is no accessory "Desk Lmap": did you mean "Desk Lamp"?"#)
      #expect(
        try await served.refusal("identify", #""accessory": 77"#)
          == #"no-such-accessory: there is no accessory 77; there are "Bridge", "Garage""#)
    }
  }
}

/// The key of an accessory in the state folder.
enum AccessoryProfileKey {
  static func of(_ text: String) throws -> String {
    try AccessoryProfile(json: Array(text.utf8), fileName: "profile").key
  }
}
