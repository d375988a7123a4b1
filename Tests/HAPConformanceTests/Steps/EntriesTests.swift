import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Steps: entries and ids") struct EntriesTests {
  private func node(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8)) }

  private func problem(_ body: String, _ patterns: String) throws -> String? {
    let answer = JSONNode.object([("entries", try node(patterns))])
    guard case .entries(let entries, let isWhole, _) = try AnswerPattern(answer).parts.first else {
      return "no entries"
    }
    return try AnswerComparison.entriesProblem(node(body), entries, isWhole: isWhole)
  }

  private let two = #"{"characteristics":[{"aid":2,"iid":9,"value":1},{"aid":1,"iid":3,"value":"a"}]}"#

  @Test("Ids are texts, found objects, and lists of either; null adds no id")
  func ids() throws {
    let found = #"{"kind":"characteristic","id":"2.9"}"#
    #expect(Scope.ids(try node(#""1.3""#)) == ["1.3"])
    #expect(Scope.ids(try node(found)) == ["2.9"])
    #expect(Scope.ids(try node(#"["1.3",["# + found + #",null],[]]"#)) == ["1.3", "2.9"])
  }

  @Test("An id that is a list requires one entry for each of its ids, in any order")
  func lists() throws {
    #expect(try problem(two, #"[{"id":["1.3","2.9"],"value":"$present"}]"#) == nil)
    #expect(try problem(two, #"[{"id":[{"id":"1.3"}]},{"id":"2.9","value":1}]"#) == nil)
    #expect(try problem(two, #"[{"id":["1.3","2.9"]},{"id":[]}]"#) == nil)
  }

  @Test(
    "A missing, different, duplicate or unexpected entry of a list is a problem",
    arguments: [
      #"[{"id":["1.3","2.9","2.10"]}]"#, #"[{"id":["1.3","2.9"],"value":1}]"#, #"[{"id":["1.3"]}]"#,
      #"[{"id":["1.3","2.9","2.9"]}]"#, #"[{"id":[]}]"#,
    ])
  func wrongLists(_ patterns: String) throws { #expect(try problem(two, patterns) != nil) }
}
