import HAPLoop
import HAPTestSupport
import HAPTransport
import Testing

@testable import HAPConformance

@Suite("A visit that reads a database") struct DatabaseVisitTests {
  /// - Returns: the error of a visit to `TestHome`, and the number of its pairings afterwards.
  private func look(givingUpInPairSetup isGivenUp: Bool) async throws -> (failure: String?, pairingCount: Int) {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let home = try TestedHome(loop, pairings: [])
        let address = SocketAddress(host: .loopbackV4, port: home.server.port)
        // The interface doesn't exist, so only the address is used.
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

  @Test("A visit leaves no pairing, even if it is cancelled during Pair Setup", arguments: [false, true])
  func leavesNothing(_ isGivenUp: Bool) async throws {
    let (failure, pairingCount) = try await look(givingUpInPairSetup: isGivenUp)
    #expect(failure == (isGivenUp ? "it was cancelled" : nil) && pairingCount == 0)
  }
}
