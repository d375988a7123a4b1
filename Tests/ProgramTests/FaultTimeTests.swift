import HAPController
import HAPLoop
import HAPMisbehaviour
import HAPModel
import HAPStore
import HAPTransport
import HAPWire
import Testing
import WorldPrograms

/// Checked: these tests fail with the fault left on; with the fault of another controller.
@Suite("Durations of hapsim's faults, in a simulated world") struct FaultTimeTests {
  @Test("Latency delays each answer only while it is active") func latency() throws {
    try withLamp { lamp in
      #expect(try await lamp.readTime() < .milliseconds(10))
      try await lamp.fault("latency:by=700ms")
      let delayed = try await lamp.readTime()
      #expect(delayed >= .milliseconds(700) && delayed < .milliseconds(710))
      try await lamp.fault("latency", isOn: false)
      #expect(try await lamp.readTime() < .milliseconds(10))
    }
  }

  @Test("A fault may apply to a single controller") func oneController() throws {
    try withLamp { lamp in
      let identifier = String(decoding: lamp.pairing.controllerID, as: UTF8.self)
      try await lamp.fault("latency:by=600ms:controller=\(identifier)")
      #expect(try await lamp.readTime() >= .milliseconds(600))
      try await lamp.fault("latency:by=600ms:controller=SOMEBODY-ELSE")
      #expect(try await lamp.readTime() < .milliseconds(10))
    }
  }

  private func withLamp(_ body: @escaping @Sendable (Lamp) async throws -> Void) throws {
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let profile = Laboratory.profiles.appending(path: "light-white.hasaccessory").path
    let program = try ServedProgram(["run", profile], in: laboratory)
    try laboratory.world.run {
      let pairing = try await program.pair()
      let accessory = try await OpenAccessory.open(pairing, on: program.loop, timeout: .seconds(10))
      let database = try await accessory.mirror().database
      let id = try MisbehavingController.first(in: database, "that has events") { $0.perms.contains(.events) }
      try await body(Lamp(program: program, pairing: pairing, accessory: accessory, id: id))
      await accessory.client.close()
      _ = try await program.stop()
    }
    #expect(laboratory.world.foreignJobCount == 0)
  }
}

/// An accessory served by hapsim, and a controller's session with it.
private struct Lamp: Sendable {
  let program: ServedProgram
  let pairing: ControllerPairing
  let accessory: OpenAccessory
  let id: AttributeID

  func fault(_ text: String, isOn: Bool = true) async throws {
    let answer = try await program.perform([
      ("command", .text("fault")), ("fault", .text(text)), ("value", JSONNode(.bool(isOn))),
    ])
    #expect(answer["ok"]?.boolValue == true, "\(answer.compactText)")
  }

  /// The duration of a read.
  func readTime() async throws -> Duration {
    let begin = program.loop.readClock()
    _ = try await accessory.entries(.read([id]))
    return .nanoseconds(Int64(program.loop.readClock() - begin))
  }
}
