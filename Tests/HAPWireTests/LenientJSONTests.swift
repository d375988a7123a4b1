import HAPWire
import Testing

@Suite struct LenientJSONTests {
  private func repaired(_ text: String) -> (text: String, mends: [String]) {
    let (bytes, mends) = LenientJSON.repaired(Array(text.utf8))
    return (String(decoding: bytes, as: UTF8.self), mends.map { "\($0.offset): \($0.message)" })
  }

  @Test(
    "Known mistakes of devices are repaired, and reported with their place",
    arguments: [
      (
        #"{"a":[1,2,],}"#, #"{"a":[1,2 ] }"#,
        ["10: a comma before a closing bracket", "12: a comma before a closing bracket"]
      ),
      ("[1 , \n]", "[1   \n]", ["6: a comma before a closing bracket"]),
      (
        "{\"a\":\"x\ny\u{1}\"}", #"{"a":"x\u000ay\u0001"}"#,
        ["7: a control character inside a string", "9: a control character inside a string"]
      ),
      ("{\"a\":1}\0\0rest", #"{"a":1}"#, []), ("[1,\u{2}2]", "[1,2]", ["3: a control character between values"]),
      (#"["a,]","\",}"]"#, #"["a,]","\",}"]"#, []),
    ])
  func mends(text: String, result: String, told: [String]) throws {
    let repaired = repaired(text)
    #expect(repaired.text == result && repaired.mends == told)
    _ = try JSONNode.parse(Array(repaired.text.utf8))
  }

  @Test("Strict JSON stays unchanged", arguments: ["", "[]", #"{"a":[1,-2.5e3,"\\\"\u00e9",null,true]}"#, "  {} "])
  func strict(text: String) {
    #expect(repaired(text).mends == [])
    #expect(repaired(text).text.trimmingSpaces == text.trimmingSpaces)
  }

  @Test(
    "Irreparable text stays malformed, and the number of reported repairs is limited",
    arguments: ["{", "]", "[,,]", "{a:1}", "\"x"])
  func hopeless(text: String) {
    #expect(throws: JSONError.self) { try JSONNode.parse(Array(repaired(text).text.utf8)) }
    #expect(LenientJSON.repaired([UInt8](repeating: 1, count: 10_000)).mends.count == 16)
  }
}

extension String {
  fileprivate var trimmingSpaces: String { String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
