import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Collected values") struct CollectedValuesTests {
  private func list(_ numbers: [Double]) -> JSONNode { .list(numbers.map { .number($0) }) }

  private static let samples: [(numbers: [Double], median: Double, p99: Double)] = [
    ([5], 5, 5), ([3, 1, 2], 2, 3), ([4, 3, 2, 1], 2, 4), ((1...100).map { Double($0) }, 50, 99),
    ((1...200).reversed().map { Double($0) }, 100, 198),
  ]

  @Test("The median and the 99th percentile are elements of the list", arguments: samples)
  func quantiles(numbers: [Double], median: Double, p99: Double) {
    #expect(list(numbers).at(".median")?.numberValue?.double == median)
    #expect(list(numbers).at(".p99")?.numberValue?.double == p99)
  }

  @Test("A list without numbers has no median") func none() {
    #expect(list([]).at(".median") == nil)
    #expect(JSONNode.list([.text("a")]).at(".p99") == nil)
    #expect(JSONNode.text("a").at(".median") == nil)
  }

  @Test("A member named median takes precedence") func memberWins() {
    #expect(JSONNode.object([("median", .integer(7))]).at(".median")?.integerValue == 7)
  }

  @Test("A limit may be a multiple of a value") func factor() throws {
    let atMost = JSONNode.object([("$max", .integer(10)), ("$factor", .integer(3))])
    #expect(try Pattern.mismatch(.integer(30), atMost) == nil)
    #expect(try Pattern.mismatch(.integer(31), atMost)?.contains("3 times 10") == true)
    let atLeast = JSONNode.object([("$factor", .number(0.5)), ("$min", .integer(10))])
    #expect(try Pattern.mismatch(.integer(5), atLeast) == nil)
    #expect(try Pattern.mismatch(.integer(4), atLeast) != nil)
    #expect(throws: StepError.self) {
      try Pattern.mismatch(.integer(1), .object([("$max", .integer(1)), ("$factor", .object([]))]))
    }
  }
}
