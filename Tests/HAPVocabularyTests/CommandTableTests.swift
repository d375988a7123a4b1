import HAPDeviations
import HAPIP
import HAPModel
import HAPWire
import Testing

@testable import HAPVocabulary

@Suite("The command table, the reader and the printer") struct CommandTableTests {
  private func read(_ text: String) throws(CommandRefusal) -> SimulatorCommand {
    try SimulatorCommand(json: Array(text.utf8))
  }

  /// A command with each member of its form.
  private func full(_ form: CommandForm) -> String {
    let members = form.members.map { member in
      let value =
        switch member.kind {
        case .accessory: #""Hall""#
        case .service: "8"
        case .characteristic: #""1.10""#
        case .controller: #""a \"b\"""#
        case .duration: #""90s""#
        case .fault: #""latency:by=2s""#
        case .profile: #""a/b""#
        case .value: "2.0"
        case .press: #""double""#
        case .flag: "false"
        case .percent: "7"
        case .quirks: #""hap-nodejs""#
        case .window: #""enhanced""#
        case .seconds: "300"
        case .fabric: "254"
        }
      return "\"\(member.name)\":\(value)"
    }
    return "{" + (["\"command\":\"\(form.name.rawValue)\""] + members).joined(separator: ",") + "}"
  }

  @Test("Quirks are printed as the preset's name, or as the fields that differ from the default") func quirks()
    throws
  {
    for value in [#""hap-python""#, #"{"maximumSessions":8}"#, #"{"coalescing":"0.0005s"}"#, "{}"] {
      let text = #"{"command":"quirks","value":\#(value)}"#
      #expect(try read(text).text == text)
    }
  }

  @Test("Each name has one row, in the order of the names") func rows() {
    #expect(CommandForm.all.map(\.name) == CommandName.allCases)
  }

  @Test("Each command is read with its members, and printed with the same members in the order of its row")
  func printed() throws {
    for form in CommandForm.all {
      let text = full(form)
      let command = try read(text)
      #expect(command.name == form.name)
      let printed = command.text.replacing(#"{"fault":"latency","by":"2s"}"#, with: #""latency:by=2s""#)
      #expect(printed == text)
    }
  }

  @Test(
    "A printed command is read as the same command",
    arguments: [
      #"{"command":"quirks","value":{"coalescing":"0.5ms","maximumSessions":8}}"#,
      #"{"command":"set","characteristic":"On","value":1.0}"#,
      #"{"command":"set","characteristic":"On","value":1e999}"#,
      #"{"command":"set","characteristic":"On","value":-1e999}"#,
      #"{"command":"set","characteristic":"On","value":170141183460469231731687303715884105728}"#,
      #"{"command":"set","characteristic":"On","value":null}"#,
      #"{"command":"set","characteristic":"On","value":"ä\n"}"#,
      #"{"command":"set","characteristic":"On","value":-0.0}"#,
      #"{"command":"set","characteristic":"On","value":1E22}"#,
      #"{"id":1.50,"command":"list"}"#, #"{"id":"x","command":"stop","accessory":18446744073709551615}"#,
      #"{"command":"advance","duration":"10y"}"#, #"{"command":"advance","duration":"999999999.000000001ms"}"#,
      #"{"command":"advance","duration":"315575999.999999999s"}"#, #"{"command":"advance","duration":"0.000000001ms"}"#,
      #"{"command":"advance","duration":"90.25min"}"#, #"{"command":"advance","duration":"315575999.5s"}"#,
      #"{"command":"fault","fault":{"fault":"wrong-sf","sf":"a:b=c"}}"#,
      #"{"command":"fault","fault":{"fault":"failing-read","status":-70402},"value":false}"#,
      #"{"command":"fault","fault":"latency:controller=a:b:connection=2+"}"#,
      #"{"command":"quirks","value":{"maximumSessions":8}}"#, #"{"command":"quirks","value":{}}"#,
      #"{"command":"open-window"}"#, #"{"command":"open-window","kind":"basic","seconds":180}"#,
    ])
  func same(_ text: String) throws {
    let command = try read(text)
    #expect(try read(command.text) == command, "\(command.text)")
  }

  @Test("A duration is written exactly")
  func durations() throws {
    for (text, exact) in [
      ("3600s", "1h"), ("1500ms", "1500ms"), ("90s", "90s"), ("315575999.5s", "315575999.5s"),
      ("0.0005ms", "0.0000005s"),
      ("0.000001s", "0.000001s"), ("1.000000001ms", "1.000000001ms"),
    ] {
      #expect(Duration(long: text)?.exactText == exact)
    }
  }

  @Test("A value is written as JSON: bytes in base64, whole numbers without a fraction")
  func written() {
    #expect(Value.data([1, 2, 3]).asWritten == "AQID")
    #expect(Value.float(2).asWritten == 2)
    #expect(Value.float(.nan).asWritten == .null)
    #expect(Value.float(2.5).asWritten == 2.5)
  }
}
