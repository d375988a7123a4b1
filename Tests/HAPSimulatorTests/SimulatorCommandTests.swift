import HAPIP
import HAPModel

import HAPTestSupport
import HAPWire
import Testing
@testable import HAPCommands
@testable import HAPDevices
@testable import HAPHost
@testable import HAPVocabulary

@Suite("The command vocabulary")
struct SimulatorCommandTests {
  func decode(_ text: String) throws(CommandRefusal) -> SimulatorCommand {
    try SimulatorCommand(json: Array(text.utf8))
  }

  func reason(_ text: String) -> (id: String?, code: CommandError.Code, message: String)? {
    do throws(CommandRefusal) {
      _ = try decode(text)
      return nil
    } catch {
      let id = error.id.map { id in JSONWriter.text { id.write(to: &$0) } }
      return (id, error.error.code, error.error.message)
    }
  }

  @Test("set contains a characteristic by name or address, its service and a value")
  func set() throws {
    let line =
      #"{"id":7,"command":"set","accessory":"Garage","service":"GarageDoorOpener","characteristic":"TargetDoorState","value":"open"}"#
    let command = try decode(line)
    #expect(command.id == .number("7"))
    #expect(command.accessory == .name("Garage"))
    guard case .set(let selector, let value) = command.action else {
      Issue.record("not a set")
      return
    }
    #expect(selector == CharacteristicSelector("TargetDoorState", service: .name("GarageDoorOpener")))
    #expect(value.stringValue == "open")
    let other = try decode(#"{"command":"set","accessory":2,"service":8,"characteristic":"1.10","value":null}"#)
    #expect(other.id == nil && other.accessory == .aid(2))
    guard case .set(CharacteristicSelector("1.10", service: .iid(8)), let null) = other.action else {
      Issue.record("not the expected set")
      return
    }
    #expect(null.isNull)
  }

  @Test("The other commands")
  func others() throws {
    #expect(try decode(#"{"command":"identify"}"#) == SimulatorCommand(.identify))
    #expect(try decode(#"{"command":"replace","profile":"a/b"}"#).action == .replace(profile: "a/b"))
    #expect(reason(#"{"command":"replace"}"#)?.message.contains("profile") == true)
    #expect(try decode(#"{"command":"status"}"#).action == .status)
    #expect(try decode(#"{"command":"stop","id":"a"}"#).action == .stop)
    #expect(try decode(#"{"command":"obstruct"}"#).action == .obstruct(true, service: nil))
    #expect(
      try decode(#"{"command":"obstruct","value":false,"service":8}"#).action == .obstruct(false, service: .iid(8)))
    #expect(try decode(#"{"command":"stop","accessory":18446744073709551615}"#).accessory == .aid(.max))
  }

  @Test("Action commands contain the action and its target") func actions() throws {
    for (kind, press) in [("single", .single), ("double", .double), ("long", .long)] as [(String, ButtonPress)] {
      #expect(
        try decode(#"{"command":"press","kind":"\#(kind)","service":8}"#).action
          == .physical(.press(press), service: .iid(8)))
    }
    #expect(try decode(#"{"command":"press"}"#).action == .physical(.press(.single), service: nil))
    #expect(try decode(#"{"command":"trigger"}"#).action == .physical(.trigger, service: nil))
    #expect(try decode(#"{"command":"jam","value":false}"#).action == .physical(.jam(false), service: nil))
    #expect(try decode(#"{"command":"tamper"}"#).action == .physical(.tamper(true), service: nil))
    for percent in [0, 100] {
      #expect(
        try decode(#"{"command":"battery","value":\#(percent)}"#).action == .physical(.battery(percent), service: nil))
    }
  }

  @Test("Commands for accessories and for time are parsed") func world() throws {
    #expect(try decode(#"{"command":"offline","accessory":2}"#).action == .reachable(false))
    #expect(try decode(#"{"command":"online"}"#).action == .reachable(true))
    #expect(try decode(#"{"command":"radio","value":false}"#).action == .radio(false))
    #expect(try decode(#"{"command":"disconnect"}"#).action == .disconnect(controller: nil))
    #expect(try decode(#"{"command":"disconnect","controller":"x"}"#).action == .disconnect(controller: "x"))
    for restart in Restart.allCases {
      #expect(try decode(#"{"command":"\#(restart.rawValue)"}"#).action == .restart(restart))
    }
    #expect(try decode(#"{"command":"open-window"}"#).action == .openWindow(.basic, seconds: 180))
    #expect(
      try decode(#"{"command":"open-window","kind":"enhanced","seconds":900}"#).action
        == .openWindow(.enhanced, seconds: 900))
    #expect(try decode(#"{"command":"close-window"}"#).action == .closeWindow)
    #expect(try decode(#"{"command":"remove-fabric","fabric":254}"#).action == .removeFabric(254))
    #expect(try decode(#"{"command":"add","profile":"a"}"#).action == .add(profile: "a"))
    #expect(try decode(#"{"command":"remove"}"#).action == .remove)
    #expect(try decode(#"{"command":"list"}"#).action == .list)
    let few = try decode(#"{"command":"quirks","value":{"maximumSessions":8}}"#).action
    if case .quirks(let quirks) = few { #expect(quirks.maximumSessions == 8) } else { Issue.record("\(few)") }
    for wrong in [#""hap-node""#, "7", #"{"maximumSession":8}"#, #"{"maximumSessions":0}"#] {
      #expect(throws: CommandRefusal.self) { try decode("{\"command\":\"quirks\",\"value\":\(wrong)}") }
    }
    for (text, duration) in [
      ("1h", .seconds(3600)), ("30d", .seconds(30 * 86_400)), ("10y", .seconds(315_576_000)), ("0s", .zero),
      ("1.5min", .seconds(90)), ("87660h", .seconds(315_576_000)),
    ] as [(String, Duration)] {
      #expect(try decode(#"{"command":"advance","duration":"\#(text)"}"#).action == .advance(duration))
    }
  }

  @Test("A number or boolean in text form is accepted if the format requires one")
  func spelledValues() throws {
    let database = Garage.database()
    func value(_ id: AttributeID, _ text: String) throws -> Value {
      try database.characteristics[#require(database.slot(of: id))].value(ofWritten: .string(text))
    }
    #expect(try value(Garage.fadeRate, "2.5") == .float(2.5))
    #expect(try value(Garage.current, "3") == 3)
    #expect(try value(Garage.current, "-1") == -1)
    #expect(try value(AttributeID(aid: 1, iid: 12), "3") == "3")
    for (text, isOn) in [("true", true), ("on", true), ("Off", false), ("yes", true), ("0", false)] as [(String, Value)]
    {
      #expect(try value(Garage.on, text) == isOn)
    }
    for text in ["1e3", "0x10", "inf", "nan", "--1", "", "1 "] {
      #expect(throws: CommandError.self) { try value(Garage.fadeRate, text) }
    }
    #expect(throws: CommandError.self) { try value(Garage.on, "2") }
  }

  @Test(
    "A malformed command is refused with a reason, and with its id if it is readable",
    arguments: [
      ("", nil, .malformed, "not JSON"), ("{", nil, .malformed, "not JSON"),
      ("[]", nil, .malformed, "an object is expected"),
      ("7", nil, .malformed, "an object is expected"), (#"{"id":1}"#, "1", .malformed, "\"command\" is missing"),
      (#"{"id":1,"id":2,"command":"stop"}"#, nil, .malformed, "occurs twice"),
      (#"{"id":"x","command":3}"#, "\"x\"", .malformed, "command: a string is expected, not an integer (at 1:21)"),
      (
        #"{"id":1.5,"command":"obstrct"}"#, "1.5", .unknownCommand,
        #"there is no command "obstrct": did you mean "obstruct"?"#
      ),
      (
        #"{"id":1,"command":"juggle"}"#, "1", .unknownCommand,
        "there are set, identify, \(CommandName.words.dropFirst(2).joined(separator: ", "))"
      ),
      (
        #"{"id":1,"command":"set","caracteristic":"On","value":1}"#, "1", .malformed, #"did you mean "characteristic"?"#
      ),
      (#"{"id":1,"command":"set","value":1}"#, "1", .malformed, #""characteristic" is missing"#),
      (#"{"id":1,"command":"set","characteristic":"On"}"#, "1", .malformed, #""value" is missing"#),
      (
        #"{"id":1,"command":"set","characteristic":"On","value":[]}"#, "1", .invalidValue,
        "a value is a name, a text, a number, true or false, not a list"
      ),
      (
        #"{"id":1,"command":"set","characteristic":10,"value":1}"#, "1", .malformed,
        "a characteristic's name, type or address"
      ),
      (
        #"{"id":1,"command":"set","characteristic":"On","service":true,"value":1}"#, "1", .malformed,
        "a service's type, name or iid"
      ),
      (#"{"id":1,"command":"set","characteristic":"On","service":0,"value":1}"#, "1", .malformed, "0 is not in 1..."),
      (#"{"id":1,"command":"stop","accessory":0}"#, "1", .malformed, "accessory: 0 is not in"),
      (#"{"id":1,"command":"stop","accessory":1.5}"#, "1", .malformed, "an accessory's name or aid"),
      (#"{"id":1,"command":"stop","value":1}"#, "1", .malformed, "there is no member \"value\" here"),
      (
        #"{"id":1,"command":"obstruct","value":"yes"}"#, "1", .malformed,
        "value: true or false is expected, not a string"
      ),
      (
        #"{"id":1,"command":"press","kind":"duoble"}"#, "1", .malformed,
        #"single, double or long is expected: did you mean "double"?"#
      ),
      (#"{"id":1,"command":"press","kind":2}"#, "1", .malformed, "kind: single, double or long is expected (at 1:"),
      (#"{"id":1,"command":"jam","value":1}"#, "1", .malformed, "value: true or false is expected"),
      (#"{"id":1,"command":"tamper","value":"on"}"#, "1", .malformed, "value: true or false is expected"),
      (#"{"id":1,"command":"battery"}"#, "1", .malformed, "\"value\" is missing"),
      (#"{"id":1,"command":"battery","value":101}"#, "1", .malformed, "value: 101 is not in 0...100"),
      (#"{"id":1,"command":"battery","value":1.5}"#, "1", .malformed, "value: an integer is expected"),
      (#"{"id":1,"command":"advance"}"#, "1", .malformed, "\"duration\" is missing"),
      (#"{"id":1,"command":"advance","duration":60}"#, "1", .malformed, "is expected, not an integer"),
      (#"{"id":1,"command":"advance","duration":"soon"}"#, "1", .malformed, #""1y" is expected, not "soon""#),
      (#"{"id":1,"command":"advance","duration":"-1s"}"#, "1", .malformed, "is expected, not"),
      (#"{"id":1,"command":"advance","duration":"999999999y"}"#, "1", .malformed, "is expected, not"),
      (#"{"id":1,"command":"advance","duration":"11y"}"#, "1", .malformed, "time is advanced by 10y at most"),
      (#"{"id":1,"command":"advance","duration":"1s","accessory":"x"}"#, "1", .malformed, "there is no member"),
      (#"{"id":1,"command":"radio"}"#, "1", .malformed, "\"value\" is missing"),
      (#"{"id":1,"command":"radio","value":"off"}"#, "1", .malformed, "true or false is expected"),
      (#"{"id":1,"command":"disconnect","controller":7}"#, "1", .malformed, "controller: a string is expected"),
      (#"{"id":1,"command":"add"}"#, "1", .malformed, "\"profile\" is missing"),
      (
        #"{"id":1,"command":"open-window","kind":"enhancd"}"#, "1", .malformed,
        #"kind: basic or enhanced is expected: did you mean "enhanced"?"#
      ),
      (#"{"id":1,"command":"open-window","kind":1}"#, "1", .malformed, "kind: basic or enhanced is expected (at 1:"),
      (#"{"id":1,"command":"open-window","seconds":179}"#, "1", .malformed, "seconds: 179 is not in 180...900"),
      (#"{"id":1,"command":"open-window","seconds":901}"#, "1", .malformed, "seconds: 901 is not in 180...900"),
      (#"{"id":1,"command":"open-window","seconds":"180"}"#, "1", .malformed, "seconds: an integer is expected"),
      (#"{"id":1,"command":"close-window","kind":"basic"}"#, "1", .malformed, "there is no member \"kind\" here"),
      (#"{"id":1,"command":"remove-fabric"}"#, "1", .malformed, "\"fabric\" is missing"),
      (#"{"id":1,"command":"remove-fabric","fabric":0}"#, "1", .malformed, "fabric: 0 is not in 1...254"),
      (#"{"id":1,"command":"remove-fabric","fabric":255}"#, "1", .malformed, "fabric: 255 is not in 1...254"),
      (#"{"id":1,"command":"factory-rest"}"#, "1", .unknownCommand, #"did you mean "factory-reset"?"#),
      (#"{"id":[1],"command":"stop"}"#, nil, .malformed, "id: a string or a number is expected, not a list"),
      (#"{"id":null,"command":"stop"}"#, nil, .malformed, "id: a string or a number"),
    ] as [(String, String?, CommandError.Code, String)])
  func refused(_ line: String, _ id: String?, _ code: CommandError.Code, _ message: String) throws {
    let refusal = try #require(reason(line))
    #expect(refusal.id == id)
    #expect(refusal.code == code)
    #expect(refusal.message.contains(message), "\(refusal.message)")
  }

  @Test("Answers contain the id and are one line of JSON")
  func answers() throws {
    let command = try decode(#"{"id":"é\n1","command":"stop"}"#)
    #expect(CommandAnswer.success(id: command.id) == #"{"id":"é\n1","ok":true}"#)
    #expect(
      CommandAnswer.success(id: nil) {
        $0.key("values")
        $0.array {
          $0.value(1)
          $0.value(.null)
          $0.value(.data([1, 2, 3]))
          $0.value(.float(1.5))
          $0.value(true)
          $0.value("x")
        }
      } == #"{"id":null,"ok":true,"values":[1,null,"AQID",1.5,true,"x"]}"#)
    #expect(
      CommandAnswer.failure(id: command.id, CommandError(.invalidValue, "no"))
        == #"{"id":"é\n1","ok":false,"error":{"code":"invalid-value","message":"no"}}"#)
    let refusal = CommandRefusal(id: nil, error: CommandError(.unknownCommand, "what"))
    #expect(
      CommandReply(refusal).text == #"{"id":null,"ok":false,"error":{"code":"unknown-command","message":"what"}}"#)
  }
}

@Suite("Selecting a characteristic")
struct SelectorTests {
  let database = Garage.database(isBridge: true)

  func error<E: Error>(_ kind: E.Type = SelectionError.self, _ body: () throws -> Void) -> E? {
    #expect(throws: kind, performing: body)
  }

  @Test(
    "By address, identifier, name, type, UUID and a custom description",
    arguments: [
      ("1.21", Garage.on), ("On", Garage.on), ("on", Garage.on), ("25", Garage.on),
      ("00000025-0000-1000-8000-0026BB765291", Garage.on), ("LockTargetState", Garage.lockTarget),
      ("lock target state", Garage.lockTarget), ("Fade Rate", Garage.fadeRate), ("fade-rate", Garage.fadeRate),
      ("7e536242-341c-4862-be90-272ce15bd633", Garage.fadeRate),
    ])
  func found(_ text: String, _ id: AttributeID) throws {
    #expect(try CharacteristicSelector(text).resolve(in: database) == id)
    #expect(try CharacteristicSelector(text).resolve(in: database, aid: 1) == id)
  }

  @Test("With several matches, the accessory or the service decides; the refusal lists them")
  func several() throws {
    let door = CharacteristicSelector("TargetDoorState")
    let refusal = error { _ = try door.resolve(in: database) }
    #expect(refusal?.code == .ambiguous)
    #expect(
      refusal?.message.contains(#"1.10 (GarageDoorOpener "Big Door"), 2.10 (GarageDoorOpener "Big Door")"#) == true)
    #expect(try door.resolve(in: database, aid: 2) == AttributeID(aid: 2, iid: 10))
    for service in [ServiceSelector.name("Lamp"), .name("LightBulb"), .name("43"), .iid(20)] {
      #expect(
        try CharacteristicSelector("Name", service: service).resolve(in: database, aid: 1)
          == AttributeID(aid: 1, iid: 23))
    }
  }

  @Test("An unknown characteristic is refused with the nearest name")
  func missing() {
    #expect(
      error { _ = try CharacteristicSelector("TargetDorState").resolve(in: database) }?.message.contains(
        "did you mean \"TargetDoorState\"?") == true)
    for text in ["9.9", "1.8", "2.21", "Brightness", "8", "", "x", "1.", "-1.9"] {
      #expect(
        error { _ = try CharacteristicSelector(text).resolve(in: database) }?.code == .noSuchCharacteristic, "\(text)")
    }
    let elsewhere = CharacteristicSelector("1.21", service: .iid(8))
    #expect(error { _ = try elsewhere.resolve(in: database) }?.code == .noSuchCharacteristic)
    #expect(
      error { _ = try CharacteristicSelector("1.21").resolve(in: database, aid: 2) }?.code == .noSuchCharacteristic)
    let noService = error { _ = try CharacteristicSelector("On", service: .name("Fan")).resolve(in: database, aid: 1) }
    #expect(noService?.code == .noSuchService)
    #expect(noService?.message.contains(#"1.20 (LightBulb "Lamp"), 1.30 (LockMechanism)"#) == true)
  }

  @Test("A service is found by type, name and iid; an ambiguous one is refused")
  func service() throws {
    #expect(try ServiceSelector.name("garage door opener").resolve(in: database, aid: 2) == Garage.otherDoor)
    #expect(try ServiceSelector.iid(30).resolve(in: database, aid: nil) == Garage.lock)
    #expect(error { _ = try ServiceSelector.name("Big Door").resolve(in: database, aid: nil) }?.code == .ambiguous)
    #expect(error { _ = try ServiceSelector.iid(99).resolve(in: database, aid: nil) }?.code == .noSuchService)
  }

  @Test("An accessory is selected by its name, in any spelling, or its aid")
  func accessory() {
    #expect(AccessorySelector.name("big garage").matches(name: "Big-Garage", aid: 1))
    #expect(!AccessorySelector.name("garage").matches(name: "Big Garage", aid: 1))
    #expect(AccessorySelector.aid(2).matches(name: "x", aid: 2) && !AccessorySelector.aid(2).matches(name: "2", aid: 1))
  }

  @Test("Value names of the catalogue are accepted; others are refused with the nearest")
  func words() throws {
    func value(_ id: AttributeID, _ json: String) throws -> Value {
      try database.characteristics[database.slot(of: id)!].value(
        ofWritten: #require(Value(written: JSONNode.parse(Array(json.utf8)))))
    }
    #expect(try value(Garage.current, #""Closed""#) == 1)
    #expect(try value(Garage.current, "3") == 3)
    #expect(try value(Garage.current, "1.0") == .float(1))
    #expect(try value(Garage.on, "true") == true)
    #expect(try value(Garage.on, "null") == .null)
    #expect(try value(AttributeID(aid: 1, iid: 12), #""open""#) == "open")
    #expect(
      try value(Garage.current, "1\(String(repeating: "0", count: 60))")
        == .float(1e60))
    #expect(
      error(CommandError.self) { _ = try value(Garage.current, #""opn""#) }?.message
        == #"no value of Current Door State is named "opn": did you mean "open"?"#)
    #expect(
      error(CommandError.self) { _ = try value(Garage.current, #""ajar by a hand""#) }?.message.contains(
        "its values are open, closed, opening, closing, stopped") == true)
    #expect(
      error(CommandError.self) { _ = try value(Garage.fadeRate, #""fast""#) }?.message.contains(
        "its values have no names") == true)
  }
}
