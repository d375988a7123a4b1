import Foundation
import HAPSimulator
import Testing

private let isOutsiderExpected = ProcessInfo.processInfo.environment["HAPSIM_LIBRARY_OUTSIDER"] != nil

/// An accessory of the library's meets a controller that others wrote: Tests/Interop/test_library.py brings it, and starts this test.
@Suite("The library: a controller from outside", .enabled(if: isOutsiderExpected)) struct OutsiderTests {
  @Test("It is found, paired with, subscribed to, written, and told of the door's way while virtual time is advanced")
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
