import HAPCrypto
import HAPPreparation
import HAPProfile
import HAPStore
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import HAPMatter
@testable import MatterController

/// Checked: these tests fail if the node is made without the choices of the profile, and if a replacement brings none.
@Suite("Choices of a profile about Matter, in a served accessory") struct MatterChoiceTests {
  private static func lamp(_ choice: String, _ brightness: String = "") -> String {
    """
    { "format": "hasaccessory/1", "name": "Lamp", "serialNumber": "L-1", "category": "lightbulb",
      "services": [ { "type": "Lightbulb", "name": "Lamp"\(choice),
        "characteristics": [ { "type": "Brightness", "value": 50\(brightness) } ] } ] }
    """
  }

  private func deviceType(_ phone: MatterPhone) async throws -> Element.Value? {
    guard case .container(.array, let types)? = try await phone.read(AttributePath(1, 0x1D, 0)) else { return nil }
    return types.first?[0]
  }

  @Test("The node follows the choices of the profile, and those of a profile that replaces it")
  func choices() async throws {
    try await withMatterHome { home in
      let plug = #", "matter": { "deviceType": "DimmablePlugInUnit" }"#
      let served = try ServedNode(Self.lamp(plug), in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      #expect(try await deviceType(phone) == .unsigned(UInt64(0x10B)))
      #expect(try await phone.read(AttributePath(1, 8, 0)) == .unsigned(UInt64(127)))

      served.profiles["other"] = Self.lamp("", #", "matter": false"#)
      try await served.command("replace", #""profile": "other""#)
      #expect(try await deviceType(phone) == .unsigned(UInt64(0x100)))
      #expect(try await phone.read(AttributePath(1, 8, 0)) == nil)
      // The characteristic is still there for HAP.
      #expect(try await served.value("Brightness")?.integerValue == 50)

      served.profiles["wrong"] = Self.lamp(#", "matter": { "deviceType": "DoorLock" }"#)
      let answer = try await served.answer(#"{"command": "replace", "profile": "wrong"}"#)
      #expect(answer["ok"]?.boolValue == false)
      #expect(answer["error"]?["message"]?.stringValue?.contains("services[0].matter.deviceType") == true)

      // The choices survive a restart of the accessory.
      try await served.command("reboot")
      #expect(try await phone.connect() != nil)
      #expect(try await deviceType(phone) == .unsigned(UInt64(0x100)))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A profile with a choice that can't be followed is not served")
  func refused() async throws {
    try await withMatterHome { home in
      let error = #expect(throws: ProfileErrors.self) {
        _ = try ServedNode(Self.lamp(#", "matter": { "deviceType": "DoorLock" }"#), in: home)
      }
      #expect(error?.problems.map(\.path) == ["services[0].matter.deviceType"])
    }
  }

  @Test("Choices are checked for the vendor of the node")
  func vendor() throws {
    func custom(_ type: String, _ cluster: String) -> String {
      """
      { "type": "\(type)-860E-4115-99CE-0CB5D9674D77", "format": "uint8", "perms": ["pr"], "value": 5,
        "matter": { "cluster": "\(cluster)", "attribute": "1" } }
      """
    }
    let text = """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [ { "type": "LightBulb",
        "characteristics": [ \(custom("8D930002", "FC01")), \(custom("8D930003", "FFF2FC01")) ] } ] }
      """
    let profile = try AccessoryProfile(json: Array(text.utf8), fileName: "profile")
    try PreparedAccessory(profile, in: .ephemeral(), random: .seeded(1)).close()
    let error = #expect(throws: ProfileErrors.self) {
      _ = try PreparedAccessory(profile, in: .ephemeral(), choices: .init(matterVendor: 0xFFF2), random: .seeded(1))
    }
    let errors = error?.problems.filter { $0.severity == .error }
    #expect(errors?.map(\.path) == ["services[0].characteristics[1].matter"])
  }
}
