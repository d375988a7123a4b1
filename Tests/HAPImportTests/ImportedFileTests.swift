import HAPImport
import HAPModel
import HAPTestSupport
import Testing

@Suite("Files to import") struct ImportedFileTests {
  private static let lamp =
    #"[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[{"iid":2,"type":"23","format":"string","perms":["pr"],"value":"Lamp"}]}]}]"#

  private func read(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8)) }

  @Test(
    "The form of a file is recognized from its contents",
    arguments: [
      (lamp, ImportedFile.Form.database, [nil]), (#"{"accessories":\#(lamp)}"#, .database, [nil]),
      (
        #"{"home_assistant":{},"data":{"config-entry":{"title":"Lamp","data":{"AccessoryPairingID":"AA:BB:CC:DD:EE:01"}},"config-num":2,"entity-map":\#(lamp)}}"#,
        .diagnostics, ["AA:BB:CC:DD:EE:01"]
      ),
      (#"{"config-entry":{},"entity-map":\#(lamp)}"#, .diagnostics, [nil]),
      (
        #"{"version":1,"key":"homekit_controller-entity-map","data":{"pairings":{"AA:BB:CC:DD:EE:01":{"config_num":1,"accessories":\#(lamp)},"AA:BB:CC:DD:EE:02":{"config_num":1,"accessories":\#(lamp),"broadcast_key":null}}}}"#,
        .cache, ["AA:BB:CC:DD:EE:01", "AA:BB:CC:DD:EE:02"]
      ),
      (#"{"pairings":{"AA:BB:CC:DD:EE:01":{"accessories":\#(lamp)}}}"#, .cache, ["AA:BB:CC:DD:EE:01"]),
      (
        #"{"hall":{"AccessoryPairingID":"AA:BB:CC:DD:EE:01","accessories":\#(lamp)},"bare":{"AccessoryPairingID":"x"}}"#,
        .pairings, ["hall"]
      ),
    ])
  func forms(text: String, form: ImportedFile.Form, names: [String?]) throws {
    let file = try read(text)
    #expect(file.form == form)
    #expect(file.devices.map(\.name) == names)
    #expect(file.devices.allSatisfy { $0.copy.accessories.map(\.aid) == [1] && $0.remarks == [] })
  }

  @Test(
    "A file of an unknown form is refused with its place",
    arguments: [
      ("", "1:1: "), ("7", "1:1: this is none of"), ("{}", "1:1: this is none of"),
      ("[]", "1:1: there is no accessory"),
      ("[7]", "1:1: there is no accessory"), ("{\"accessories\":\n 7}", "2:2: accessories: a list is expected"),
      (#"{"data":{"pairings":{}}}"#, "1:1: there is no accessory"),
      (#"{"pairings":{"a":{"accessories":[]}}}"#, "1:33: pairings.a.accessories: there is no accessory"),
      ("[[", "1:3: "), ("bplist00", "the property list is damaged"),
      ("<?xml version=\"1.0\"?><plist/>", "this is a property list in XML"),
    ])
  func refused(text: String, message: String) {
    #expect {
      try read(text)
    } throws: { error in
      "\(error)".hasPrefix(message)
        || {
          Issue.record("\(error)"); return false
        }()
    }
  }

  @Test("Deviations are reported per device, with their places")
  func remarks() throws {
    let file = try read(
      #"{"pairings":{"a":{"accessories":\#(Self.lamp)},"b":{"accessories":[{"aid":1},{"aid":1}]}}} trailing"#)
    #expect(file.devices[0].remarks.count == 1)
    #expect(file.devices[1].remarks.count == 2)
    #expect(file.devices[1].remarks.last?.hasPrefix("pairings.b.accessories[1]: ") == true)
  }
}
