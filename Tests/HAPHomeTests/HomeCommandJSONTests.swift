import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Commands and changes in JSON")
struct HomeCommandJSONTests {
  private static func refusal(_ text: String) -> String? {
    do throws(HomeError) {
      _ = try HomeCommand(json: Array(text.utf8))
      return nil
    } catch {
      #expect(error.code == .invalidParameter && error.rule == nil)
      return error.message
    }
  }

  private static func refusal(_ node: JSONNode) -> JSONProblem? {
    do throws(JSONProblem) {
      _ = try HomeCommand(node)
      return nil
    } catch { return error }
  }

  @Test("Each command is read as it was written", arguments: HomeCommandName.allCases)
  func commands(_ name: HomeCommandName) throws {
    var random = JSONRandom(seed: 1)
    for _ in 0..<200 {
      let command = random.command(name)
      #expect(command.name == name)
      let text = command.json
      let again = try HomeCommand(json: Array(text.utf8))
      #expect(again == command, "\(text)")
      #expect(again.json == text && !text.contains("\n"))
    }
  }

  @Test("Each change is read as it was written", arguments: HomeChangeName.allCases)
  func changes(_ name: HomeChangeName) throws {
    var random = JSONRandom(seed: 2)
    for _ in 0..<100 {
      let change = random.change(name)
      #expect(change.detail.name == name)
      let text = change.json
      let node = try JSONNode.parse(Array(text.utf8), depthLimit: JSONNode.homeDepthLimit)
      #expect(try HomeChange(node) == change, "\(text)")
    }
  }

  @Test("The table of commands has a row for each name, with the members that are written")
  func table() {
    #expect(HomeCommandForm.all.map(\.name) == HomeCommandName.allCases)
    var random = JSONRandom(seed: 3)
    for form in HomeCommandForm.all {
      var seen: Set<String> = []
      for _ in 0..<300 {
        let members = random.command(form.name).node.members!.map(\.name).filter { $0 != "command" }
        let required = form.members.filter { $0.presence != .optional }.map(\.name)
        #expect(Set(required).isSubset(of: members), "\(form.name)")
        seen.formUnion(members)
      }
      #expect(seen == Set(form.members.map(\.name)), "\(form.name)")
      #expect(!form.does.isEmpty && !form.does.hasSuffix("."))
    }
  }

  @Test(
    "A member that is missing, unknown or of another kind is refused with its path",
    arguments: HomeCommandForm.all.map(\.name))
  func members(_ name: HomeCommandName) throws {
    var random = JSONRandom(seed: 4)
    let form = HomeCommandForm[name]
    for _ in 0..<20 {
      let node = random.command(name).node
      for member in form.members where member.presence != .optional {
        let problem = try #require(Self.refusal(node.without(member.name)))
        #expect(problem.message == "\"\(member.name)\" is missing")
      }
      for member in form.members where node[member.name] != nil {
        for wrong in Self.wrongValues(for: member) {
          let problem = Self.refusal(node.with(member.name, wrong))
          #expect(problem != nil, "\(name) \(member.name) \(wrong.compactText)")
        }
      }
      let problem = try #require(Self.refusal(node.with("hoem", .text("x"))))
      #expect(problem.path == "hoem" && problem.message.hasPrefix("there is no member \"hoem\" here"))
    }
  }

  /// Values of other kinds, and texts that are not valid for the kind.
  private static func wrongValues(for member: HomeCommandMember) -> [JSONNode] {
    let (null, list, object) = (JSONNode(.null), JSONNode.list([.list([])]), JSONNode.object([("a", .text("b"))]))
    switch member.kind {
    case .identifier: return [null, .integer(1), .flag(true), list, object, .text(""), .text("not-a-uuid")]
    case .name: return [null, .integer(1), .flag(true), list, object]
    case .timeZone: return [null, .integer(1), list, object, .text(""), .text("../etc"), .text("a b")]
    case .place:
      return [
        .text("here"), .integer(1), object, .list([.integer(1)]), .list([.integer(91), .integer(0)]),
        .list([.integer(0), .integer(181)]), .list([.text("1"), .integer(0)]),
        .list([.integer(1), .integer(1), .integer(1)]),
      ]
    case .role: return [null, .integer(1), list, object, .text("Owner"), .text("")]
    case .device: return [null, .integer(1), list, object, .text("AA:BB:CC:00:00"), .text("AA:BB:CC:00:00:0G")]
    case .number: return [null, .flag(true), list, object, .text("1"), .integer(-1), .fraction(1), .integer(Int64.max)]
    case .accessories:
      let accessory = JSONNode.object([("aid", .integer(1)), ("services", .list([]))])
      return [
        null, .integer(1), object, list, .list([object]), .list([accessory.with("aid", .integer(0))]),
        .list([accessory.without("services")]), .list([accessory.with("services", object)]),
      ]
    case .type: return [.integer(43), .flag(true), list, object, .text(""), .text("Fan"), .text("123456789")]
    case .value: return [list, object, .object([("base64", .text("A"))]), .object([("base64", .integer(1))])]
    case .actions:
      let action = JSONNode.object([("characteristic", .text("\(JSONRandom.fixedID)")), ("value", .integer(1))])
      return [
        null, .integer(1), object, list, .list([action.without("value")]), .list([action.without("characteristic")]),
        .list([action.with("unit", .integer(1))]),
      ]
    case .trigger: return [.fraction(0.5), object]
    }
  }

  @Test("A command that does not exist is refused with a suggestion")
  func unknownCommands() {
    #expect(
      Self.refusal(#"{"command":"add-rom"}"#)
        == "command: there is no command \"add-rom\": did you mean \"add-room\"? (at 1:12)")
    let words = HomeCommandName.allCases.map(\.rawValue).joined(separator: ", ")
    #expect(
      Self.refusal(#"{"command":"xyzzyxyzzy"}"#)
        == "command: there is no command \"xyzzyxyzzy\": there are \(words) (at 1:12)")
  }

  @Test("A mistake is reported with its path and its place")
  func places() {
    let id = JSONRandom.fixedID
    let rows: [(String, String)] = [
      ("", "not JSON: "), ("[]", "an object is expected, not a list (at 1:1)"),
      ("{}", "\"command\" is missing (at 1:1)"),
      (#"{"command":1}"#, "command: a string is expected, not an integer (at 1:12)"),
      (#"{"command":"rename","command":"rename"}"#, "not JSON: \"command\" occurs twice in one object (at 1:21)"),
      (#"{"command":"add-room","name":"K"}"#, "\"home\" is missing (at 1:1)"),
      (
        "{\"command\":\"add-room\",\n \"home\":\"1\",\"name\":\"K\"}",
        "home: the identifier of a home is expected, not \"1\" (at 2:9)"
      ),
      (
        "{\"command\":\"add-room\",\"home\":\"\(id)\",\"nmae\":\"K\"}",
        "nmae: there is no member \"nmae\" here: did you mean \"name\"? (at 1:69)"
      ),
      (
        "{\"command\":\"add-user\",\"home\":\"\(id)\",\"name\":\"B\",\"role\":\"gest\"}",
        "role: \"gest\" is not a role: did you mean \"guest\"? (at 1:87)"
      ),
      (
        "{\"command\":\"add-user\",\"home\":\"\(id)\",\"name\":\"B\",\"role\":\"xxxx\"}",
        "role: \"xxxx\" is not a role: write owner, administrator or guest (at 1:87)"
      ),
      (
        "{\"command\":\"update-trigger\",\"trigger\":\"\(id)\",\"when\":[{\"at\":\"25:00\"}]}",
        "when[0].at: a time such as \"18:00\", or a date such as \"2026-06-01\" is expected, not \"25:00\" (at 1:92)"
      ),
      (
        "{\"command\":\"add-device\",\"home\":\"\(id)\",\"device\":\"AA:BB:CC:00:00:01\",\"configurationNumber\":1,"
          + "\"category\":5,\"accessories\":[{\"aid\":1,\"services\":[{\"iid\":1,\"type\":\"43\",\"characteristics\":"
          + "[{\"iid\":2,\"type\":\"25\",\"perms\":[\"pr\",\"px\"],\"format\":\"bool\"}]}]}]}",
        "accessories[0].services[0].characteristics[0].perms[1]: a permission such as \"pr\" is expected, not \"px\""
      ),
    ]
    for (text, message) in rows {
      let found = Self.refusal(text)
      #expect(found?.hasPrefix(message) == true, "\(text): \(found ?? "accepted")")
    }
  }

  @Test("Accessories are read as a device sends them: members in any order, base64, 0 and 1 for a Boolean")
  func accessories() throws {
    let text = """
      {"command":"add-device","home":"\(JSONRandom.fixedID)","device":"aa:bb:cc:00:00:01","configurationNumber":2,
       "category":2,"accessories":[{"services":[{"characteristics":[
         {"value":1,"perms":["pr","ev"],"format":"bool","iid":9,"type":"25"},
         {"value":"AQI=","perms":["pr"],"format":"tlv8","iid":10,"type":"00000123-0000-1000-8000-0026BB765291"},
         {"value":null,"perms":["pr"],"format":"uint8","iid":11,"type":"73","valid-values":[0,1],
          "valid-values-range":[0,1],"minValue":0,"maxValue":1,"minStep":1,"unit":"lux","description":"D"},
         {"value":21,"perms":["pr"],"format":"float","iid":12,"type":"11","minValue":0,"maxValue":100.0}],
        "primary":true,"hidden":false,"linked":[8],"iid":7,"type":"43"}],"aid":1}]}
      """
    guard case .addDevice(_, let device) = try HomeCommand(json: Array(text.utf8)) else {
      Issue.record("another command")
      return
    }
    #expect(device.device == DeviceID("AA:BB:CC:00:00:01") && device.configurationNumber == 2 && device.category == 2)
    let service = device.accessories[0].services[0]
    #expect(service.isPrimary && !service.isHidden && service.linked == [8] && service.type == 0x43)
    #expect(service.characteristics.map(\.value) == [true, .data([1, 2]), .null, 21.0])
    #expect(service.characteristics.map(\.type) == [0x25, 0x123, 0x73, 0x11])
    #expect(service.characteristics[0].perms == [.pairedRead, .events])
    let limits = service.characteristics[2].constraints
    #expect(limits.validValues == [0, 1] && limits.validValuesRange == 0...1 && limits.minStep == 1)
    #expect(service.characteristics[2].unit == .lux && service.characteristics[2].description == "D")
    #expect(
      service.characteristics[3].constraints.minValue == 0 && service.characteristics[3].constraints.maxValue == 100.0)
  }

  @Test("A characteristic with a wrong member is refused with the path of the member")
  func characteristics() throws {
    let right = JSONNode.object([
      ("iid", .integer(2)), ("type", .text("8")), ("perms", .list([.text("pr")])), ("format", .text("uint8")),
    ])
    func problem(_ node: JSONNode) -> String? {
      do throws(JSONProblem) {
        _ = try node.characteristic(hasValue: true)
        return nil
      } catch { return error.message }
    }
    #expect(problem(right) == nil)
    for name in ["iid", "type", "perms", "format"] {
      #expect(problem(right.without(name)) == "\"\(name)\" is missing")
    }
    let wrong: [(String, JSONNode)] = [
      ("iid", .integer(0)), ("iid", .fraction(2)), ("iid", .integer(Int128(UInt64.max) + 1)), ("type", .text("G")),
      ("perms", .text("pr")), ("perms", .list([.text("")])), ("format", .text("int32")), ("format", .text("double")),
      ("unit", .text("kelvin")), ("description", .integer(1)), ("minValue", .text("1")), ("maxValue", .flag(true)),
      ("minStep", .list([])), ("maxValue", .fraction(.infinity)), ("minValue", .object([("base64", .text(""))])),
      ("maxLen", .integer(-1)), ("maxLen", .fraction(1)), ("maxDataLen", .text("1")), ("valid-values", .integer(1)),
      ("valid-values", .list([.fraction(0.5)])), ("valid-values-range", .list([.integer(1)])),
      ("valid-values-range", .list([.integer(2), .integer(1)])), ("value", .text("1")), ("value", .flag(true)),
      ("value", .fraction(1)), ("value", .list([])), ("step", .integer(1)),
    ]
    for (name, value) in wrong { #expect(problem(right.with(name, value)) != nil, "\(name) \(value.compactText)") }
    for (format, value) in [
      ("bool", JSONNode.integer(2)), ("bool", .text("true")), ("string", .integer(1)), ("data", .text("A")),
      ("tlv8", .integer(1)), ("float", .text("1")), ("float", .fraction(.infinity)),
    ] {
      let node = right.with("format", .text(format)).with("value", value)
      #expect(problem(node) != nil, "\(format) \(value.compactText)")
    }
    #expect(problem(right.with("unit", JSONNode(.null)).with("maxLen", JSONNode(.null))) == nil)
  }

  @Test("An iid that occurs twice in an accessory of a home is refused")
  func doubleIIDs() throws {
    var random = JSONRandom(seed: 5)
    var accessory = random.accessory()
    while accessory.services.count < 2 { accessory = random.accessory() }
    let node = HomeChange(random.id(), .accessoryAdded(accessory)).node
    _ = try HomeChange(node)
    accessory.services[1] = accessory.services[0]
    let wrong = HomeChange(random.id(), .accessoryAdded(accessory)).node
    #expect(throws: JSONProblem.self) { try HomeChange(wrong) }
    #expect(throws: JSONProblem.self) {
      try HomeChange(HomeChange(random.id(), .servicesUpdated(accessory.id, accessory.services)).node)
    }
  }

  @Test("A change with a missing, unknown or wrong member is refused", arguments: HomeChangeName.allCases)
  func wrongChanges(_ name: HomeChangeName) {
    var random = JSONRandom(seed: 6)
    func isRefused(_ node: JSONNode) -> Bool { (try? HomeChange(node)) == nil }
    let optional: Set<String> = name == .accessoryDetailsUpdated ? Set(AccessoryInformation.memberNames) : []
    for _ in 0..<20 {
      let node = random.change(name).node
      #expect(!isRefused(node))
      for member in node.members! {
        if !optional.contains(member.name) { #expect(isRefused(node.without(member.name)), "\(member.name)") }
        #expect(isRefused(node.with(member.name, .flag(true))), "\(member.name)")
        #expect(isRefused(node.with(member.name, .list([.flag(true)]))), "\(member.name)")
        let takesText = member.value.stringValue != nil || member.name == "firmware"
        #expect(takesText || isRefused(node.with(member.name, .text("?"))), "\(member.name)")
      }
      #expect(isRefused(node.with("chnage", .text("x"))))
      #expect(isRefused(node.with("change", .text("room-moved"))))
    }
  }

  @Test("Other members are accepted only if the caller names them")
  func others() throws {
    var random = JSONRandom(seed: 7)
    for name in HomeCommandName.allCases {
      let command = random.command(name)
      let node = command.node.with("id", .integer(7))
      #expect(throws: JSONProblem.self) { try HomeCommand(node) }
      #expect(try HomeCommand(node, and: ["id"]) == command)
    }
    let change = random.change(.roomRemoved)
    let node = change.node.with("origin", .text("a"))
    #expect(throws: JSONProblem.self) { try HomeChange(node) }
    #expect(try HomeChange(node, and: ["origin"]) == change)
  }
}

extension JSONRandom {
  static let fixedID = HomeObjectID("12345678-1234-4234-8234-123456789ABC")!
}

extension JSONNode {
  /// The object without a member.
  func without(_ name: String) -> JSONNode {
    .object(members!.filter { $0.name != name }.map { ($0.name, $0.value) }).withPaths()
  }

  /// The object with another value of a member, or with a new member.
  func with(_ name: String, _ value: JSONNode) -> JSONNode {
    var members = members!.map { ($0.name, $0.value) }
    if let index = members.firstIndex(where: { $0.0 == name }) {
      members[index].1 = value
    } else {
      members.append((name, value))
    }
    return JSONNode.object(members).withPaths()
  }

  /// The same value, parsed, so that each part has its path.
  private func withPaths() -> JSONNode { try! JSONNode.parse(Array(compactText.utf8), depthLimit: 128) }
}
