import HAPHome
import HAPWire
import Testing

@testable import HAPHubLink

@Suite("Lines of the hub's socket")
struct HubLineTests {
  /// Checks that bytes are one line, and returns it without its line end.
  private static func line(_ bytes: [UInt8]) -> [UInt8] {
    #expect(bytes.last == 0x0A && bytes.count { $0 == 0x0A } == 1 && !bytes.contains(0x0D))
    return bytes.dropLast()
  }

  private static func members(_ line: [UInt8]) throws -> [String] {
    try JSONNode.parse(line, depthLimit: 128).asObject().map(\.name)
  }

  /// Checks that lines have the members of the table: required ones always, and each optional one sometimes.
  private static func check(_ seen: [[String]], _ form: [HubMember], _ head: [String]) {
    let names = head + form.map(\.name)
    for members in seen {
      #expect(members.filter(names.contains) == members)
      #expect(names.filter(members.contains) == members, "the order is that of the table")
      for member in form where !member.isOptional { #expect(members.contains(member.name)) }
    }
    for member in form {
      #expect(seen.contains { $0.contains(member.name) }, "\(member.name)")
      if member.isOptional { #expect(seen.contains { !$0.contains(member.name) }, "\(member.name)") }
    }
  }

  @Test("Each request is read as it was written, and has the members of the table", arguments: HubRequestName.allCases)
  func requests(_ name: HubRequestName) throws {
    var random = HubRandom(seed: 1)
    var seen: [[String]] = []
    for _ in 0..<100 {
      let id = random.pick([0, 1, HubRequestLine.greatestID])
      let written = HubRequestLine(id: id, random.request(name))
      #expect(written.request.name == name)
      let line = Self.line(written.bytes)
      #expect(try HubRequestLine(line) == written)
      seen.append(try Self.members(line))
    }
    Self.check(seen, name.form.members, ["id", "request"])
  }

  @Test("Each answer is read as it was written, and has the members of the table", arguments: HubAnswerName.allCases)
  func answers(_ name: HubAnswerName) throws {
    var random = HubRandom(seed: 2)
    var seen: [[String]] = []
    for _ in 0..<60 {
      let answer = random.answer(name)
      #expect(answer.name == name)
      let written = HubMessage.answer(id: 7, .success(answer))
      let line = Self.line(written.bytes)
      #expect((try HubMessage(line) == written) as Bool, "\(String(decoding: line.prefix(300), as: UTF8.self))")
      seen.append(try Self.members(line))
    }
    Self.check(seen, name.form.members, ["id", "answer"])
  }

  @Test("Each event is read as it was written, and has the members of the table", arguments: HubEventName.allCases)
  func events(_ name: HubEventName) throws {
    var random = HubRandom(seed: 3)
    var seen: [[String]] = []
    for _ in 0..<100 {
      let event = random.event(name)
      #expect(event.name == name)
      let line = Self.line(HubMessage.event(event).bytes)
      #expect((try HubMessage(line) == .event(event)) as Bool, "\(String(decoding: line.prefix(300), as: UTF8.self))")
      seen.append(try Self.members(line))
    }
    Self.check(seen, name.form.members, ["event"])
  }

  @Test("The first line and errors are read as they were written")
  func others() throws {
    var random = HubRandom(seed: 4)
    for _ in 0..<200 {
      let error = HubMessage.answer(id: random.optional { UInt64($0.number(0...9)) }, .failure(random.error()))
      #expect(try HubMessage(Self.line(error.bytes)) == error)
    }
    #expect(try HubMessage(Array(#"{"protocol":1}"#.utf8)) == .hello(version: 1))
    #expect(HubMessage.hello(version: 1).bytes == Array("{\"protocol\":1}\n".utf8))
  }

  @Test(
    "A line that is read and written again has the same text: members have one order, and numbers one form",
    arguments: [
      #"{"id":7,"answer":"values","values":[{"characteristic":"\#(id)","value":20.5},{"characteristic":"\#(id)","error":{"code":4,"message":"no"}}]}"#,
      #"{"event":"values","values":[{"characteristic":"\#(id)","value":null},{"characteristic":"\#(id)","value":7.0},{"characteristic":"\#(id)","value":{"base64":"AQ=="}}],"catchUp":true}"#,
      #"{"id":null,"error":{"code":31,"rule":"N2","message":"é"}}"#,
      #"{"id":9007199254740991,"answer":"executed","result":{"actions":[\#(action),{"action":{"characteristic":"\#(id)","value":-1},"outcome":"refused","status":-70410,"error":{"code":3,"message":"no"}}],"skipped":[{"actionSet":"\#(id)","error":{"code":11,"message":"no"}}],"error":{"code":64,"message":"no"}}}"#,
      #"{"event":"executed","result":{"actions":[\#(action)]},"actionSets":["\#(id)"],"trigger":"\#(id)","app":"a"}"#,
    ])
  func texts(_ text: String) throws {
    #expect(String(decoding: try HubMessage(Array(text.utf8)).bytes, as: UTF8.self) == text + "\n")
  }

  private static let action =
    #"{"actionSet":"\#(id)","action":{"characteristic":"\#(id)","value":true},"outcome":"done"}"#

  @Test("The tables have a row for each name")
  func tables() {
    #expect(HubRequestName.all.map(\.name) == HubRequestName.allCases)
    #expect(HubAnswerName.all.map(\.name) == HubAnswerName.allCases)
    #expect(HubEventName.all.map(\.name) == HubEventName.allCases)
  }

  // MARK: Mistakes

  private static func refusal(_ text: String) -> HubRequestLine.Refusal? {
    do throws(HubRequestLine.Refusal) {
      _ = try HubRequestLine(Array(text.utf8))
      return nil
    } catch {
      #expect(error.error.code == .invalidParameter && error.error.rule == nil)
      return error
    }
  }

  private static let id = "00000000-0000-4000-8000-000000000001"

  @Test(
    "A request with a mistake is refused with its number, the place and what to write",
    arguments: [
      ("", nil, "not JSON: "), ("{", nil, "not JSON: "), ("[]", nil, "an object is expected"),
      ("null", nil, "an object"),
      (#"{"id":1,"id":2,"request":"status"}"#, nil, "not JSON: "), (#"{"request":"status"}"#, nil, "\"id\" is missing"),
      (#"{"id":-1,"request":"status"}"#, nil, "id: -1 is not in 0...9007199254740991 (at 1:7)"),
      (#"{"id":9007199254740992,"request":"status"}"#, nil, "is not in"),
      (#"{"id":1.0,"request":"status"}"#, nil, "id: an integer is expected"),
      (#"{"id":"1","request":"status"}"#, nil, "id: an integer is expected"),
      (#"{"id":3}"#, 3, "\"request\" is missing"), (#"{"id":3,"request":"stat"}"#, 3, "did you mean \"status\"?"),
      (#"{"id":3,"request":4}"#, 3, "request: a request is expected"),
      (#"{"id":3,"request":"status","extra":1}"#, 3, "there is no member \"extra\""),
      (#"{"id":3,"request":"attach"}"#, 3, "\"app\" is missing"),
      (#"{"id":3,"request":"attach","app":""}"#, 3, "1 to 64 characters"),
      (#"{"id":3,"request":"attach","app":"a\u001b[31m"}"#, 3, "no control characters"),
      (#"{"id":3,"request":"perform","command":{"command":"add-rom"}}"#, 3, "command.command: there is no command"),
      (#"{"id":3,"request":"execute","actionSets":["x"]}"#, 3, "actionSets[0]: the identifier of an action set"),
      (#"{"id":3,"request":"execute","actionSets":{}}"#, 3, "a list is expected"),
      (
        #"{"id":3,"request":"write","home":"\#(id)","actions":[{"characteristic":"\#(id)"}]}"#, 3,
        "\"value\" is missing"
      ),
      (
        #"{"id":3,"request":"write","home":"\#(id)","actions":[{"characteristic":"\#(id)","value":1},{"characteristic":"\#(id)","value":1}]}"#,
        3, "actions[1]: the characteristic \(id) occurs twice"
      ),
      (#"{"id":3,"request":"place","person":{"user":"\#(id)","place":"out"}}"#, 3, "person.place: "),
      (#"{"id":3,"request":"identify-new","device":"AA:BB"}"#, 3, "device: a device ID"),
      (#"{"id":3,"request":"add","home":"\#(id)","code":3}"#, 3, "code: a string is expected"),
      (#"{"id":3,"request":"remove","accessory":"\#(id)","forgets":1}"#, 3, "forgets: true or false"),
    ] as [(String, UInt64?, String)])
  func wrongRequests(_ text: String, _ id: UInt64?, _ message: String) throws {
    let refusal = try #require(Self.refusal(text))
    #expect(refusal.id == id)
    #expect(refusal.error.message.contains(message), "\(refusal.error.message)")
    #expect(refusal.error.message.contains("(at 1:"))
  }

  @Test(
    "A member of an adoption with a mistake is refused",
    arguments: [
      ("accessoryKey", #""AAAA""#, "32 bytes are expected, not 3"), ("controllerSeed", #""!""#, "base64"),
      ("controllerID", #""""#, "1 to 36 bytes"),
      ("controllerID", "\"\(String(repeating: "x", count: 37))\"", "1 to 36"),
      ("addresses", "[1]", "a string is expected"),
      ("addresses", "[\((0..<17).map { "\"\($0)\"" }.joined(separator: ","))]", "at most 16"),
      ("rooms", #"{"01":"a"}"#, "\"01\" is not an aid"), ("rooms", #"{"-1":"a"}"#, "is not an aid"),
      ("names", #"{"1":2}"#, "a string is expected"), ("names", "[]", "an object is expected"),
    ])
  func wrongAdoptions(_ member: String, _ value: String, _ message: String) throws {
    let key = Base64.encode([UInt8](repeating: 1, count: 32))
    var members = [
      "id": "1", "request": #""adopt""#, "home": "\"\(Self.id)\"", "device": #""AA:BB:CC:00:00:01""#,
      "accessoryKey": "\"\(key)\"", "controllerID": #""a""#, "controllerSeed": "\"\(key)\"", "addresses": "[]",
    ]
    func text() -> String { "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}" }
    #expect(Self.refusal(text()) == nil)
    members[member] = value
    #expect(try #require(Self.refusal(text())).error.message.contains(message))
    if member != "rooms" && member != "names" {
      members[member] = nil
      #expect(try #require(Self.refusal(text())).error.message.contains("\"\(member)\" is missing"))
    }
  }

  @Test("A list with more than 10,000 elements is refused, and nesting without end")
  func limits() throws {
    func read(_ count: Int) -> String {
      let ids = [String](repeating: "\"\(Self.id)\"", count: count).joined(separator: ",")
      return #"{"id":1,"request":"read","characteristics":[\#(ids)]}"#
    }
    #expect(Self.refusal(read(HubLimits.list)) == nil)
    #expect(try #require(Self.refusal(read(HubLimits.list + 1))).error.message.contains("at most 10000 elements"))
    let deep = String(repeating: "[", count: 100_000)
    #expect(try #require(Self.refusal(#"{"id":1,"request":\#(deep)"#)).error.message.contains("not JSON"))
  }

  @Test(
    "A line of a hub with a mistake is refused",
    arguments: [
      ("", "not JSON"), ("{}", "a line of a hub has one of the members protocol, answer"),
      ("[]", "an object is expected"),
      (#"{"protocol":0}"#, "0 is not in"), (#"{"protocol":"1"}"#, "an integer is expected"),
      (#"{"protocol":1,"more":1}"#, "there is no member"), (#"{"answer":"done"}"#, "\"id\" is missing"),
      (#"{"id":null,"answer":"done"}"#, "an integer is expected"),
      (#"{"id":1,"answer":"don"}"#, "did you mean \"done\"?"),
      (#"{"id":1,"answer":"done","event":"missed"}"#, "has only one of the members"),
      (#"{"id":1,"error":{"code":999,"message":""}}"#, "error.code: there is no error 999"),
      (#"{"id":1,"error":{"code":3,"rule":"Q1","message":""}}"#, "error.rule: \"Q1\" is not a rule"),
      (#"{"id":1,"error":{"code":3}}"#, "\"message\" is missing"),
      (#"{"error":{"code":3,"message":""}}"#, "\"id\" is missing"),
      (#"{"event":"nothing"}"#, "\"nothing\" is not an event"),
      (#"{"event":"missed","id":1}"#, "there is no member \"id\""),
      (#"{"event":"reachability","accessory":"\#(id)","reachable":"yes"}"#, "true or false is expected"),
      (
        #"{"event":"values","values":[{"characteristic":"\#(id)","error":{}}]}"#, "values[0].error: \"code\" is missing"
      ),
      (
        #"{"event":"found","accessory":{"device":"AA:BB:CC:00:00:01","name":"","setupHash":"AA=="}}"#,
        "4 bytes are expected"
      ),
      (
        #"{"event":"found","accessory":{"device":"AA:BB:CC:00:00:01","name":"","category":256}}"#,
        "256 is not in 0...255"
      ),
      (
        #"{"event":"evaluated","evaluation":{"trigger":"\#(id)","number":1,"time":"2026-01-01T00:00:00Z","outcome":"","text":"","detail":"{}"}}"#,
        "evaluation.detail: an object is expected"
      ),
      (
        #"{"id":1,"answer":"attached","model":{"homes":[],"primaryHome":null},"unreachable":{"x":""},"persons":[]}"#,
        "\"x\" is not"
      ),
      (
        #"{"id":1,"answer":"attached","model":{"homes":[],"primaryHome":"\#(id)"},"unreachable":{},"persons":[]}"#,
        "model.primaryHome: the primary home is one of the homes"
      ),
      (
        #"{"id":1,"answer":"attached","model":{"homes":[],"primaryHome":null},"unreachable":{},"persons":[{"user":"\#(id)","place":"home"},{"user":"\#(id)","place":"away"}]}"#,
        "persons: the users are in ascending order"
      ),
    ])
  func wrongMessages(_ text: String, _ message: String) {
    let error = #expect(throws: HomeError.self) { try HubMessage(Array(text.utf8)) }
    #expect(error?.code == .invalidParameter)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("No truncated line is read, and a changed byte never traps")
  func damage() throws {
    var random = HubRandom(seed: 9)
    for name in HubAnswerName.allCases {
      let line = Array(HubMessage.answer(id: 1, .success(random.answer(name))).bytes.dropLast())
      for _ in 0..<200 {
        let end = random.number(0...line.count - 1)
        #expect(throws: HomeError.self) { try HubMessage(Array(line[..<end])) }
        var changed = line
        changed[end] = random.homes.generator.bytes(1)[0]
        guard let message = try? HubMessage(changed) else { continue }
        #expect((try HubMessage(Array(message.bytes.dropLast())) == message) as Bool)
      }
    }
    for name in HubRequestName.allCases {
      let line = Array(HubRequestLine(id: 1, random.request(name)).bytes.dropLast())
      for _ in 0..<100 {
        let end = random.number(0...line.count - 1)
        #expect(throws: HubRequestLine.Refusal.self) { try HubRequestLine(Array(line[..<end])) }
        var changed = line
        changed[end] = random.homes.generator.bytes(1)[0]
        guard let request = try? HubRequestLine(changed) else { continue }
        #expect(try HubRequestLine(Array(request.bytes.dropLast())) == request)
      }
    }
  }
}
