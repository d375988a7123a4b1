import HAPModel
import HAPWire
import Testing

@testable import HAPProfile

private func made(
  _ services: String..., name: String? = nil, category: HAPModel.Category? = nil
) throws -> String {
  NewProfile(name: name, category: category, services: try services.map { (text) in try ServiceRequest(text) }).text
}

private func refusal(_ text: String) -> String? {
  do throws(ServiceRequestError) {
    _ = try ServiceRequest(text)
    return nil
  } catch {
    return error.message
  }
}

@Suite("Creating profiles from short descriptions") struct NewProfileTests {
  @Test("A service with characteristics is written in the usual layout, with values to edit")
  func whole() throws {
    #expect(
      try made(
        "light bulb:Brightness, hue", "GarageDoorOpener:TargetDoorState,LockCurrentState,Identify",
        "Fanv2:RotationDirection", name: "Porch \"Lamp\"")
          == """
          {
            "format": "hasaccessory/1",
            "name": "Porch \\"Lamp\\"",
            "category": "lightbulb",
            "services": [
              {
                "type": "LightBulb",
                "primary": true,
                "characteristics": [
                  { "type": "Brightness", "value": 100 },
                  { "type": "Hue", "value": 0 }
                ]
              },
              {
                "type": "GarageDoorOpener",
                "characteristics": [
                  { "type": "TargetDoorState" },
                  { "type": "LockCurrentState" },
                  { "type": "Identify" }
                ]
              },
              {
                "type": "Fanv2",
                "characteristics": [
                  { "type": "RotationDirection", "value": "clockwise" }
                ]
              }
            ]
          }

          """)
  }

  @Test("Name and category are derived from the first service by default")
  func defaults() throws {
    #expect(
      try made("43") == """
        {
          "format": "hasaccessory/1",
          "name": "Light Bulb",
          "category": "lightbulb",
          "services": [
            { "type": "LightBulb", "primary": true }
          ]
        }

        """)
    #expect(try made("Fan").contains(#""name": "Fan","#))
    let both = try made("Switch", "LightBulb", name: "A", category: .bridge)
    #expect(both.contains(#""name": "A","#) && both.contains(#""category": "bridge","#))
  }

  @Test(
    "A profile of each service of the catalogue, minimal or with all optional characteristics, is valid",
    arguments: Catalogue.services.filter { !$0.isWithdrawn })
  func everyService(_ service: ServiceDefinition) throws {
    let all = service.optional.compactMap { Catalogue.characteristic($0) }.filter { !$0.isWithdrawn }.map(\.identifier)
    for text in [service.identifier, service.identifier + ":" + all.joined(separator: ",")] where !text.hasSuffix(":") {
      let json = try made(text)
      #expect(problems(json).isEmpty, "\(json)")
      let (short, long) = (try profile(try made(service.type.uuid)), try profile(json))
      // Required characteristics aren't written, and written ones have their default values.
      func values(_ profile: AccessoryProfile) -> [TypeID: Value] {
        let characteristics = profile.accessories[0].services.first { $0.type == service.type }?.characteristics ?? []
        return Dictionary(
          uniqueKeysWithValues: characteristics.map { ($0.characteristic.type, $0.characteristic.value) })
      }
      #expect(values(long).merging(values(short)) { $1 } == values(long))
    }
  }

  @Test("Several services of one type get different names and, on request, different indexes")
  func several() throws {
    let json = try made(
      "StatelessProgrammableSwitch:ServiceLabelIndex", "ServiceLabel", "StatelessProgrammableSwitch:ServiceLabelIndex")
    #expect(problems(json).isEmpty, "\(json)")
    #expect(json.contains(#""name": "Stateless Programmable Switch 2","#))
    #expect(json.contains(#"{ "type": "ServiceLabelIndex", "value": 2 }"#))
    #expect(!(try made("Switch", "Outlet")).contains(" 1\""))
  }

  @Test(
    "The category matches the main service",
    arguments: [
      ("LightBulb", "lightbulb"), ("Fanv2", "fan"), ("LockMechanism", "door-lock"), ("MotionSensor", "sensor"),
      ("Valve", "faucet"), ("Doorbell", "video-doorbell"), ("WiFiRouter", "wi-fi-router"), ("BatteryService", "other"),
      ("7E536242-341C-4862-BE90-272CE15BD633", "other"),
    ])
  func categories(_ service: String, _ slug: String) throws {
    #expect(try made(service).contains("\"category\": \"\(slug)\","))
  }

  @Test("Accessory Information is never the primary service")
  func information() throws {
    let json = try made("AccessoryInformation:AccessoryFlags", "Switch")
    #expect(problems(json).isEmpty, "\(json)")
    #expect(json.contains(#"{ "type": "Switch", "primary": true }"#))
    #expect(!(try made("AccessoryInformation")).contains("primary"))
  }

  @Test("A custom service is recognized only by its full UUID")
  func vendor() throws {
    let json = try made("7e536242-341c-4862-be90-272ce15bd633")
    #expect(json.contains(#"{ "type": "7E536242-341C-4862-BE90-272CE15BD633", "primary": true }"#))
    #expect(problems(json).map(\.rule) == ["service-empty"])
  }

  @Test(
    "An unknown name is reported with the most similar one",
    arguments: [
      ("LightBlub", #"there is no service "LightBlub"; did you mean LightBulb?"#),
      ("", #"there is no service """#), (":On", #"there is no service """#),
      ("FFFF", #"there is no service "FFFF""#),
      ("LightBulb:Brigtness", #"there is no characteristic "Brigtness"; did you mean Brightness?"#),
      ("LightBulb:TargetDorState", #"there is no characteristic "TargetDorState"; did you mean TargetDoorState?"#),
      ("LightBulb:", #"there is no characteristic """#), ("LightBulb:On,,Hue", #"there is no characteristic """#),
      ("LightBulb:Hue,hue", "Hue occurs twice"),
      (
        "LightBulb:7E536242-341C-4862-BE90-272CE15BD633",
        #"there is no characteristic "7E536242-341C-4862-BE90-272CE15BD633""#
      ),
      ("LightBulb:Hue:On", #"there is no characteristic "Hue:On""#),
    ])
  func unknown(_ text: String, _ message: String) {
    #expect(refusal(text) == message)
  }
}
