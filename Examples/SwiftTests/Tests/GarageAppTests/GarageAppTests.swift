import HAPSimulator
import Testing

@Suite("The app and the garage door") struct GarageAppTests {
  /// Serves the simulated door in this process. Simulated time is frozen until a test advances it.
  let simulator: Simulator
  let door: RunningAccessory
  let app: GarageApp

  init() async throws {
    simulator = try await Simulator()
    door = try await simulator.start(
      .json(
        """
        { "format": "hasaccessory/1", "name": "Garage", "category": "garage-door-opener",
          "services": [ { "type": "GarageDoorOpener", "name": "Garage Door", "behaviour": { "travelTime": "12s" } } ] }
        """))
    app = try await GarageApp(pairingWith: door)
  }

  @Test("The app pairs as an admin") func pairing() async throws {
    let paired = try await door.expect(.paired)
    #expect(try await door.pairings.map(\.name) == [paired.controller])
    #expect(try await door.pairings[0].isAdmin)
  }

  @Test("The app opens the door, which takes 12 s") func opening() async throws {
    try await app.openDoor()
    try await door.written("TargetDoorState", "open")

    try await simulator.advance(by: .seconds(6))
    #expect(try await door.word(of: "CurrentDoorState") == "opening")
    #expect(try await app.doorState().contains("opening"))

    try await simulator.advance(by: .seconds(6))
    #expect(try await door.word(of: "CurrentDoorState") == "open")
    #expect(try await app.doorState().contains("open"))
  }

  @Test("The app is notified when the door is opened by hand") func byHand() async throws {
    async let heard = app.nextDoorState()
    try await door.expect(.subscribed, of: "CurrentDoorState")
    try await door.set("TargetDoorState", to: "open")
    #expect(try await heard.contains("opening"))
    try await door.expect(.told, of: "CurrentDoorState", "opening")
  }

  @Test("An obstruction stops the door") func obstruction() async throws {
    try await app.openDoor()
    try await simulator.advance(by: .seconds(12))
    try await app.closeDoor()
    try await simulator.advance(by: .seconds(3))
    try await door.obstruct()
    try await door.becomes("ObstructionDetected", true)
    #expect(try await door.word(of: "CurrentDoorState") != "closing")
  }

  @Test("The app works with a slow network, and with a door after a power cut") func trouble() async throws {
    try await door.switchOn(fault: "latency:by=300ms")
    try await app.openDoor()
    try await door.written("TargetDoorState", "open")
    try await door.switchOff(fault: "latency")

    try await door.restart(.powerCut)
    try await app.closeDoor()
    try await door.written("TargetDoorState", "closed")
  }

  @Test("The error of an unmet expectation has the expectation and the actual events") func failure() async throws {
    try await app.openDoor()
    let error = await #expect(throws: SimulatorError.self) {
      try await door.written("TargetDoorState", "closed", within: .milliseconds(50))
    }
    #expect(error?.code == .unmet)
    #expect(error?.message.contains("a controller writes Target Door State") == true)
    #expect(error?.events.contains { $0.kind == .wrote && $0.word == "open" } == true)
  }
}
