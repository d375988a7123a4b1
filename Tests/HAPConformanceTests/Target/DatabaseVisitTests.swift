import HAPLoop
import HAPTestSupport
import HAPTransport
import Testing

@testable import HAPConformance

@Suite("A look at a database", .timeLimit(.minutes(10))) struct DatabaseVisitTests {
  /// - Returns: what came of a look at `TestHome`, and how many are paired with it then.
  private func look(givingUpInPairSetup isGivenUp: Bool) async throws -> (failure: String?, pairingCount: Int) {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let home = try TestedHome(loop, pairings: [])
        let address = SocketAddress(host: .loopbackV4, port: home.server.port)
        // No such interface: it goes by its address alone.
        let visit = DatabaseVisit(target: .address(address), code: TestHome.code, interfaces: ["none"])
        let task = Task { try await visit.read(on: loop, random: loop.random) }
        if isGivenUp { home.onStore = { task.cancel() } }
        var failure: String?
        do { _ = try await task.value } catch {
          failure = (error as? ConformanceSession.Failure)?.message ?? "\(error)"
        }
        let count = home.pairings.count
        home.server.stop(withReset: true)
        return (failure, count)
      }
    }
  }

  @Test("It leaves no pairing behind, even if it is given up in the middle of Pair Setup", arguments: [false, true])
  func leavesNothing(_ isGivenUp: Bool) async throws {
    let (failure, pairingCount) = try await look(givingUpInPairSetup: isGivenUp)
    #expect(failure == (isGivenUp ? "it was cancelled" : nil) && pairingCount == 0)
  }
}
