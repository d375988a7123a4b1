import HAPWire
import HAPYAML
import Testing

@testable import HAPSuite

@Suite("The cost of a case")
struct CaseCostTests {
  private func cost(_ steps: String, lines: String = "") throws -> CaseCost {
    let text = """
      area: tiny
      title: Tiny
      cases:
        - { id: AA-01, name: first, requirement: r, level: must, section: s, \(lines) steps: [\(steps)] }
      """
    let (suite, problems) = SuiteReader.read(try JSONNode.yaml(Array(text.utf8)), file: "tiny.yaml")
    #expect(problems.map(\.message) == [])
    return CaseCost(try #require(suite.cases.first))
  }

  @Test(
    "Waits are added up, wherever they are",
    arguments: [
      ("{ wait: 2s }", 2000), ("{ wait: 2s }, { wait: 300ms }", 2300), ("{ silence: { for: 3s } }", 3000),
      ("{ events: { for: 1s, save: { x: count } } }", 1000),
      ("{ repeat: { times: 3, every: 100ms, steps: [{ wait: 1s }] } }", 3300),
      ("{ repeat: { times: 100, every: 100ms, until: { that: 1, is: 1 }, steps: [{ wait: 10ms }] } }", 10),
      ("{ try: { steps: [{ wait: 1s }], always: [{ wait: 2s }] } }", 3000),
      ("{ if: { that: true, then: [{ wait: 1s }], else: [{ wait: 2s }] } }", 3000),
      ("{ together: [[{ wait: 1s }], [{ wait: 2s }]] }", 3000), ("{ finally: [{ wait: 1s }] }", 1000),
      ("{ each: { in: [1], as: x, steps: [{ wait: 1s }] } }", 1000), ("{ alive: true }", 0),
      (
        "{ repeat: { times: 1000000, steps: [{ repeat: { times: 1000000, steps: [{ repeat: { times: 1000000, steps: [{ repeat: { times: 1000000, steps: [{ wait: 10y }] } }] } }] } }] } }",
        1_000_000_000_000
      ),
    ])
  func waits(_ steps: String, _ milliseconds: Int) throws {
    #expect(try cost(steps).waits == .milliseconds(milliseconds))
  }

  @Test("Pair Setups count from M3 on, for each variant")
  func pairSetups() throws {
    #expect(try cost("{ pair: main }").pairSetups == 1)
    #expect(try cost("{ pair: { until: M2 } }").pairSetups == 0)
    #expect(try cost("{ send: { setup: M1 } }, { send: { setup: M3 } }").pairSetups == 1)
    #expect(try cost("{ pair: main }", lines: "variants: [{ name: a }, { name: b }],").pairSetups == 2)
  }
}
