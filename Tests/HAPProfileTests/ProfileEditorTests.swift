import Foundation
import HAPWire
import Testing

@testable import HAPProfile

@Suite("Editing a profile") struct ProfileEditorTests: ProfileEditing {
  // MARK: Adding

  @Test("A service is added after the others, and no other byte changes")
  func addService() throws {
    let request = try ServiceRequest("Switch:Name")
    let (text, said) = try edited(garage, add(request, name: "Button", label: "button"))
    let added = """
      "Outside" },
          {
            "type": "Switch",
            "name": "Button",
            "id": "button",
            "characteristics": [
              { "type": "Name" }
            ]
          }
      """
    #expect(text == garage.replacing("\"Outside\" }", with: added))
    #expect(said == "added services[3], Switch")
    #expect(problems(text).isEmpty, "\(problems(text))")
  }

  @Test("A service is added to the given accessory, by number or name, even if it has no services")
  func addToBridged() throws {
    let request = try ServiceRequest("Switch")
    for choice in [AccessoryChoice("3"), AccessoryChoice("floor-lamp")] {
      let (text, said) = try edited(lights, add(request, to: choice))
      let line = #""Floor Lamp", "services": [ { "type": "LightBulb" }"#
      #expect(text == lights.replacing(line, with: line + #", { "type": "Switch" }"#))
      #expect(said == "added bridgedAccessories[1].services[1], Switch")
    }
    let (text, said) = try edited(lights, add(request, to: .number(1)))
    #expect(text == lights.replacing("Bridge\",\n", with: "Bridge\", \"services\": [ { \"type\": \"Switch\" } ],\n"))
    #expect(said == "added services[0], Switch")
  }

  @Test("The next stateless switch gets the next index on the label")
  func labelIndex() throws {
    let request = try ServiceRequest("StatelessProgrammableSwitch:ServiceLabelIndex")
    let (text, _) = try edited(document(services: #"{ "type": "89" }, { "type": "Switch" }"#)) {
      (editor) throws(JSONProblem) in
      try editor.add(request)
    }
    #expect(text.contains(#"{ "type": "ServiceLabelIndex", "value": 2 }"#))
  }

  @Test("A characteristic is added with a safe value, or with the given one")
  func addCharacteristic() throws {
    let last = "[\"pr\"]\n        }"
    func line(_ text: String) -> String { garage.replacing(last, with: last + ",\n        " + text) }
    #expect(
      try edited(garage, add("brightness", to: "inside")).text == line(#"{ "type": "Brightness", "value": 100 }"#))
    #expect(
      try edited(garage, add("8", to: "LightBulb#1", "60")).text == line(#"{ "type": "Brightness", "value": 60 }"#))
    #expect(try edited(garage, add("Name", to: "inside", "60")).text == line(#"{ "type": "Name", "value": "60" }"#))
    let (text, said) = try edited(garage, add("On", to: "outside", "on"))
    #expect(
      text
        == garage.replacing(
          #""Outside" }"#, with: #""Outside", "characteristics": [ { "type": "On", "value": true } ] }"#))
    #expect(said == "added services[2].characteristics[0], On")
    #expect(problems(text).isEmpty)
  }

  @Test("A custom characteristic needs format and permissions, and its value must match")
  func addVendors() throws {
    let type = "00000001-1111-2222-3333-444444444444"
    let (text, said) = try edited(
      garage, add(type, to: "Outside", "7", [("format", "string"), ("perms", "pr,ev")]))
    let new = #"{ "type": "\#(type)", "format": "string", "perms": ["pr", "ev"], "value": "7" }"#
    #expect(text.contains(new))
    #expect(said == "added services[2].characteristics[0], \(type)")
    #expect(problems(text).filter { $0.severity == .error }.isEmpty)
    // The rules of the profile report missing members.
    #expect(try problems(edited(garage, add(type, to: "Outside")).text).map(\.rule).contains("custom-metadata"))
  }

  @Test("An impossible addition is refused, with the conflicting place")
  func addRefused() throws {
    let request = try ServiceRequest("Switch")
    #expect(
      try refusal(lights, add(request))
        == "1:1 : there are 3 accessories, 1 (Light Bridge), 2 (Desk Lamp), 3 (Floor Lamp): choose one by its number")
    #expect(
      try refusal(lights, add(request, to: .name("Desk Lmap")))
        == "3:25 bridgedAccessories: there is no accessory \"Desk Lmap\" here: did you mean \"Desk Lamp\"?")
    #expect(
      try refusal(lights, add(request, to: .name("x"))) == "3:25 bridgedAccessories: there is no accessory \"x\" here")
    #expect(
      try refusal(lights, add(request, to: .number(0)))
        == "3:25 bridgedAccessories: there is no accessory 0 here: the last is 3")
    #expect(try refusal(garage, add(request, to: .number(2))) == "1:1 : there is no accessory 2 here: the last is 1")
    #expect(
      try refusal(#"{ "name": "a", "services": {} }"#, add(request))
        == "1:28 services: a list is expected, not an object")
    #expect(
      try refusal(garage, add("On", to: "inside"))
        == "16:9 services[1].characteristics[0]: LightBulb has On already")
    #expect(
      try refusal(garage, add("7e536242-341c-4862-be90-272ce15bd633", to: "inside"))
        == "17:9 services[1].characteristics[1]: LightBulb has 7e536242-341c-4862-be90-272ce15bd633 already")
    #expect(
      try refusal(garage, add("Brigtness", to: "inside"))
        == "11:5 services[1]: there is no characteristic \"Brigtness\"; did you mean Brightness?")
    #expect(
      try refusal(#"{ "services": [ { "type": "Switch", "characteristics": 1 } ] }"#, add("Name", to: "Switch"))
        == "1:56 services[0].characteristics: a list is expected, not an integer")
  }

  // MARK: Selecting

  @Test(
    "A service is selected by id, type, number among its type, or name",
    arguments: [
      ("inside", 1), ("GarageDoorOpener", 0), ("garage door opener", 0), ("41", 0), ("big door", 0), ("LightBulb#1", 1),
      ("43#2", 2), ("OUTSIDE", 2), ("00000041-0000-1000-8000-0026BB765291", 0), ("GarageDoorOpener#1", 0),
    ])
  func services(_ words: String, _ index: Int) throws {
    #expect(try edited(garage, set("\(words).hidden", "true")).said == "set services[\(index)].hidden to true")
  }

  @Test("An id takes precedence over a type; a name that equals a type is ambiguous")
  func preference() throws {
    let text = document(services: #"{ "type": "Switch" }, { "type": "Outlet", "id": "Switch" }"#)
    #expect(try edited(text, remove("Switch")).said == "removed services[1], Outlet")
    let named = document(services: #"{ "type": "Switch" }, { "type": "Outlet", "name": "switch" }"#)
    #expect(
      try refusal(named, remove("Switch"))?.hasSuffix(
        #"2 services match "Switch", Switch#1, Outlet#1 (switch): use one of these names"#) == true)
  }

  @Test(
    "An unknown or ambiguous service is refused with suggestions",
    arguments: [
      (
        "Lightbulb",
        "23:5 services[2]: 2 services match \"Lightbulb\", LightBulb#1 (Lamp), LightBulb#2 (Outside): use one of these names"
      ),
      ("LightBulb#3", "5:15 services: there is no service \"LightBulb#3\" here: did you mean \"LightBulb\"?"),
      ("LightBulb#x", "5:15 services: there is no service \"LightBulb#x\" here: did you mean \"LightBulb\"?"),
      ("Insde", "5:15 services: there is no service \"Insde\" here: did you mean \"inside\"?"),
      (
        "Thermostat",
        "5:15 services: there is no service \"Thermostat\" here; there are GarageDoorOpener#1, LightBulb#1, LightBulb#2"
      ),
      (
        "",
        "5:15 services: there is no service \"\" here; there are GarageDoorOpener#1, LightBulb#1, LightBulb#2"
      ),
    ])
  func wrongServices(_ words: String, _ message: String) throws {
    #expect(try refusal(garage, remove(words)) == message)
    #expect(try refusal(garage, set("\(words)/On", "true")) == message)
    #expect(try refusal(garage, add("On", to: words)) == message)
  }

  @Test("On a bridge, a service is searched in all accessories, or in the given one")
  func bridged() throws {
    #expect(
      try refusal(lights, set("LightBulb/On", "true"))
        == "1:1 : 2 services match \"LightBulb\", LightBulb#1 of 2 (Desk Lamp), LightBulb#1 of 3 (Floor Lamp): choose one with --accessory"
        || refusal(lights, set("LightBulb/On", "true"))?.contains("choose one with --accessory") == true)
    #expect(
      try edited(lights, set("LightBulb/On", "true", .number(2))).said
        == "added bridgedAccessories[0].services[0].characteristics[0], On, with value true")
    #expect(
      try refusal(lights, set("Switch/On", "true", .number(2)))
        == "4:40 bridgedAccessories[0].services: there is no service \"Switch\" here; there are LightBulb#1")
    #expect(
      try refusal(lights, set("Swich/On", "true"))
        == "1:1 : there is no service \"Swich\" here; there are LightBulb#1, LightBulb#1")
    let (text, _) = try edited(lights, set("name", "Big Lamp", .name("Desk Lamp")))
    #expect(text == lights.replacing("Desk Lamp", with: "Big Lamp"))
    #expect(try edited(lights, set("name", "Hub")).text == lights.replacing("Light Bridge", with: "Hub"))
  }

  @Test("List elements other than objects are ignored")
  func noObjects() throws {
    let text =
      #"{"bridgedAccessories":[1,{"name":"x","services":[2,{"type":"Switch","characteristics":[3,{"type":"On"}]}]}]}"#
    #expect(
      try edited(text, set("Switch#1/On", "off", .number(2))).said
        == "set bridgedAccessories[1].services[1].characteristics[1].value to off")
    #expect(
      try refusal(text, remove("Outlet", .number(2)))?.hasSuffix(
        "there is no service \"Outlet\" here; there are Switch#1") == true)
  }

  @Test(
    "An unknown characteristic is refused with a suggestion",
    arguments: [
      ("inside/Hue", "11:5 services[1]: LightBulb has no Hue here: add-characteristic adds it"),
      ("inside/Fade", "11:5 services[1]: LightBulb has no characteristic \"Fade\""),
      (
        "inside/Fade Rat", "11:5 services[1]: LightBulb has no characteristic \"Fade Rat\": did you mean \"Fade Rate\"?"
      ),
      ("inside/Onn", "11:5 services[1]: LightBulb has no characteristic \"Onn\": did you mean \"On\"?"),
      (
        "big door/CurentDoorState",
        "6:5 services[0]: GarageDoorOpener has no characteristic \"CurentDoorState\": did you mean \"CurrentDoorState\"?"
      ),
      ("inside/", "11:5 services[1]: LightBulb has no characteristic \"\""),
    ])
  func wrongCharacteristics(_ words: String, _ message: String) throws {
    #expect(try refusal(garage, set(words, "1")) == message)
    #expect(try refusal(garage, remove(words)) == message)
  }

  // MARK: Setting

  @Test(
    "A value or a member is set in place, and no other byte changes",
    arguments: [
      ("inside/On", "true", "false }", "true }"), ("inside/25.value", "on", "false }", "true }"),
      ("big door/TargetDoorState", "open", #""closed""#, #""open""#),
      ("41/target-door-state", "0", #""closed""#, "0"),
      ("inside/Fade Rate.perms", "pr,pw", #"["pr"]"#, #"["pr", "pw"]"#),
      ("inside/Fade Rate.perms", #"["ev"]"#, #"["pr"]"#, #"["ev"]"#),
      ("inside/fade rate", "2.50", #""description""#, #""value": 2.50, "description""#),
      ("inside/fade rate.valid-values", "1,2", #"["pr"]"#, #"["pr"], "valid-values": [1, 2]"#),
      ("inside/On.unit", "null", "false }", "false, \"unit\": null }"),
      ("name", "7", #""Garage""#, #""7""#),
      ("serialNumber", "42", #""Garage","#, "\"Garage\",\n  \"serialNumber\": \"42\","),
      ("Outside.name", "In \"and\" out", #""Outside""#, #""In \"and\" out""#),
      ("Outside.linked", "inside", #""Outside""#, #""Outside", "linked": ["inside"]"#),
      ("inside.primary", "false", #""id""#, "\"primary\": false,\n      \"id\""),
      ("Big Door.behaviour.travelTime", "5s", "12s", "5s"),
      ("Big Door.behaviour.onObstruction", "stop", #""12s""#, #""12s", "onObstruction": "stop""#),
      ("Big Door.behaviour", #"{"jams":0.1}"#, #"{ "travelTime": "12s" }"#, #"{ "jams": 0.1 }"#),
      ("x-note.kept", "false", "[1,2 ]", "false"),
      ("x-note.more.yet.on", "1", "[1,2 ] }", "[1,2 ], \"more\": { \"yet\": { \"on\": 1 } } }"),
    ])
  func sets(_ target: String, _ word: String, _ before: String, _ after: String) throws {
    let start = try #require(garage.range(of: before))
    #expect(try edited(garage, set(target, word)).text == garage.replacingCharacters(in: start, with: after))
  }

  @Test("A required characteristic is written when one of its members is set")
  func setRequired() throws {
    let (text, said) = try edited(garage, set("Outside/On.persist", "false"))
    #expect(said == "added services[2].characteristics[0], On, with persist false")
    #expect(text.contains(#"{ "type": "On", "persist": false }"#) && problems(text).isEmpty)
    #expect(
      try edited(garage, set("Outside/On.x-a.b", "7")).text.contains(
        #""characteristics": [ { "type": "On", "x-a": { "b": 7 } } ]"#))
  }

  @Test("Setting an unchanged value leaves the text as it is")
  func setTheSame() throws {
    for (target, word) in [("inside/On", "off"), ("x-note.kept", "[1, 2]"), ("Outside.name", "Outside")] {
      let (text, said) = try edited(garage, set(target, word))
      #expect(text == garage && said.hasSuffix(" already has that value"))
    }
  }

  @Test(
    "A value that can't be set is refused with its place",
    arguments: [
      ("services", "[]", "1:1 : \"services\" can't be set: use add-service, add-characteristic or remove"),
      (
        "bridgedAccessories", "[]",
        "1:1 : \"bridgedAccessories\" can't be set: use add-service, add-characteristic or remove"
      ),
      ("Outside", "x", "23:5 services[2]: a service has no value: name a member, such as Outside.name"),
      ("nmae", "x", "1:1 : there is no member and no service \"nmae\" here: did you mean \"name\"?"),
      ("name.first", "x", "3:11 name: an object is expected, not a string"),
      (
        "inside/On.value.x", "1", "16:36 services[1].characteristics[0].value: an object is expected, not true or false"
      ),
      ("x-a" + String(repeating: ".b", count: 33), "1", "1:1 : nested too deeply"),
    ])
  func setRefused(_ target: String, _ word: String, _ message: String) throws {
    #expect(try refusal(garage, set(target, word)) == message)
  }

  @Test("A value nested too deeply is refused with its target place")
  func tooDeep() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(try refusal(garage, set("x-deep", deep)) == "1:1 : nested too deeply")
    #expect(try refusal(garage, set("x-note.kept", deep)) == "4:13 x-note: nested too deeply")
    #expect(try refusal(garage, set("Outside/On.x-a", deep)) == "23:5 services[2]: nested too deeply")
  }

  @Test("An unknown member is written, and the profile's rules report it")
  func unknownMembers() throws {
    for target in ["Outside.nmae", "inside/On.vlaue", "Big Door.behaviour.travelTme"] {
      let (text, said) = try edited(garage, set(target, "x"))
      #expect(text != garage && said.hasPrefix("set services["))
    }
    #expect(
      try problems(edited(garage, set("Outside.nmae", "x")).text).contains {
        $0.message.contains("did you mean \"name\"")
      })
  }
}
