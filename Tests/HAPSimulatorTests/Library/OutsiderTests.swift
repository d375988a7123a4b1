import Foundation
import HAPSimulator
import Testing

private let isOutsiderExpected = ProcessInfo.processInfo.environment["HAPSIM_LIBRARY_OUTSIDER"] != nil

/// Tests an accessory of the library with a foreign controller: Tests/Interop/test_library.py starts this test.
@Suite("The library: a foreign controller", .enabled(if: isOutsiderExpected)) struct OutsiderTests {
  @Test("It finds, pairs, subscribes and writes, and is notified of the door's states while virtual time is advanced")
  func outsider() async throws {
    let patience = Duration.seconds(30)
    let simulator = try await Simulator(network: .interfaces("lo"))
    let door = try await simulator.start(
      .json(
        """
        { "format": "hasaccessory/1", "name": "Library Door", "category": "garage-door-opener",
          "deviceID": "5E:7A:11:0C:3B:2D", "setupCode": "031-45-154",
          "services": [ { "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "1h" } } ] }
        """))
    let controller = try await door.expect(.paired, within: patience).controller
    try await door.expect(.subscribed, of: "CurrentDoorState", by: controller, within: patience)
    let write = try await door.written("TargetDoorState", "open", by: controller, within: patience)
    #expect(write.word == "open")
    try await door.expect(.told, of: "CurrentDoorState", "opening", by: controller, within: patience)
    try await simulator.advance(by: .seconds(3600))
    try await door.expect(.told, of: "CurrentDoorState", "open", by: controller, within: patience)
    try await door.expect(.unpaired, by: controller, within: patience)
    #expect(try await door.pairings.isEmpty)
    await simulator.stop()
  }
}
