import HAPWire
import Testing

@testable import HAPProfile

@Suite("Removing parts of a profile, and editing any document")
struct ProfileEditorRemovalTests: ProfileEditing {
  // MARK: Removing

  @Test("A service, a characteristic or a member is removed, and no other byte changes")
  func removes() throws {
    #expect(
      try edited(garage, remove("Outside")).text
        == garage.replacing("    },\n    { \"type\": \"LightBulb\", \"name\": \"Outside\" }", with: "    }"))
    let (text, said) = try edited(garage, remove("inside/On"))
    #expect(text == garage.replacing("        { \"type\": \"On\", \"value\":   false },\n", with: ""))
    #expect(said == "removed services[1].characteristics[0], On; LightBulb requires it, so it stays with a safe value")
    #expect(try edited(garage, remove("inside/fade rate")).said == "removed services[1].characteristics[1], fade rate")
    #expect(
      try edited(garage, remove("x-note")).text == garage.replacing("  \"x-note\": { \"kept\":  [1,2 ] },\n", with: ""))
    #expect(try edited(garage, remove("x-note.kept")).text == garage.replacing("{ \"kept\":  [1,2 ] }", with: "{}"))
    #expect(try edited(garage, remove("inside/On.value")).text == garage.replacing(", \"value\":   false", with: ""))
    #expect(
      try edited(garage, remove("Big Door.behaviour")).text
        == garage.replacing(",\n      \"behaviour\": { \"travelTime\": \"12s\" }", with: ""))
    #expect(
      try edited(lights, remove("LightBulb", .number(3))).said == "removed bridgedAccessories[1].services[0], LightBulb"
    )
  }

  @Test("A name means a service if there is no member of that name")
  func removeNamesake() throws {
    let text = document(
      #""category": "other""#,
      services: #"{ "type": "Switch", "name": "Model" }, { "type": "Outlet", "name": "Category" }"#)
    #expect(try edited(text, remove("model")).said == "removed services[0], Switch")
    #expect(try edited(text, remove("category")).said == "removed category")
  }

  @Test(
    "Removing a missing part is an error",
    arguments: [
      ("serialNumber", "1:1 : there is no member \"serialNumber\" here"),
      ("x-noet", "1:1 : there is no member \"x-noet\" here: did you mean \"x-note\"?"),
      ("Outside.id", "23:5 services[2]: there is no member \"id\" here"),
      ("inside/On.perms", "16:9 services[1].characteristics[0]: there is no member \"perms\" here"),
      ("name.x", "3:11 name: an object is expected, not a string"),
      ("Outside/On", "23:5 services[2]: On isn't stated here, and LightBulb requires it"),
    ])
  func removeRefused(_ target: String, _ message: String) throws {
    #expect(try refusal(garage, remove(target)) == message)
  }

  // MARK: Documents of any kind

  @Test(
    "A document that is not a profile is refused or edited, and never traps",
    arguments: [
      "{}", "[]", "1", "null", #"{"services":1}"#, #"{"services":[1,{}]}"#,
      #"{"services":[{"type":1,"characteristics":[1,{"type":2}]}]}"#,
      #"{"services":[{"type":"Switch","characteristics":{}}],"bridgedAccessories":[1,{"services":[null]}]}"#,
      #"{"name":{},"bridgedAccessories":{}}"#,
    ])
  func anyDocument(_ text: String) throws {
    let request = try ServiceRequest("Switch:On")
    var edits: [Edit] = []
    for choice in [nil, AccessoryChoice.number(1), .number(2), .name("x")] {
      edits.append(add(request, name: "n", label: "l", to: choice))
      for target in [
        "name", "name.x", "Switch", "Switch.name", "Switch/On", "Switch#1/On.value", "/", ".", "#", "a.b.c", "x-", "/.",
        "services",
      ] {
        edits += [set(target, "1", choice), remove(target, choice)]
      }
    }
    for target in ["Switch", "Switch#1", ""] { edits += [add("On", to: target), add("Name", to: target, "")] }
    var made = 0
    for edit in edits where try refusal(text, edit) == nil {
      let (after, said) = try edited(text, edit)
      #expect(!said.isEmpty)
      #expect(throws: Never.self) { try JSONNode.parse(Array(after.utf8)) }
      made += 1
    }
    #expect((made > 0) == text.hasPrefix("{"))
  }

  @Test("Malformed JSON is refused with its place")
  func noJSON() {
    let error = #expect(throws: JSONError.self) { try ProfileEditor(json: Array("{ a: 1 }".utf8)) }
    #expect(error?.place == JSONPlace(line: 1, column: 3))
  }
}
