import HAPWorld
import Testing

@Suite("Limits of a run in a simulated world") struct WorldLimitTests {
  @Test("A body that polls without advancing time ends with an error") func spinning() async throws {
    let world = SimulatedWorld(seed: 1)
    var limits = WorldLimits()
    limits.steps = 1000
    let error = await #expect(throws: WorldError.self) {
      try await world.runApart(limits, atEnd: { $0 }) { while !Task.isCancelled { await Task.yield() } }
    }
    guard case .spinning(1, .zero) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
