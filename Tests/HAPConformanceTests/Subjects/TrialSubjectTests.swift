import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Written values and their subjects") struct TrialSubjectTests {
  /// An accessory whose only service has these characteristics, as members of the database's JSON without `iid`.
  private func view(_ characteristics: String...) throws -> DatabaseView {
    let listed = characteristics.enumerated().map { "{\"iid\":\(10 + $0.offset),\($0.element)}" }
    let text =
      "{\"accessories\":[{\"aid\":1,\"services\":[{\"iid\":9,\"type\":\"43\",\"characteristics\":["
      + listed.joined(separator: ",") + "]}]}]}"
    return try DatabaseView(Array(text.utf8))
  }

  private func found(_ request: String, in view: DatabaseView) throws -> JSONNode? {
    let subject = try Subject(JSONNode.parse(Array(request.utf8)))
    let finding = SubjectFinder(database: view).find(subject, among: { _ in nil })
    if case .found(let value, _) = finding { return value }
    return nil
  }

  private static let on = #""type":"25","format":"bool","perms":["pr","pw","ev"],"value":false"#
  private static let brightness =
    #""type":"8","format":"int","perms":["pr","pw","ev"],"value":100,"minValue":0,"maxValue":100,"minStep":1"#
  private static let hue =
    #""type":"13","format":"float","perms":["pr","pw","ev"],"value":0,"minValue":0,"maxValue":360,"minStep":1"#

  private func text(_ members: String) -> String {
    #""type":"E3","format":"string","perms":["pr","pw"],"value":"Lamp"\#(members)"#
  }

  @Test(
    "\"all\" with \"most\" finds as many subjects as exist, up to the limit",
    arguments: [(1, 1), (2, 2), (9, 3)])
  func most(_ limit: Int, _ expected: Int) throws {
    let view = try view(Self.on, Self.brightness, Self.hue)
    let value = try #require(try found("{\"quiet\":true,\"all\":true,\"most\":\(limit)}", in: view))
    #expect(value.elements?.count == expected)
    #expect(try found(#"{"type":"Volume","all":true,"most":3}"#, in: view) == nil)
    #expect(try found(#"{"type":"Volume","all":true,"most":3,"optional":true}"#, in: view)?.elements?.isEmpty == true)
  }

  @Test("\"except\" excludes types") func except() throws {
    let view = try view(Self.on, Self.brightness)
    #expect(try found(#"{"quiet":true}"#, in: view)?["name"]?.stringValue == "On")
    #expect(try found(#"{"quiet":true,"except":["On"]}"#, in: view)?["name"]?.stringValue == "Brightness")
    #expect(try found(#"{"quiet":true,"except":["On","Brightness"]}"#, in: view) == nil)
  }

  @Test(
    "\"room\" requires text of at least that length; without maxLen, 64 bytes are allowed",
    arguments: [
      ("", 64, true), ("", 65, false), (",\"maxLen\":2", 2, true), (",\"maxLen\":2", 3, false),
    ]) func room(_ members: String, _ room: Int, _ isFound: Bool) throws
  {
    let view = try view(text(members))
    #expect((try found("{\"format\":\"string\",\"room\":\(room)}", in: view) != nil) == isFound)
  }

  @Test("\"room\" excludes numbers") func numbersHaveNoRoom() throws {
    #expect(try found(#"{"room":0}"#, in: view(Self.on, Self.hue)) == nil)
  }

  @Test("hapsim's test types are harmless, and other custom types aren't") func typesForTests() throws {
    func custom(_ type: String) -> String { #""type":"\#(type)","format":"bool","perms":["pr","pw"],"value":false"# }
    #expect(try found(#"{"quiet":true}"#, in: view(custom("E0A00010-6CFD-492D-A5B2-603D9DA7F9D9"))) != nil)
    #expect(try found(#"{"quiet":true}"#, in: view(custom("E0B00010-6CFD-492D-A5B2-603D9DA7F9D9"))) == nil)
    #expect(try found(#"{"quiet":true}"#, in: view(custom("E0A00010-6CFD-492D-A5B2-603D9DA7F9D0"))) == nil)
  }

  @Test("\"other\" and \"another\" are medium values, differ, and aren't the present value") func others() throws {
    let view = try view(Self.on, Self.brightness, Self.hue)
    let flag = try #require(try found(#"{"type":"On"}"#, in: view))
    #expect(flag["other"]?.boolValue == true && flag["another"]?.boolValue == false)
    for type in ["Brightness", "Hue"] {
      let subject = try #require(try found("{\"type\":\"\(type)\"}", in: view))
      let other = try #require(subject["other"]?.numberValue?.double)
      let another = try #require(subject["another"]?.numberValue?.double)
      let most = try #require(subject["maxValue"]?.numberValue?.double)
      #expect(other != another && [other, another].allSatisfy { $0 > 0 && $0 < most }, "\(type): \(other), \(another)")
    }
  }

  @Test(
    "Text that is too long exceeds its limit by one byte",
    arguments: [
      ("", 257), (",\"maxLen\":2", 3), (",\"maxLen\":256", 257),
    ]) func tooLong(_ members: String, _ count: Int) throws
  {
    let subject = try #require(try found(#"{"format":"string"}"#, in: view(text(members))))
    #expect(subject["too-long"]?.stringValue?.utf8.count == count)
  }

  @Test(
    "Data that is too long is generated only if a few KiB suffice",
    arguments: [
      (",\"maxDataLen\":3", 4), (",\"maxDataLen\":16384", nil), ("", nil),
    ] as [(String, Int?)]) func tooMuchData(_ members: String, _ count: Int?) throws
  {
    let data =
      #""type":"E0A00039-6CFD-492D-A5B2-603D9DA7F9D9","format":"data","perms":["pr","pw"],"value":""\#(members)"#
    let subject = try #require(try found(#"{"format":"data"}"#, in: view(data)))
    #expect(subject["too-long"]?.stringValue.flatMap { Base64.decode($0) }?.count == count)
  }

  @Test("With a maxLen of 1, four values still differ") func shortText() throws {
    let subject = try #require(try found(#"{"format":"string"}"#, in: view(text(",\"maxLen\":1"))))
    let values = (subject["values"]?.elements ?? []).compactMap(\.stringValue)
    #expect(Set(values).count == 4 && values.allSatisfy { $0.utf8.count == 1 })
  }

  @Test("A fraction lies between two writable whole numbers; \"whole\" differs from the present value")
  func fractionAndWhole() throws {
    let view = try view(Self.on, Self.brightness, Self.hue)
    let brightness = try #require(try found(#"{"type":"Brightness"}"#, in: view))
    #expect(brightness["fraction"]?.numberValue?.double == 0.5)
    #expect(brightness["whole"]?.integerValue.map { (1...99).contains($0) } == true)
    let hue = try #require(try found(#"{"type":"Hue"}"#, in: view))
    #expect(hue["fraction"] == nil && hue["whole"]?.numberValue?.double != 0)
    let flag = try #require(try found(#"{"type":"On"}"#, in: view))
    #expect(flag["whole"] == nil && flag["fraction"] == nil && flag["room"] == nil)
  }

  @Test("Each path below null is null, so an optional subject may be missing") func pathsBehindNull() throws {
    var scope = Scope()
    scope["none"] = JSONNode(.null)
    #expect(try scope.resolve(.text("${none.id}")).isNull)
    #expect(try scope.resolve(.text("${none[0].values.count}")).isNull)
    scope["some"] = .object([("a", .integer(1))])
    #expect(throws: StepError.self) { try scope.resolve(.text("${some.b}")) }
  }
}
