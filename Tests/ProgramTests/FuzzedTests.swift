import HAPConformance
import HAPController
import HAPFuzzing
import HAPLoop
import HAPStore
import HAPWire
import Testing
import WorldPrograms

@testable import HapctlAccessories

@Suite("haptest fuzz against hapsim, in a simulated world") struct FuzzedTests {
  @Test("hapsim survives, and its state is unchanged", arguments: FuzzArea.allCases)
  func stands(_ area: FuzzArea) throws {
    let (outcome, found) = try fuzz([area])
    let ended = try #require(outcome)
    #expect(ended.finding == nil && ended.leftover == nil && !ended.wasInterrupted)
    #expect(ended.tally.messages > 0)
    // The accessory is unpaired: another controller can pair with it, and reads the same database as from an untouched one.
    let (_, untouched) = try fuzz([])
    #expect(found == untouched && found.contains("\"accessories\""))
  }

  @Test("If the accessory is paired with another controller, areas that need a session are left out")
  func paired() throws {
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let program = try Self.serve(in: laboratory)
    let remarks = Remarks()
    try laboratory.world.run {
      let pairing = try await program.pair()
      var session = try Self.session(of: program, FuzzArea.allCases, rounds: 4)
      let outcome = try await session.run(on: program.loop) { remarks.take($0) }
      #expect(outcome.finding == nil && outcome.leftover == nil)
      session.areas = [.json]
      let refused = session
      await #expect(throws: ConformanceSession.Failure.self) { try await refused.run(on: program.loop) { _ in } }
      #expect(try await Self.database(of: pairing, program).contains("\"accessories\""))
      _ = try await program.stop()
    }
    #expect(remarks.texts.contains { $0.contains("another controller is paired with it; skipped: json, frame") })
    #expect(laboratory.world.foreignJobCount == 0)
  }

  /// - Parameter areas: if empty, the accessory is not fuzzed.
  /// - Returns: the outcome of fuzzing, and the database afterwards, read by another controller.
  private func fuzz(_ areas: [FuzzArea]) throws -> (FuzzSession.Outcome?, database: String) {
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let program = try Self.serve(in: laboratory)
    let result = try laboratory.world.run {
      var outcome: FuzzSession.Outcome?
      if !areas.isEmpty {
        outcome = try await Self.session(of: program, areas, rounds: 12).run(on: program.loop) { _ in }
      }
      let database = try await Self.database(of: try await program.pair(), program)
      _ = try await program.stop()
      return (outcome, database)
    }
    #expect(laboratory.world.foreignJobCount == 0)
    return result
  }

  private static func serve(in laboratory: SimulatedLaboratory) throws -> ServedProgram {
    let profile = Laboratory.profiles.appending(path: "light-colour.hasaccessory").path
    return try ServedProgram(["run", profile, "--setup-code", "031-45-154"], in: laboratory)
  }

  private static func session(
    of program: ServedProgram, _ areas: [FuzzArea], rounds: Int
  ) throws -> FuzzSession {
    var session = FuzzSession(target: .address(try #require(program.place)))
    session.code = "031-45-154"
    session.areas = areas
    session.seed = 2
    session.roundLimit = rounds
    return session
  }

  private static func database(of pairing: ControllerPairing, _ program: ServedProgram) async throws -> String {
    let accessory = try await OpenAccessory.open(pairing, on: program.loop, timeout: .seconds(10))
    let answer = try await accessory.client.request(.accessories)
    await accessory.client.close()
    return String(decoding: answer.body, as: UTF8.self)
  }
}

private final class Remarks: @unchecked Sendable {  // confined to the world's thread
  private(set) var texts: [String] = []
  func take(_ event: FuzzSession.Event) { if case .remark(let text) = event { texts.append(text) } }
}
