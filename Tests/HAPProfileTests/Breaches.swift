import HAPModel
import Testing

@testable import HAPProfile

/// A profile that violates one rule, and the place of the violation.
struct Breach: Sendable, CustomTestStringConvertible {
  var rule: ProfileRule
  var path: String
  var json: String
  /// Expected in the message.
  var says = ""
  var testDescription: String { "\(rule.rawValue) at \(path): \(json.prefix(200))" }

  init(_ rule: ProfileRule, _ path: String, _ json: String, says: String = "") {
    (self.rule, self.path, self.json, self.says) = (rule, path, json, says)
  }
}

private let c0 = "services[0].characteristics[0]"

let documentBreaches: [Breach] = [
  .init(.json, "", "{", says: "ends too early"),
  .init(.json, "", "{ \"a\": 1, \"a\": 2 }", says: "twice"),
  .init(.json, "", "{ // a comment\n }", says: "x-"),
  .init(.json, "", "{ \"a\": [1,] }", says: "trailing comma: remove it"),
  .init(.json, "", "{ \"a\": 1, }", says: "trailing comma: remove it"),
  .init(.memberKind, "", "[]"),
  .init(.memberMissing, "", "{}", says: "hasaccessory/1"),
  .init(.formatVersion, "format", #"{ "format": "hasaccessory/2" }"#),
  .init(.formatVersion, "format", #"{ "format": 1 }"#),
  .init(.memberMissing, "", #"{ "format": "hasaccessory/1", "services": [] }"#, says: "\"name\""),
  .init(.memberMissing, "", #"{ "format": "hasaccessory/1", "name": "Thing" }"#, says: "\"services\""),
  .init(.memberMissing, "bridgedAccessories[0]", bridge(#"{ "name": "Lamp" }"#), says: "\"services\""),
  .init(.memberMissing, "bridgedAccessories[0]", bridge(#"{ "services": [] }"#), says: "\"name\""),
  .init(.memberMissing, "services[0]", document(services: "{}"), says: "\"type\""),
  .init(.memberMissing, c0, document(characteristics: "{}"), says: "\"type\""),
  .init(.memberUnknown, "conduct", document(#""conduct": "hap-nodejs""#), says: "it is called \"quirks\" now"),
  .init(.memberUnknown, "manufactuer", document(#""manufactuer": "x""#), says: "did you mean \"manufacturer\"?"),
  .init(
    .memberUnknown, "services[0].nmae", document(services: #"{ "type": "Switch", "nmae": "x" }"#), says: "\"name\""),
  .init(.memberUnknown, "\(c0).valeu", document(characteristics: #"{ "type": "On", "valeu": 1 }"#), says: "\"value\""),
  .init(.memberUnknown, "bridgedAccessories[0].setupCode", bridge(lamp(#""name": "A", "setupCode": "1""#))),
  .init(.memberUnknown, "copies", document(#""copies": 2"#)),
  .init(.memberKind, "name", document(#""name": 1"#)),
  .init(.memberKind, "services", #"{ "format": "hasaccessory/1", "name": "Thing", "services": {} }"#),
  .init(.memberKind, "services[0]", document(services: "1")),
  .init(.memberKind, "services[0].primary", document(services: #"{ "type": "Switch", "primary": 1 }"#)),
  .init(.memberKind, "services[0].iid", document(services: #"{ "type": "Switch", "iid": 1.0 }"#)),
  .init(.memberKind, "services[0].linked[0]", document(services: #"{ "type": "Switch", "linked": [1] }"#)),
  .init(.memberKind, "services[0].characteristics", document(services: #"{ "type": "Switch", "characteristics": 1 }"#)),
  .init(.memberKind, "\(c0).minValue", custom(#""minValue": "x""#)),
  .init(.memberKind, "\(c0).valid-values[1]", custom(#""valid-values": [0, "x"]"#)),
  .init(.memberKind, "\(c0).valid-values-range", custom(#""valid-values-range": [1]"#)),
  .init(.memberRange, "services[0].iid", document(services: #"{ "type": "Switch", "iid": 0 }"#)),
  .init(.memberRange, "services[0].iid", document(services: #"{ "type": "Switch", "iid": 18446744073709551616 }"#)),
  .init(.memberRange, "aid", document(#""aid": -1"#)),
  .init(.memberRange, "bridgedAccessories[0].copies", bridge(lamp(#""name": "A", "copies": 0"#))),
  .init(.memberRange, "bridgedAccessories[0].copies", bridge(lamp(#""name": "A", "copies": 1000000000000"#))),
  .init(
    .typeUnknown, "services[0].type", document(services: #"{ "type": "LigthBulb" }"#),
    says: "did you mean \"LightBulb\"?"),
  .init(.typeUnknown, "services[0].type", document(services: #"{ "type": "quux" }"#)),
  .init(.typeUnknown, "\(c0).type", document(characteristics: #"{ "type": "Brigthness" }"#), says: "\"Brightness\""),
  .init(.typeUnknown, "\(c0).type", document(characteristics: #"{ "type": "fade-rate" }"#), says: "'uuidgen' prints"),
  .init(.categoryUnknown, "category", document(#""category": "garage-door""#)),
  .init(.categoryUnknown, "category", document(#""category": "lihgtbulb""#), says: "did you mean \"lightbulb\"?"),
  .init(.setupCode, "setupCode", document(#""setupCode": "12345678""#)),
  .init(.setupCode, "setupCode", document(#""setupCode": "123-45-678""#), says: "too simple"),
  .init(.setupCode, "setupCode", document(#""setupCode": 1"#)),
  .init(.setupID, "setupID", document(#""setupID": "abcd""#)),
  .init(.deviceID, "deviceID", document(#""deviceID": "AA:BB:CC:DD:EE""#)),
]

let characteristicBreaches: [Breach] = [
  .init(
    .customMetadata, c0,
    document(characteristics: #"{ "type": "00000001-1111-2222-3333-444444444444", "perms": ["pr"] }"#),
    says: "\"format\""),
  .init(.customMetadata, c0, document(characteristics: #"{ "type": "FFFF", "format": "int" }"#), says: "\"perms\""),
  .init(.wordUnknown, "\(c0).format", document(characteristics: #"{ "type": "On", "format": "boolean" }"#)),
  .init(.wordUnknown, "\(c0).unit", custom(#""unit": "second""#), says: "did you mean \"seconds\"?"),
  .init(
    .wordUnknown, "\(c0).value",
    document(characteristics: #"{ "type": "CurrentDoorState", "value": "closd" }"#, type: "GarageDoorOpener"),
    says: "did you mean \"closed\"?"),
  .init(.wordUnknown, "\(c0).value", custom(#""value": "closed""#), says: "no names"),
  .init(
    .valueKind, "\(c0).value", document(characteristics: #"{ "type": "On", "value": "true" }"#),
    says: "write true without"),
  .init(
    .valueKind, "\(c0).value", document(characteristics: #"{ "type": "On", "value": "Off" }"#),
    says: "write false without"),
  .init(
    .wordUnknown, "\(c0).value", document(characteristics: #"{ "type": "On", "value": "dim" }"#),
    says: "true or false is"),
  .init(.valueKind, "\(c0).value", custom(#""value": "7""#), says: "write 7 without quotes"),
  .init(.valueKind, "\(c0).value", custom(#""value": "1.5""#, format: "float"), says: "write 1.5 without quotes"),
  .init(.perms, "\(c0).perms[0]", custom("", perms: #"["read"]"#), says: "write \"pr\""),
  .init(.perms, "\(c0).perms[0]", custom("", perms: #"["PAIRED_WRITE"]"#), says: "write \"pw\""),
  .init(.perms, "\(c0).perms[1]", custom("", perms: #"["pr", "notify"]"#), says: "write \"ev\""),
  .init(.perms, "\(c0).perms[1]", custom("", perms: #"["pw", "timed-write"]"#), says: "write \"tw\""),
  .init(.perms, "\(c0).perms[0]", custom("", perms: #"["rw"]"#), says: "write \"pr\", \"pw\""),
  .init(.perms, "\(c0).perms[0]", custom("", perms: #"["quux"]"#), says: "pr (read)"),
  .init(.perms, "\(c0).perms[1]", custom("", perms: #"["pr", "rw"]"#)),
  .init(.perms, "\(c0).perms[1]", custom("", perms: #"["pr", "pr"]"#)),
  .init(.perms, "\(c0).perms", custom("", perms: "[]")),
  .init(.permsImplied, "\(c0).perms", custom("", perms: #"["pr", "tw"]"#), says: "tw without pw"),
  .init(.permsImplied, "\(c0).perms", custom("", perms: #"["pw", "ev"]"#)),
  .init(
    .permsWidened, "\(c0).perms",
    document(characteristics: #"{ "type": "MotionDetected", "perms": ["pr", "pw", "ev"] }"#, type: "MotionSensor"),
    says: "no pw"),
  .init(.formatChanged, "\(c0).format", document(characteristics: #"{ "type": "Brightness", "format": "uint8" }"#)),
  .init(.unitChanged, "\(c0).unit", document(characteristics: #"{ "type": "Brightness", "unit": "lux" }"#)),
  .init(.unitChanged, "\(c0).unit", document(characteristics: #"{ "type": "On", "unit": "lux" }"#)),
  .init(
    .metadataWidened, "\(c0).minValue",
    document(characteristics: #"{ "type": "TargetTemperature", "minValue": 5 }"#, type: "Thermostat"),
    says: "minimum 10"),
  .init(
    .metadataWidened, "\(c0).minValue",
    document(characteristics: #"{ "type": "CurrentTemperature", "minValue": -300 }"#, type: "TemperatureSensor"),
    says: "minimum -273.15"),
  .init(.metadataWidened, "\(c0).maxValue", document(characteristics: #"{ "type": "Brightness", "maxValue": 101 }"#)),
  .init(
    .metadataWidened, "\(c0).minStep",
    document(characteristics: #"{ "type": "CurrentTemperature", "minStep": 0.01 }"#, type: "TemperatureSensor")),
  .init(.metadataWidened, "\(c0).maxLen", document(characteristics: #"{ "type": "Name", "maxLen": 65 }"#)),
  .init(
    .metadataWidened, "\(c0).valid-values",
    document(characteristics: #"{ "type": "TargetDoorState", "valid-values": [0, 1, 2] }"#, type: "GarageDoorOpener")),
  .init(.metadataFormat, "\(c0).minValue", custom(#""minValue": 1"#, format: "string")),
  .init(.metadataFormat, "\(c0).valid-values", custom(#""valid-values": [1]"#, format: "float")),
  .init(.metadataFormat, "\(c0).maxLen", custom(#""maxLen": 1"#)),
  .init(.metadataFormat, "\(c0).maxDataLen", custom(#""maxDataLen": 1"#, format: "string")),
  .init(.metadataFormat, "\(c0).minStep", custom(#""minStep": 0.5"#)),
  .init(.metadataRange, "\(c0).minValue", custom(#""minValue": 2, "maxValue": 1"#)),
  .init(.metadataRange, "\(c0).minStep", custom(#""minStep": 0"#)),
  .init(.metadataRange, "\(c0).maxValue", custom(#""maxValue": 256"#, format: "uint8")),
  .init(.metadataRange, "\(c0).maxLen", custom(#""maxLen": 257"#, format: "string")),
  .init(.metadataRange, "\(c0).valid-values", custom(#""valid-values": [1, 0]"#)),
  .init(.metadataRange, "\(c0).valid-values", custom(#""valid-values": []"#)),
  .init(.metadataRange, "\(c0).valid-values", custom(#""valid-values": [0, 9], "minValue": 0, "maxValue": 8"#)),
  .init(.metadataRange, "\(c0).valid-values-range", custom(#""valid-values-range": [2, 1]"#)),
  .init(.metadataRange, "\(c0).valid-values-range", custom(#""valid-values-range": [0, 256]"#, format: "uint8")),
  .init(.valueKind, "\(c0).value", document(characteristics: #"{ "type": "On", "value": 2 }"#)),
  .init(.valueKind, "\(c0).value", custom(#""value": 1.0"#), says: "fraction"),
  .init(.valueKind, "\(c0).value", custom(#""value": true"#)),
  .init(.valueKind, "\(c0).value", custom(#""value": "1""#, format: "float")),
  .init(.valueKind, "\(c0).value", custom(#""value": 1e999"#, format: "float")),
  .init(.valueKind, "\(c0).value", custom(#""value": 1"#, format: "string")),
  .init(.valueKind, "\(c0).value", custom(#""value": [1]"#, format: "data")),
  .init(.valueKind, "\(c0).value", custom(#""value": "AQ""#, format: "data"), says: "base64"),
  .init(
    .valueRange, "\(c0).value", document(characteristics: #"{ "type": "Brightness", "value": 101 }"#),
    says: "101 is above maxValue 100"),
  .init(
    .valueRange, "\(c0).value",
    custom(#""value": 18446744073709551615, "maxValue": 18446744073709551614"#, format: "uint64"),
    says: "18446744073709551615 is above maxValue 18446744073709551614"),
  // A value that is not written is generated, and validated as well.
  .init(
    .valueRange, c0, custom(#""minValue": 18446744073709551615, "maxValue": 18446744073709551614"#, format: "uint64"),
    says: "0 is below minValue 18446744073709551615"),
  .init(.valueRange, "\(c0).value", document(characteristics: #"{ "type": "Brightness", "value": -1 }"#)),
  .init(.valueRange, "\(c0).value", custom(#""value": 256"#, format: "uint8")),
  .init(
    .valueRange, "\(c0).value",
    custom(#""value": 340282366920938463463374607431768211455"#, format: "uint64").replacing(
      "340282366920938463463374607431768211455", with: "18446744073709551616")),
  .init(
    .valueRange, "\(c0).value", custom(#""value": 0.05, "minValue": 0.1"#, format: "float"),
    says: "0.05 is below minValue 0.1"),
  .init(
    .valueValid, "\(c0).value", custom(#""value": 1, "valid-values": [0, 2]"#),
    says: "1 is not one of valid-values 0, 2"),
  .init(
    .valueValid, "\(c0).value", custom(#""value": 1, "valid-values": [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]"#),
    says: "1 is not one of valid-values 0, 2, 3, 4, 5, 6, 7, 8 and 2 more"),
  .init(
    .valueValid, "\(c0).value", custom(#""value": 3, "valid-values-range": [0, 2]"#),
    says: "3 is outside valid-values-range 0 to 2"),
  .init(.valueLength, "\(c0).value", custom(#""value": "\#(String(repeating: "a", count: 65))""#, format: "string")),
  .init(.valueLength, "\(c0).value", custom(#""value": "ééé", "maxLen": 5"#, format: "string"), says: "6 bytes"),
  .init(.valueLength, "\(c0).value", custom(#""value": "AQID", "maxDataLen": 2"#, format: "data")),
  .init(.valueStep, "\(c0).value", custom(#""value": 5, "minStep": 2, "minValue": 0"#)),
  .init(.valueStep, "\(c0).value", custom(#""value": 0.25, "minStep": 0.1"#, format: "float")),
  .init(.valueNull, "\(c0).value", document(characteristics: #"{ "type": "On", "value": null }"#)),
  .init(
    .valueNull, "\(c0).value",
    document(
      characteristics: #"{ "type": "ProgrammableSwitchEvent", "value": 0 }"#, type: "StatelessProgrammableSwitch")),
  .init(.valueTLV8, "\(c0).value", custom(#""value": "AQID""#, format: "tlv8")),
  .init(
    .characteristicTwice, "services[0].characteristics[1]",
    document(characteristics: #"{ "type": "On" }, { "type": "25" }"#)),
  .init(
    .characteristicUnlisted, "\(c0).type", document(characteristics: #"{ "type": "MotionDetected" }"#),
    says: "Light Bulb"),
]

let serviceBreaches: [Breach] = [
  .init(.serviceEmpty, "services[0]", document(services: #"{ "type": "00000001-1111-2222-3333-444444444444" }"#)),
  .init(
    .characteristicCount, "services[0]",
    document(
      characteristics: repeated(101) {
        #"{ "type": "00000001-1111-2222-3333-\#(100_000_000_000 + $0)", "format": "int", "perms": ["pr"] }"#
      }, type: "00000001-1111-2222-3333-444444444444")),
  .init(.serviceCount, "services", document(services: repeated(99) { #"{ "type": "Switch", "name": "S\#($0)" }"# })),
  .init(
    .labelTwice, "services[1].id",
    document(services: #"{ "type": "Switch", "id": "a" }, { "type": "Outlet", "id": "a" }"#)),
  .init(
    .linkUnknown, "services[0].linked[0]",
    document(services: #"{ "type": "Switch", "linked": ["outlte"] }, { "type": "Outlet", "id": "outlet" }"#),
    says: "did you mean \"outlet\"?"),
  .init(
    .linkTwice, "services[0].linked[1]",
    document(services: #"{ "type": "Switch", "linked": ["a", "a"] }, { "type": "Outlet", "id": "a" }"#)),
  .init(.linkSelf, "services[0].linked[0]", document(services: #"{ "type": "Switch", "id": "a", "linked": ["a"] }"#)),
  .init(
    .primaryCount, "services[1].primary",
    document(services: #"{ "type": "Switch", "primary": true }, { "type": "Outlet", "primary": true }"#)),
  .init(
    .primaryInformation, "services[0].primary",
    document(services: #"{ "type": "AccessoryInformation", "primary": true }"#)),
  .init(
    .informationTwice, "services[1]",
    document(services: #"{ "type": "AccessoryInformation", "name": "A" }, { "type": "3E", "name": "B" }"#)),
  .init(
    .informationReadable, "\(c0).perms",
    document(characteristics: #"{ "type": "Model", "perms": ["hd"], "value": "M" }"#, type: "AccessoryInformation")),
  .init(
    .protocolVersion, "\(c0).value",
    document(characteristics: #"{ "type": "Version", "value": "1.0.0" }"#, type: "HAPProtocolInformation")),
  .init(
    .typeWithdrawn, "services[0].type",
    document(services: #"{ "type": "\#(Catalogue.services.first { $0.isWithdrawn && $0.type != 0x3E }!.identifier)" }"#)
  ),
]

let accessoryBreaches: [Breach] = [
  .init(.nameLength, "name", document(#""name": "\#(String(repeating: "a", count: 65))""#)),
  .init(.nameLength, "name", document(#""name": "\#(String(repeating: "é", count: 33))""#), says: "66 bytes"),
  .init(.nameLength, "name", document(#""name": """#)),
  .init(.nameControl, "name", document(#""name": "a\nb""#)),
  .init(.nameControl, "services[0].name", document(services: #"{ "type": "Switch", "name": "a\u0000b" }"#)),
  .init(.nameCharacters, "name", document(#""name": "Lamp (desk)""#)),
  .init(.nameCharacters, "name", document(#""name": " Lamp""#)),
  .init(.nameCharacters, "services[0].name", document(services: #"{ "type": "Switch", "name": "a/b" }"#)),
  .init(
    .manufacturerLength, "manufacturer",
    document(
      #""manufacturer": "\#(String(repeating: "a", count: 65))""#,
      services: #"{ "type": "3E", "characteristics": [ { "type": "Manufacturer", "value": "M" } ] }"#)),
  .init(.nameLength, "name", document(#""name": """#, services: #"{ "type": "3E", "name": "A" }"#)),
  .init(.manufacturerLength, "manufacturer", document(#""manufacturer": "\#(String(repeating: "a", count: 65))""#)),
  .init(.modelLength, "model", document(#""model": "\#(String(repeating: "a", count: 65))""#)),
  .init(.modelLength, "model", document(#""model": """#)),
  .init(.serialLength, "serialNumber", document(#""serialNumber": "1""#)),
  .init(.serialLength, "serialNumber", document(#""serialNumber": """#)),
  .init(.serialLength, "serialNumber", document(#""serialNumber": "\#(String(repeating: "1", count: 65))""#)),
  .init(
    .serialLength, "\(c0).value",
    document(characteristics: #"{ "type": "SerialNumber", "value": "1" }"#, type: "AccessoryInformation")),
  .init(
    .serialLength, "bridgedAccessories[0].serialNumber",
    bridge(lamp(#""name": "A", "serialNumber": "\#(String(repeating: "1", count: 63))", "copies": 2"#))),
  .init(
    .serialTwice, "bridgedAccessories[1].serialNumber",
    bridge(
      lamp(#""name": "A", "serialNumber": "12", "id": "a""#) + ","
        + lamp(#""name": "B", "serialNumber": "12", "id": "b""#))),
  .init(.firmwareRevision, "firmwareRevision", document(#""firmwareRevision": "1.0b""#)),
  .init(.firmwareRevision, "firmwareRevision", document(#""firmwareRevision": "1.0.0.0""#)),
  .init(.firmwareRevision, "firmwareRevision", document(#""firmwareRevision": "1.4294967296""#)),
  .init(.firmwareRevision, "firmwareRevision", document(#""firmwareRevision": "1..0""#)),
  .init(
    .accessoryCount, "bridgedAccessories", bridge(lamp(#""name": "A", "copies": 149"#) + "," + lamp(#""name": "B""#)),
    says: "151"),
  .init(.bridgeCategory, "category", bridge(lamp(#""name": "A""#), members: #""category": "lightbulb""#)),
  .init(.accessoryKeyTwice, "bridgedAccessories[1]", bridge(lamp(#""name": "A""#) + "," + lamp(#""name": "A""#))),
  .init(.aid, "aid", document(#""aid": 2"#)),
  .init(.aid, "bridgedAccessories[0].aid", bridge(lamp(#""name": "A", "aid": 1"#))),
  .init(
    .aid, "bridgedAccessories[1].aid", bridge(lamp(#""name": "A", "aid": 7"#) + "," + lamp(#""name": "B", "aid": 7"#))),
  .init(.iidOfInformation, "services[0].iid", document(services: #"{ "type": "Switch", "iid": 1 }"#)),
  .init(.iidOfInformation, "services[0].iid", document(services: #"{ "type": "AccessoryInformation", "iid": 2 }"#)),
  .init(.iid, "\(c0).iid", document(characteristics: #"{ "type": "On", "iid": 9 }"#, service: #""iid": 9,"#)),
]
