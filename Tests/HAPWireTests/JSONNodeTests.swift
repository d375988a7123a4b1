@testable import HAPWire
import HAPTestSupport
import Testing

private func parse(_ text: String) throws(JSONError) -> JSONNode { try JSONNode.parse(utf8(text)) }

private func problem<T>(_ body: () throws(JSONProblem) -> T) -> JSONProblem? {
  do throws(JSONProblem) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

struct JSONNodeTests {
  @Test("Each value has its path, line and column, counted in characters")
  func places() throws {
    let node = try parse("{\n  \"näme\": \"é\", \"list\": [1,\r\n    {\"deep\": true}]\n}")
    #expect(node["näme"]?.place == JSONPlace(line: 2, column: 11))
    #expect(node["list"]?.place == JSONPlace(line: 2, column: 24))
    let deep = try #require(node["list"]?.elements?[1]["deep"])
    #expect(deep.place == JSONPlace(line: 3, column: 14))
    #expect(deep.path.description == "list[1].deep")
    #expect(node.members?[1].place == JSONPlace(line: 2, column: 16))
    #expect(node.path.description == "")
  }

  @Test("Members keep their order")
  func order() throws {
    #expect(try parse(#"{"z":1,"a":2,"m":3}"#).members?.map(\.name) == ["z", "a", "m"])
  }

  @Test("A duplicate member is an error, even with another escape spelling")
  func duplicates() {
    #expect(throws: JSONError(place: JSONPlace(line: 1, column: 8), message: "\"a\" occurs twice in one object")) {
      try parse(#"{"a":1,"a":2}"#)
    }
    #expect(throws: JSONError.self) { try parse(#"{"a":1,"\u0061":2}"#) }
    #expect(throws: Never.self) { try parse(#"[{"a":1},{"a":{"a":1}}]"#) }
  }

  @Test("A comment is refused with a hint to write an x- member")
  func comments() {
    let error = #expect(throws: JSONError.self) { try parse("{\n  // no\n  \"a\": 1\n}") }
    #expect(error?.place == JSONPlace(line: 2, column: 3))
    #expect(error?.message.contains("x-") == true)
  }

  @Test("Integers and fractions are distinct")
  func numbers() throws {
    let list = try #require(try parse("[1, 1.0, 1e2, -5, 1e999]").elements)
    #expect(list.map(\.integerValue) == [1, nil, nil, -5, nil])
    #expect(list.map(\.numberValue?.double) == [1, 1, 100, -5, .infinity])
    #expect(list[1].numberValue?.text == "1.0")
    #expect(problem { () throws(JSONProblem) in try list[4].asDouble() } != nil)
  }

  @Test("A wrong kind is a problem with path, place and both kinds")
  func kinds() throws {
    let node = try parse(#"{"a": [1, "x"], "b": null}"#)
    #expect(
      problem { () throws(JSONProblem) in try node.string("a") }
        == JSONProblem(path: "a", place: JSONPlace(line: 1, column: 7), message: "a string is expected, not a list"))
    #expect(problem { () throws(JSONProblem) in try node.string("c") }?.message == "\"c\" is missing")
    #expect(
      problem { () throws(JSONProblem) in try node["b"]!.asBool() }?.message == "true or false is expected, not null")
    #expect(
      problem { () throws(JSONProblem) in try node.list("a") { (e) throws(JSONProblem) in try e.asInteger(in: 0...9) } }
        == JSONProblem(
          path: "a[1]", place: JSONPlace(line: 1, column: 11), message: "an integer is expected, not a string"))
    #expect(
      problem { () throws(JSONProblem) in try node["a"]!.elements![0].asInteger(in: 2...9) }?.message
        == "1 is not in 2...9")
    #expect(
      problem { () throws(JSONProblem) in try node["a"]!.asObject() }?.message == "an object is expected, not a list")
    #expect(try node.optionalString("zz") == nil)
    #expect(try node.list("zz").isEmpty)
    #expect(try node.bool("zz", default: true))
  }

  @Test("All unknown members are reported, with suggestions; x- ones are allowed")
  func unknownMembers() throws {
    let node = try parse(#"{"nmae": 1, "x-note": 2, "frobnicate": 3, "name": 4}"#)
    let problems = node.unknownMembers(except: ["name", "services"])
    #expect(problems.map(\.path) == ["nmae", "frobnicate"])
    #expect(problems[0].message == "there is no member \"nmae\" here: did you mean \"name\"?")
    #expect(problems[1].message == "there is no member \"frobnicate\" here")
    #expect(problems[1].place == JSONPlace(line: 1, column: 26))
    #expect(problem { () throws(JSONProblem) in try node.refuseUnknownMembers(except: ["name"]) } == problems[0])
    #expect(
      problem { () throws(JSONProblem) in try node.refuseUnknownMembers(except: ["name", "nmae", "frobnicate"]) } == nil
    )
  }

  @Test("Did you mean: similar names are found, others are not")
  func nearest() {
    let names = ["manufacturer", "model", "name", "services", "bridgedAccessories"]
    #expect(nearestName(to: "manufactuer", in: names) == "manufacturer")
    #expect(nearestName(to: "Model", in: names) == "model")
    #expect(nearestName(to: "sevrices", in: names) == "services")
    #expect(nearestName(to: "bridgedAccesories", in: names) == "bridgedAccessories")
    #expect(nearestName(to: "colour", in: names) == nil)
    #expect(nearestName(to: "", in: names) == nil)
    #expect(nearestName(to: String(repeating: "a", count: 10_000), in: names) == nil)
    #expect(nearestName(to: "ab", in: ["ba"]) == "ba")
  }

  @Test("Any tree is read back as it was written", arguments: 0..<60 as Range<UInt64>)
  func roundTrip(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tree = randomNode(&random, depth: 5)
    var buffer = ByteBuffer()
    buffer.appendJSON(tree)
    let read = try JSONNode.parse(buffer.bytes)
    var again = ByteBuffer()
    again.appendJSON(read)
    #expect(again.bytes == buffer.bytes)
    #expect(strip(read) == strip(tree))
  }

  private func strip(_ node: JSONNode) -> JSONNode {
    switch node.kind {
    case .array(let elements): JSONNode(.array(elements.map(strip)))
    case .object(let members):
      JSONNode(
        .object(members.map { .init(name: $0.name, place: JSONPlace(line: 1, column: 1), value: strip($0.value)) }))
    default: JSONNode(node.kind)
    }
  }

  private func randomNode(_ random: inout SeededGenerator, depth: Int) -> JSONNode {
    func text() -> String {
      String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 0..<8, using: &random)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0..<(Bool.random(using: &random) ? 0x80 : 0x11_0000), using: &random))
          }))
    }
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
    case 0: return JSONNode(.null)
    case 1: return JSONNode(.bool(Bool.random(using: &random)))
    case 2:
      let number = Int128(Int64(bitPattern: random.next()))
      return JSONNode(
        .number(.init(text: "\(number)", isInteger: true, integer: number, double: Double(number))))
    case 3:
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { return JSONNode(.null) }
      let text = "\(double)"
      return JSONNode(.number(.init(text: text, isInteger: false, integer: nil, double: double)))
    case 4: return JSONNode(.string(text()))
    case 5: return JSONNode(.array((0..<3).map { _ in randomNode(&random, depth: depth - 1) }))
    default:
      let names = Set((0..<3).map { _ in text() })
      return JSONNode(
        .object(
          names.map {
            .init(name: $0, place: JSONPlace(line: 1, column: 1), value: randomNode(&random, depth: depth - 1))
          }))
    }
  }
}
