import HAPCommandLine
import HAPVocabulary
import HAPWire
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private func words(
  _ words: String..., accessory: String? = nil, service: String? = nil
) throws(UsageError) -> ControlWords {
  try ControlWords(words, accessory: accessory, service: service, folder: "/here")
}

@Suite("hapsim ctl: arguments become commands") struct ControlWordsTests {
  @Test(
    "Each command has its arguments",
    arguments: [
      (
        ["set", "Target Door State", "open"], #"{"command":"set","characteristic":"Target Door State","value":"open"}"#
      ),
      (["set", "1.10", "3"], #"{"command":"set","characteristic":"1.10","value":"3"}"#),
      (["identify"], #"{"command":"identify"}"#), (["press"], #"{"command":"press"}"#),
      (["press", "double"], #"{"command":"press","kind":"double"}"#), (["trigger"], #"{"command":"trigger"}"#),
      (["obstruct"], #"{"command":"obstruct"}"#), (["obstruct", "on"], #"{"command":"obstruct","value":true}"#),
      (["jam", "off"], #"{"command":"jam","value":false}"#), (["tamper", "on"], #"{"command":"tamper","value":true}"#),
      (["battery", "7"], #"{"command":"battery","value":7}"#),
      (["advance", "1h"], #"{"command":"advance","duration":"1h"}"#),
      (["offline", "Desk Lamp"], #"{"command":"offline","accessory":"Desk Lamp"}"#),
      (["online", "2"], #"{"command":"online","accessory":2}"#),
      (["radio", "off"], #"{"command":"radio","value":false}"#),
      (["unpair"], #"{"command":"unpair"}"#), (["unpair", "me"], #"{"command":"unpair","controller":"me"}"#),
      (["disconnect"], #"{"command":"disconnect"}"#),
      (["disconnect", "me"], #"{"command":"disconnect","controller":"me"}"#), (["reboot"], #"{"command":"reboot"}"#),
      (["power-cut"], #"{"command":"power-cut"}"#), (["factory-reset"], #"{"command":"factory-reset"}"#),
      (["quirks", "hap-nodejs"], #"{"command":"quirks","value":"hap-nodejs"}"#),
      (["open-window"], #"{"command":"open-window"}"#),
      (["open-window", "enhanced", "300"], #"{"command":"open-window","kind":"enhanced","seconds":300}"#),
      (["close-window"], #"{"command":"close-window"}"#),
      (["remove-fabric", "2"], #"{"command":"remove-fabric","fabric":2}"#),
      (["replace", "a b"], #"{"command":"replace","profile":"/here/a b"}"#),
      (["add", "/there/x"], #"{"command":"add","profile":"/there/x"}"#),
      (["remove", "Garage"], #"{"command":"remove","accessory":"Garage"}"#), (["remove"], #"{"command":"remove"}"#),
      (["list"], #"{"command":"list"}"#), (["status"], #"{"command":"status"}"#), (["stop"], #"{"command":"stop"}"#),
    ])
  func commands(_ line: [String], _ json: String) throws {
    #expect(try ControlWords(line, accessory: nil, service: nil, folder: "/here").json == json)
  }

  @Test("Each command of the vocabulary has its usage, with its arguments")
  func vocabulary() {
    #expect(ControlWords.usage.map { String($0.split(separator: " ")[0]) } == CommandName.words)
    #expect(ControlWords.usage.contains("press [single|double|long]") && ControlWords.usage.contains("radio on|off"))
  }

  @Test("--accessory and --service are sent if the command has them; --accessory always selects the process")
  func options() throws {
    let obstruct = try words("obstruct", accessory: "Garage", service: "8")
    #expect(obstruct.json == #"{"command":"obstruct","accessory":"Garage","service":8}"#)
    #expect(try words("trigger", service: "Motion").json == #"{"command":"trigger","service":"Motion"}"#)
    let advance = try words("advance", "1s", accessory: "Garage")
    #expect(advance.json == #"{"command":"advance","duration":"1s"}"# && advance.accessory == .name("Garage"))
    #expect(try words("online", "3").accessory == .aid(3))
  }

  @Test("Errors quote the complete argument, whatever it contains")
  func typed() {
    let error = #expect(throws: UsageError.self) { try words("advance", "soon (at noon)") }
    #expect(error?.message.contains("\"soon (at noon)\"") == true, "\(error?.message ?? "")")
  }

  @Test(
    "Wrong arguments are reported with the expected ones",
    arguments: [
      (["dance"], "there is no command dance: did you mean advance?"),
      (["juggle"], "there is no command juggle: there are set,"),
      (["set"], "CHARACTERISTIC is missing: set CHARACTERISTIC VALUE"),
      (["set", "On"], "VALUE is missing: set CHARACTERISTIC VALUE"),
      (["set", "On", "1", "2"], "unexpected argument 2: set CHARACTERISTIC VALUE"),
      (["list", "x"], "unexpected argument x: list"), (["press", "duoble"], #"did you mean "double"?"#),
      (["obstruct", "yes"], "obstruct is on or off, not yes"), (["radio"], "on|off is missing: radio on|off"),
      (["battery"], "PERCENT is missing"), (["battery", "101"], "a whole number from 0 to 100, not 101"),
      (["open-window", "enhancd"], #"did you mean "enhanced"?"#),
      (["open-window", "basic", "901"], "open-window takes a whole number from 180 to 900, not 901"),
      (["remove-fabric"], "FABRIC is missing: remove-fabric FABRIC"),
      (["remove-fabric", "x"], "remove-fabric takes a whole number from 1 to 254, not x"),
      (["battery", "half"], "not half"), (["advance"], "DURATION is missing"),
      (["advance", "soon"], #"is expected, not "soon""#),
      (["advance", "11y"], "duration: time is advanced by 10y at most"),
      (["online", "0"], "0 is not in 1..."), (["add"], "PROFILE is missing: add PROFILE"),
    ])
  func wrong(_ line: [String], _ says: String) {
    let error = #expect(throws: UsageError.self) {
      try ControlWords(line, accessory: nil, service: nil, folder: "/here")
    }
    #expect(
      error?.message.contains(says) == true && error?.message.contains("(at ") == false, "\(error?.message ?? "")")
  }

  @Test("Options that a command lacks are refused") func wrongOptions() {
    #expect(throws: UsageError("advance takes no --service")) { try words("advance", "1s", service: "8") }
    #expect(throws: UsageError("the accessory is named twice: Lamp and --accessory")) {
      try words("online", "Lamp", accessory: "Lamp")
    }
    #expect(throws: UsageError.self) { try ControlWords([], accessory: nil, service: nil, folder: "/") }
  }

  @Test("Without a running process, the error is one line, and no file is created") func nobody() {
    let folder = ScratchFolder()
    let said = hapsim(["ctl", "list", "--state", folder.path])
    #expect(
      said
        == Transcript(error: "hapsim ctl: no hapsim process runs with the state in \(folder.path)\n", exit: .cannotRun))
    #expect(hapsim(["ctl", "list", "--state", folder.path]).exit == .cannotRun)
    #expect(hapsim(["ctl"]).exit == .usage && hapsim(["ctl", "dance"]).exit == .usage)
  }

  @Test("Answers are printed as readable text") func answers() throws {
    func lines(_ command: CommandName, _ json: String) throws -> [String] {
      answerLines(try JSONNode.parse(Array(json.utf8)), to: command, .none)
    }
    #expect(try lines(.obstruct, #"{"ok":true}"#) == ["Done."])
    #expect(try lines(.advance, #"{"ok":true,"now":3600.5}"#) == ["The time is 3600.5 s."])
    #expect(try lines(.disconnect, #"{"connections":1}"#) == ["1 connection was closed."])
    #expect(try lines(.disconnect, #"{"connections":0}"#) == ["0 connections were closed."])
    #expect(try lines(.unpair, #"{"pairings":1}"#) == ["1 pairing was removed."])
    #expect(try lines(.unpair, #"{"pairings":2}"#) == ["2 pairings were removed."])
    #expect(try lines(.list, #"{"accessories":[]}"#) == ["No accessory is served."])
    #expect(
      try lines(.list, #"{"control":"http://127.0.0.1:9427/","accessories":[]}"#) == [
        "No accessory is served.", "page and control API: http://127.0.0.1:9427/",
      ])
    #expect(
      try lines(
        .list,
        #"{"time":{"now":2.0,"scale":0},"accessories":[{"name":"My Bridge","deviceID":"A","category":"bridge","running":true,"port":5,"radio":false,"paired":true,"bridged":[{"aid":2,"name":"A\u0007 Lamp","online":false},{"aid":3,"name":"B","online":true}]},{"name":"Old","deviceID":"B","category":"other","running":false}]}"#
      ) == [
        "My Bridge  bridge, A, port 5, paired, radio off", "  2  A\u{FFFD} Lamp  offline", "  3  B",
        "Old  other, B, stopped", "Time is frozen at 2 s.",
      ])
    #expect(
      try lines(
        .status,
        #"{"accessories":[{"name":"G","running":false,"pairings":[{"controller":"me","admin":true}],"characteristics":[{"aid":1,"iid":9,"name":"Current Door State","value":0,"word":"open"},{"aid":1,"iid":3,"name":"Name","value":"x y"}]}]}"#
      ).dropFirst() == [
        "  controller me, admin", "  1.9  Current Door State: open (0)", #"  1.3  Name: "x y""#,
      ])
  }

  @Test("Answers about Matter are printed as readable text") func matterAnswers() throws {
    func lines(_ command: CommandName, _ json: String) throws -> [String] {
      answerLines(try JSONNode.parse(Array(json.utf8)), to: command, .none)
    }
    let opened = try lines(
      .openWindow,
      #"{"window":{"kind":"enhanced","seconds":300,"fabric":null,"payload":"MT:Y.K90AFN00KA0648G00","manualCode":"34970112332"}}"#
    )
    #expect(
      opened.prefix(3) == [
        "The window is open for 300 s.", "  manual code 34970112332", "  payload     MT:Y.K90AFN00KA0648G00",
      ])
    #expect(opened.count > 10, "the QR code")
    #expect(try lines(.closeWindow, "{}") == ["Done."] && lines(.removeFabric, "{}") == ["The fabric was removed."])
    func matter(_ window: String, _ fabrics: String) -> String {
      #"{"accessories":[{"name":"Lamp","running":false,"matter":{"port":5540,"payload":"MT:X","manualCode":"349","discriminator":9,"window":\#(window),"fabrics":[\#(fabrics)],"sessions":1,"subscriptions":2}}]}"#
    }
    let first = "  Matter  UDP port 5540, manual code 349"
    #expect(
      try lines(.list, matter(#"{"kind":"basic","seconds":null,"fabric":null}"#, ""))
        == [
          #"Lamp  "", "", stopped"#,
          first + ", not commissioned, window open until the accessory is commissioned (basic)",
        ])
    let fabric =
      #"{"index":1,"label":"My\u0007 Home","vendor":65521,"fabricID":"01","nodeID":"02","compressedID":"03"},{"index":3,"label":"","vendor":1,"fabricID":"01","nodeID":"02","compressedID":"03"}"#
    #expect(
      try lines(.status, matter(#"{"kind":"enhanced","seconds":9,"fabric":3}"#, fabric)).dropFirst() == [
        first + ", in 2 fabrics, window open for 9 s (enhanced, opened by fabric 3)", "  payload MT:X, discriminator 9",
        "  fabric 1 (My\u{FFFD} Home): vendor 0xFFF1, fabric ID 01, node ID 02, compressed ID 03",
        "  fabric 3: vendor 0x1, fabric ID 01, node ID 02, compressed ID 03", "  1 session, 2 subscriptions",
      ])
    for command in [.list, .status, .add, .replace, .factoryReset, .advance] as [CommandName] {
      #expect(try !lines(command, "{}").joined().isEmpty || command == .status)
    }
  }
}
