import HAPModel
import Testing

@Suite struct TypeIDs {
  @Test(
    "[CH.27] All spellings of an Apple-defined type are equal, and are written in the short form",
    arguments: [
      "43", "043", "00000043", "00000043-0000-1000-8000-0026BB765291", "00000043-0000-1000-8000-0026bb765291",
    ])
  func apple(_ text: String) throws {
    let type = try #require(TypeID(text))
    #expect(type == 0x43)
    #expect(type.hashValue == TypeID(apple: 0x43).hashValue)
    #expect(type.wireForm == "43")
    #expect(type.uuid == "00000043-0000-1000-8000-0026BB765291")
    #expect(type.isAppleDefined)
    #expect(type.appleShort == 0x43)
  }

  @Test("[CH.27] A custom type is written as a full UUID in capitals") func custom() throws {
    let type = try #require(TypeID("7e536242-341c-4862-be90-272ce15bd633"))
    #expect(type.wireForm == "7E536242-341C-4862-BE90-272CE15BD633")
    #expect(!type.isAppleDefined)
    #expect(type.appleShort == nil)
    #expect("\(type)" == type.wireForm)
  }

  @Test("The largest short form and an almost-Apple UUID are distinct") func edges() throws {
    #expect(TypeID("FFFFFFFF")?.wireForm == "FFFFFFFF")
    #expect(TypeID("ffffffff-0000-1000-8000-0026bb765291")?.wireForm == "FFFFFFFF")
    let near = try #require(TypeID("00000043-0000-1000-8000-0026BB765292"))
    #expect(!near.isAppleDefined)
    #expect(near != 0x43)
  }

  @Test(
    "Any other text is nil",
    arguments: [
      "", "G", "0x43", "-43", "+43", "4 3", "123456789", "00000043000010008000 0026BB765291",
      "00000043-0000-1000-8000-0026BB76529",
      "00000043-0000-1000-8000-0026BB7652911", "00000043-0000-1000-80000-026BB765291",
      "{0000043-0000-1000-8000-0026BB765291",
      "00000043_0000_1000_8000_0026BB765291", "LightBulb", "é", "éééé", "0000004é-0000-1000-8000-0026BB76529",
    ])
  func wrong(_ text: String) { #expect(TypeID(text) == nil) }
}

@Suite struct SmallTypes {
  @Test("[CH.26] Formats and units have their protocol names") func names() {
    #expect(
      Format.allCases.map(\.rawValue) == [
        "bool", "uint8", "uint16", "uint32", "uint64", "int", "float", "string", "tlv8", "data",
      ])
    #expect(Unit.allCases.map(\.rawValue) == ["celsius", "percentage", "arcdegrees", "lux", "seconds"])
    #expect(Format(rawValue: "int32") == nil)
  }

  @Test("[HTTP.38] Statuses have the specification's numbers") func statuses() {
    let numbers: [HAPStatus: Int32] = [
      .success: 0, .insufficientPrivileges: -70401, .unableToCommunicate: -70402, .busy: -70403, .readOnly: -70404,
      .writeOnly: -70405, .notificationUnsupported: -70406, .outOfResources: -70407, .timedOut: -70408,
      .doesNotExist: -70409, .invalidValue: -70410, .insufficientAuthorization: -70411,
      .notAllowedInCurrentState: -70412,
    ]
    #expect(numbers.count == HAPStatus.allCases.count)
    for (status, number) in numbers { #expect(status.rawValue == number) }
  }

  @Test("Permissions have their names in the order of the specification, in both directions") func permissions() {
    let all = ["pr", "pw", "ev", "aa", "tw", "hd", "wr"]
    #expect(Permissions(rawValue: 0x7F).names == all)
    #expect(Permissions(all.compactMap(Permissions.init(name:))).names == all)
    #expect(([.events, .pairedRead] as Permissions).names == ["pr", "ev"])
    #expect(Permissions(rawValue: 0x80).names == [])
    for name in ["", "PR", "read", "pr "] { #expect(Permissions(name: name) == nil) }
  }

  @Test("A value returns only the kind that it holds") func values() {
    let all: [Value] = [.null, true, 7, 1.5, "x", .data([1]), .integer(1 << 90)]
    #expect(all.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
    #expect(all.map(\.intValue) == [nil, nil, 7, nil, nil, nil, nil])
    #expect(all.map(\.doubleValue) == [nil, 1, 7, 1.5, nil, nil, 0x1p90])
    #expect(all.map(\.stringValue) == [nil, nil, nil, nil, "x", nil, nil])
    #expect(all.map(\.dataValue) == [nil, nil, nil, nil, nil, [1], nil])
    #expect(all.map(\.isNull) == [true] + Array(repeating: false, count: 6))
  }

  @Test("Only Programmable Switch Event reads as null") func readsAsNull() {
    #expect(Catalogue.characteristics.filter(\.type.readsAsNull).map(\.identifier) == ["ProgrammableSwitchEvent"])
  }
}
