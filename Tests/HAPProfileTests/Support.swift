import HAPModel
import HAPWire

@testable import HAPProfile

let testDeviceID = DeviceID("AA:BB:CC:DD:EE:0F")!

/// The problems of a text, even if it is not a profile.
func problems(_ json: String) -> [ProfileProblem] {
  do throws(ProfileErrors) {
    return try AccessoryProfile(json: Array(json.utf8), fileName: "test").problems
  } catch {
    return error.problems
  }
}

func profile(_ json: String) throws -> AccessoryProfile {
  try AccessoryProfile(json: Array(json.utf8), fileName: "test")
}

/// A valid profile around `services`, with more members before them.
func document(_ members: String = "", services: String = switchService) -> String {
  """
  { "format": "hasaccessory/1", \(members.contains("\"name\":") ? "" : "\"name\": \"Thing\", ")\(members.isEmpty ? "" : members + ", ")
    "services": [ \(services) ] }
  """
}

let switchService = #"{ "type": "Switch" }"#

/// A valid profile with one service of custom characteristics.
func document(characteristics: String, type: String = "LightBulb", service: String = "") -> String {
  document(services: #"{ "type": "\#(type)", \#(service) "characteristics": [ \#(characteristics) ] }"#)
}

/// A custom characteristic.
func custom(_ members: String, format: String = "int", perms: String = #"["pr", "pw"]"#) -> String {
  document(
    characteristics: """
      { "type": "00000001-1111-2222-3333-444444444444", "format": "\(format)", "perms": \(perms)\(members.isEmpty ? "" : ", ")\(members) }
      """)
}

func bridge(_ bridged: String, members: String = #""category": "bridge""#) -> String {
  #"{ "format": "hasaccessory/1", "name": "Bridge", \#(members), "bridgedAccessories": [ \#(bridged) ] }"#
}

func lamp(_ members: String) -> String { #"{ \#(members), "services": [ { "type": "LightBulb" } ] }"# }

func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined(separator: ", ") }
