import HAPIP
import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@Suite("Reading the databases of real devices") struct AttributeReaderTests {
  private func read(_ text: String) throws -> (accessories: [Accessory], remarks: [String]) {
    var reader = AttributeReader()
    let accessories = try reader.accessories(try reader.parse(Array(text.utf8)))
    return (accessories, reader.remarks.map(\.description))
  }

  private func characteristic(_ members: String) throws -> (Characteristic?, remarks: [String]) {
    let (accessories, remarks) = try read(
      #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[{\#(members)}]}]}]}"#)
    let place = "accessories[0].services[0].characteristics[0]"
    return (
      accessories[0].services[0].characteristics.first, remarks.map { String($0.trimmingPrefix(place)) }
    )
  }

  @Test("Each recorded device is read completely, and its deviations are reported", arguments: deviceFiles)
  func devices(name: String) throws {
    let mirror = try AccessoryMirror(try deviceFile(name))
    let tree = try JSONNode.parse(try deviceFile(name))
    let ids = tree.elements!.map {
      $0["services"]!.elements!.map { $0["characteristics"]!.elements!.map { $0["iid"]!.integerValue } }
    }
    #expect(mirror.database.accessories.map { $0.services.map { $0.characteristics.map { Int128($0.iid) } } } == ids)
    switch name {
    case "eve_energy.json":
      #expect(mirror.remarks.filter { $0.message.contains("has a duplicate iid") }.count == 5)
      #expect(mirror.remarks.filter { $0.message == "bytes are written in hexadecimal" }.count == 3)
      #expect(mirror.remarks.count == 8, "\(mirror.remarks)")
    case "nanoleaf_bulb.json":
      #expect(mirror.remarks.map(\.message) == ["the type's UUID has no dashes", "the type's UUID has no dashes"])
    default: #expect(mirror.remarks == [])
    }
  }

  @Test("A valid characteristic is read unchanged")
  func clean() throws {
    let (read, remarks) = try characteristic(
      #""iid":9,"type":"00000011-0000-1000-8000-0026BB765291","format":"float","perms":["pr","ev"],"value":21.5,"unit":"celsius","#
        + #""minValue":-10,"maxValue":50,"minStep":0.5,"description":"Inside","valid-values":[1,2],"valid-values-range":[0,9],"maxLen":7"#
    )
    #expect(remarks == [])
    #expect(
      read
        == Characteristic(
          iid: 9, type: 0x11, format: .float, perms: [.pairedRead, .events], value: .float(21.5), unit: .celsius,
          description: "Inside",
          constraints: Constraints(
            minValue: .float(-10), maxValue: .float(50), minStep: .float(0.5), maxLen: 7, validValues: [1, 2],
            validValuesRange: 0...9)))
  }

  @Test(
    "A tolerated deviation is reported",
    arguments: [
      (#""iid":"9","type":"25","format":"bool","perms":["pr"],"value":1"#, ".iid: is not written as a JSON integer"),
      (#""iid":9.0,"type":"25","format":"bool","perms":["pr"]"#, ".iid: is not written as a JSON integer"),
      (#""iid":9,"type":"25","perms":["pr"]"#, ": the format is missing; On has bool"),
      (#""iid":9,"type":"8","format":"int32","perms":["pr"]"#, ".format: \"int32\" is called \"int\" in HAP"),
      (#""iid":9,"type":"8","format":"long","perms":["pr"]"#, ".format: is not a HAP format"),
      (#""iid":9,"type":"25","format":"bool""#, ": the permissions are missing"),
      (#""iid":9,"type":"25","format":"bool","perms":["pr","nb"]"#, ".perms[1]: is not a HAP permission"),
      (#""iid":9,"type":"25","format":"bool","perms":"pr""#, ".perms: is not a list"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"value":7.0"#, ".value: a whole number is written as 7.0"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"value":"7""#, ".value: a number is written as text"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"value":true"#, ".value: true is used as a number"),
      (#""iid":9,"type":"8","format":"float","perms":["pr"],"value":"7.5""#, ".value: a number is written as text"),
      (#""iid":9,"type":"23","format":"string","perms":["pr"],"value":7"#, ".value: a text is written as a number"),
      (
        #""iid":9,"type":"25","format":"bool","perms":["pr"],"value":"on""#,
        ".value: a string is not a value of format bool"
      ),
      (
        #""iid":9,"type":"25","format":"tlv8","perms":["pr"],"value":"?""#,
        ".value: a string is not a value of format tlv8"
      ),
      (
        #""iid":9,"type":"25","format":"data","perms":["pr"],"value":"0A1bfF""#,
        ".value: bytes are written in hexadecimal"
      ),
      (#""iid":9,"type":"25","format":"data","perms":["pr"],"value":"AQ""#, ".value: the Base64 padding is missing"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"unit":"furlong""#, ".unit: is not a HAP unit"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"minValue":"0""#, ".minValue: is not a number"),
      (#""iid":9,"type":"8","format":"int","perms":["pr"],"maxLen":-1"#, ".maxLen: is not a length"),
      (
        #""iid":9,"type":"8","format":"int","perms":["pr"],"valid-values":[1,"x"]"#,
        ".valid-values[1]: is not a whole number"
      ),
      (
        #""iid":9,"type":"8","format":"int","perms":["pr"],"valid-values-range":[3,1]"#,
        ": valid-values-range is not a range"
      ),
    ])
  func tolerated(members: String, told: String) throws {
    let (read, remarks) = try characteristic(members)
    #expect(read?.iid == 9)
    #expect(remarks == [told])
  }

  @Test(
    "An unreadable member is left out and reported",
    arguments: [
      (#""type":"25","format":"bool""#, ": iid is missing; this is left out"),
      (#""iid":0,"type":"25","format":"bool""#, ".iid: is not an ID; this is left out"),
      (#""iid":-4,"type":"25","format":"bool""#, ".iid: is not an ID; this is left out"),
      (#""iid":9,"format":"bool""#, ": the type is missing or is not a UUID; this is left out"),
      (#""iid":9,"type":"lamp","format":"bool""#, ": the type is missing or is not a UUID; this is left out"),
      (
        #""iid":9,"type":"7E536242-341C-4862-BE90-272CE15BD633","perms":["pr"]"#,
        ": the format is unknown; it is left out"
      ),
    ])
  func leftOut(members: String, told: String) throws {
    let (read, remarks) = try characteristic(members)
    #expect(read == nil)
    #expect(remarks == [told])
  }

  @Test("Dangling links, duplicate ids and malformed lists are left out")
  func structure() throws {
    let (accessories, remarks) = try read(
      #"[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":7,"linked":[0,9,2],"primary":1,"hidden":true},"#
        + #"{"iid":2,"type":"43","linked":null},{"iid":2,"type":"43"}]},{"aid":1,"services":[]},{"aid":2}]"#)
    #expect(accessories.map(\.aid) == [1, 2])
    #expect(accessories[0].services.map(\.iid) == [1, 2, 3])
    #expect(accessories[0].services[0].linked == [2])
    #expect(accessories[0].services[0].isPrimary && accessories[0].services[0].isHidden)
    #expect(remarks.count == 6, "\(remarks)")
  }

  @Test("A duplicate iid gets a free one, even if the greatest number is taken")
  func clashAtTheEnd() throws {
    let mirror = try AccessoryMirror(
      Array(
        #"[{"aid":1,"services":[{"iid":1,"type":"3E"},{"iid":18446744073709551615,"type":"43"},{"iid":1,"type":"43"}]}]"#
          .utf8))
    #expect(mirror.database.services.map(\.iid) == [1, .max, 2])
    #expect(mirror.remarks.count == 1)
  }

  @Test("Remarks about endless events are bounded")
  func boundedRemarks() throws {
    var mirror = try AccessoryMirror(Array(#"[{"aid":1,"services":[]}]"#.utf8))
    var reader = AttributeReader()
    let unknown = try CharacteristicEntry.list(
      Array(#"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#.utf8), &reader)
    for _ in 0..<30 { _ = mirror.take(Array(repeating: unknown[0], count: 1000), of: "an event") }
    #expect(mirror.remarks.count == 10_000)
  }

  @Test(
    "A body other than a list of accessories is refused with its place",
    arguments: ["7", "{}", #"{"accessories":7}"#, "", "[[", "\0"])
  func refused(text: String) { #expect(throws: JSONProblem.self) { try read(text) } }

  @Test("Almost valid JSON is repaired")
  func repaired() throws {
    let (accessories, remarks) = try read("{\"accessories\":[{\"aid\":1,\"services\":[],},]}\0\0")
    #expect(accessories.map(\.aid) == [1])
    #expect(remarks.count == 2)
  }

  @Test("The mirror applies answers and events, and reports unknown ids")
  func mirror() throws {
    var mirror = try AccessoryMirror(
      Array(
        #"[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[{"iid":9,"type":"25","format":"bool","perms":["pr"],"value":0}]}]}]"#
          .utf8))
    let id = AttributeID(aid: 1, iid: 9)
    #expect(mirror.database[id] == .bool(false))
    var reader = AttributeReader()
    let entries = try CharacteristicEntry.list(
      Array(
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":8,"value":1},{"aid":1,"iid":9,"status":-70402}]}"#
          .utf8), &reader)
    #expect(entries.map(\.isSuccess) == [true, true, false])
    #expect(entries[2].failure == .unableToCommunicate)
    #expect(mirror.take(entries, of: "an event") == [.init(id: id, value: .bool(true))])
    #expect(mirror.database[id] == .bool(true))
    #expect(mirror.remarks.map(\.description) == ["an event: there is no 1.8 in the database"])
    for wrong in ["", "{}", #"{"characteristics":[{"aid":1}]}"#, #"{"characteristics":[{"aid":0,"iid":1}]}"#] {
      #expect(throws: JSONProblem.self) { try CharacteristicEntry.list(Array(wrong.utf8), &reader) }
    }
  }
}
