import HAPDeviations
import HAPLoop
import HAPModel
import HAPWire
import Testing
@testable import HAPCommands
@testable import HAPHost

/// Serves profiles, and always stops afterwards.
private func simulated<T>(
  _ profiles: String..., pace: SimulationClock.Pace = .standing, _ body: (ServedSimulation) async throws -> T
) async throws -> T {
  let served = try await ServedSimulation(profiles, pace: pace)
  do {
    let result = try await body(served)
    try await served.stop()
    return result
  } catch {
    try await served.stop()
    throw error
  }
}

extension ServedSimulation {
  /// The faults of each accessory, as in `status`.
  fileprivate func faults() async throws -> [[String]] {
    try await command("status")["accessories"]?.elements?.map { accessory in
      accessory["faults"]?.elements?.compactMap(\.stringValue) ?? []
    } ?? []
  }
}

@Suite("Fault commands") struct FaultCommandTests {
  @Test("Two accessories with one name have separate faults from the start, and separate commands")
  func sameNames() async throws {
    let twin = ProfileText.garage.replacing("G-1", with: "G-2")
    try await simulated(ProfileText.garage, twin) { (served) async throws in
      let choices = try ["silence", "slow-read:characteristic=CurrentDoorState"].map {
        try FaultLibrary.builtIn.choice($0)
      }
      let problem = await withCheckedContinuation { continuation in
        served.loop.schedule {
          served.commands.begin(choices, at: served.simulation.accessories[1]) { continuation.resume(returning: $0) }
        }
      }
      #expect(problem == nil)
      #expect(try await served.faults() == [[], choices.map(\.text)])
    }
  }

  @Test("A refused fault is named, and the faults after it are not started") func refused() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      let choices = try ["chunked", "slow-read:characteristic=On", "stall"].map { try FaultLibrary.builtIn.choice($0) }
      let problem = await withCheckedContinuation { continuation in
        served.loop.schedule {
          served.commands.begin(choices, at: served.simulation.accessories[0]) { continuation.resume(returning: $0) }
        }
      }
      #expect(problem?.message.hasPrefix("slow-read: ") == true)
      #expect(try await served.faults() == [["chunked"]])
    }
  }

  @Test("An added accessory starts with its profile's faults; if one is impossible, it is not added")
  func added() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      let faults = #""category": "thermostat", "faults": ["chunked", "latency:by=10ms"],"#
      served.profiles.withLock {
        $0["hall"] = ProfileText.thermostat.replacing(#""category": "thermostat","#, with: faults)
        $0["wrong"] = ProfileText.sensor.replacing(
          #""category": "sensor","#, with: #""category": "sensor", "faults": ["slow-read:characteristic=On"],"#)
      }
      try await served.command("add", #""profile": "hall""#)
      #expect(try await served.faults() == [[], ["chunked", "latency:by=10ms"]])
      #expect(try await served.refusal("add", #""profile": "wrong""#).hasPrefix("not-possible: slow-read: "))
      #expect(try await served.command("list")["accessories"]?.elements?.count == 2)
    }
  }

  @Test("A one-shot fault ends when it has happened", arguments: Restart.allCases) func once(_ restart: Restart)
    async throws
  {
    try await simulated(ProfileText.garage) { (served) async throws in
      try await served.command("fault", "\"fault\": \"\(restart.rawValue)\"")
      #expect(try await served.faults() == [[]])
      #expect(served.eventNames().filter { ["fault", "restarted"].contains($0) } == ["fault", "restarted", "fault"])
    }
  }

  @Test("A clock jump performs the changes due in that time") func clockJump() async throws {
    try await simulated(ProfileText.garage, pace: .running(scale: 0.001)) { (served) async throws in
      try await served.command("set", #""characteristic": "TargetDoorState", "value": "open""#)
      #expect(try await served.value("Current Door State")?.integerValue == 2)
      try await served.command("fault", #""fault": "clock-jump:by=1min""#)
      var states: Set<Int128> = []
      for _ in 0..<500 where !states.contains(0) {
        if let state = try await served.value("Current Door State")?.integerValue { states.insert(state) }
      }
      #expect(states.contains(0))
      #expect(try await served.faults() == [[]])
    }
  }

  @Test("A clock jump is refused in a scenario, and the fault doesn't start") func clockJumpRefused() async throws {
    try await simulated(ProfileText.garage, pace: .jumping) { (served) async throws in
      #expect(
        try await served.refusal("fault", #""fault": "clock-jump""#)
          == "not-possible: clock-jump: the scenario controls time")
      #expect(try await served.faults() == [[]])
    }
  }

  @Test("A cyclic fault repeats until it ends, and restores the accessory's state")
  func cycle() async throws {
    try await simulated(ProfileText.garage) { (served) async throws in
      let (turns, continuation) = AsyncStream.makeStream(of: Void.self)
      served.listener.withLock { $0 = { if $0.name == "radio" { continuation.yield() } } }
      try await served.command("fault", #""fault": "flap:off=50ms:on=50ms""#)
      var count = 0
      for await _ in turns {
        count += 1
        if count == 5 { break }
      }
      #expect(count == 5)
      // New parameters replace the first ones.
      try await served.command("fault", #""fault": "flap:off=1h:on=1h""#)
      try await served.command("fault", #""fault": "flap", "value": false"#)
      #expect(try await served.command("status")["accessories"]?.elements?[0]["radio"]?.boolValue == true)
      #expect(try await served.faults() == [[]])
    }
  }

  @Test("If several faults remove stored data at a restart, all of it is removed") func restartChanges() throws {
    let changes = try ["lost-state:what=identity", "shuffled-iids"].compactMap {
      try FaultLibrary.builtIn.choice($0).defect?.restart
    }
    let joined = try #require(RestartChange.joined(changes, by: .powerCut))
    #expect(joined.forgets == [.pairings, .id, .key] && joined.shufflesIDs)
    #expect(RestartChange.joined(changes, by: .factoryReset) == nil)
    #expect(RestartChange.joined([], by: .reboot) == nil)
  }
}
