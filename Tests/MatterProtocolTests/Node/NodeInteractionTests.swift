@testable import MatterController
import HAPTestSupport
import MatterInteraction
import MatterWire
import Testing

@testable import MatterModel
@testable import MatterProtocol

@Suite("A node with the interaction model") struct NodeInteractionTests {
  @Test("The root endpoint has the revisions, privileges and mandatory elements of the catalogue") func catalogue()
    throws
  {
    for description in RootEndpoint.clusters {
      let definition = try #require(ClusterDefinition.all.first { $0.id == description.id })
      let features = definition.features.filter { description.features & $0.mask != 0 }.map(\.code)
      func names(_ numbers: [UInt32], _ elements: [(UInt32, String)]) -> Set<String> {
        Set(elements.filter { numbers.contains($0.0) }.map(\.1))
      }
      let generated = ClusterDescription(
        definition, features: features,
        attributes: names(
          description.attributes.map(\.number), definition.attributes.map { ($0.description.number, $0.name) }),
        commands: names(
          description.commands.map(\.number), definition.commands.map { ($0.description.number, $0.name) }),
        events: names(description.events.map(\.number), definition.events.map { ($0.description.number, $0.name) }))
      #expect(description == generated, "\(definition.name)")
    }
  }

  /// The statuses and first numbers of the answers.
  @Test("The commissioning of the CHIP controller is answered, request by request") func commissioning() throws {
    var bench = try NodeBench()
    bench.establish()
    var server = InteractionServer(seed: 5)
    let requests = try vectorFile("matter").object("interaction").list("requests").filter {
      $0.text("session") == "pase"
    }
    var answers: [InteractionMessage] = []
    for (place, request) in requests.enumerated() {
      let opcode = try #require(request["opcode"] as? Int)
      let actions = server.receive(
        UInt8(opcode), request.bytes("payload"), on: .peer(UInt64(place)),
        from: InteractionPeer(session: 1, subject: NodeBench.commissioner), at: bench.node.now, target: &bench.node)
      bench.take()
      for case .send(let message, _, _) in actions { answers.append(message) }
    }
    #expect(answers.map(\.opcode) == [.report, .report] + Array(repeating: .invokeResponse, count: 7))
    let outcomes = try answers.dropFirst(2).map { try InvokeResponse(decoding: $0.payload).items[0].outcome }
    #expect(outcomes[0].first == 0)
    #expect(outcomes[1].first == 0)
    for (outcome, response) in zip(outcomes[2..<6], [3, 3, 1, 5] as [CommandNumber]) {
      guard case .response(response, _) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
    #expect(outcomes[6] == .status(.success))
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(4))
    #expect(bench.node.failSafe?.root != nil)
  }
}
