import HAPSuite
import Testing

@testable import HAPConformance
@testable import HAPFuzzing

@Suite("How malformed messages are sent", .timeLimit(.minutes(10))) struct FuzzDeliveryTests {
  @Test("Behind a message that ends the connection in good order it ends so") func ending() async throws {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        let device = TestedAccessory(on: loop, addresses: [peer.address], code: nil, random: .seeded(1))
        let run = CaseRun(
          Keeper.definition, on: device, world: CaseWorld(), recorder: Recorder(on: loop, start: device.start),
          expectations: NamedExpectations(),
          random: .seeded(2))
        var message = FuzzMessage(.plain, Array("GET".utf8))
        message.ending = .fin
        peer.onBytes = { peer, number, _ in
          peer.say("HTTP/1.1 204 No Content\r\n\r\n", on: number)
        }
        _ = try await run.deliver(message, patience: .seconds(20))
        try await wait(on: loop) { peer.endCount > 0 }
        #expect(peer.resetCount == 0 && peer.heard == [Array("GET".utf8)])
      }
    }
  }

  @Test("Proofs are spent once on an accessory that nobody starts again") func proofs() {
    let proof = [FuzzMessage(.plain, []), FuzzMessage(.proof, [])]
    #expect(FuzzSession.spendsProofs(proof, command: nil))
    #expect(!FuzzSession.spendsProofs(proof, command: "hapsim run x"))
    #expect(!FuzzSession.spendsProofs([FuzzMessage(.exchange, [])], command: nil))
  }
}
