import HAPSuite
import Testing

@testable import HAPConformance
@testable import HAPFuzzing

@Suite("Delivery of malformed messages") struct FuzzDeliveryTests {
  @Test("If a message ends with FIN, the connection is closed without a reset") func ending() async throws {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        let device = TestedAccessory(on: loop, addresses: [peer.address], code: nil, random: .seeded(1))
        let run = CaseRun(
          PairingManager.definition, on: device, world: CaseWorld(), recorder: Recorder(on: loop, start: device.start),
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

  @Test("Without a start command, an accessory's wrong-code tries are never restored") func proofs() {
    let proof = [FuzzMessage(.plain, []), FuzzMessage(.proof, [])]
    #expect(FuzzSession.spendsProofs(proof, command: nil))
    #expect(!FuzzSession.spendsProofs(proof, command: "hapsim run x"))
    #expect(!FuzzSession.spendsProofs([FuzzMessage(.exchange, [])], command: nil))
  }
}
