import Testing

@testable import HAPProfile
@testable import HAPWire

/// Two profiles for edits, and shorthands for edits.
protocol ProfileEditing {}

extension ProfileEditing {
  /// A profile in a typical hand-written layout, with more than one style.
  var garage: String {
    """
    {
      "format": "hasaccessory/1",
      "name": "Garage",
      "x-note": { "kept":  [1,2 ] },
      "services": [
        { "type": "GarageDoorOpener", "name": "Big Door", "primary": true,
          "characteristics": [
            { "type": "TargetDoorState", "value": "closed" }
          ],
          "behaviour": { "travelTime": "12s" } },
        {
          "type": "LightBulb",
          "name": "Lamp",
          "id": "inside",
          "characteristics": [
            { "type": "On", "value":   false },
            {
              "type": "7E536242-341C-4862-BE90-272CE15BD633", "description": "Fade Rate",
              "format": "float", "perms": ["pr"]
            }
          ]
        },
        { "type": "LightBulb", "name": "Outside" }
      ]
    }

    """
  }

  var lights: String {
    """
    {
      "format": "hasaccessory/1", "name": "Light Bridge",
      "bridgedAccessories": [
        { "name": "Desk Lamp", "services": [ { "type": "LightBulb" } ] },
        { "name": "Floor Lamp", "services": [ { "type": "LightBulb" } ] }
      ]
    }

    """
  }

  typealias Edit = (inout ProfileEditor) throws(JSONProblem) -> String

  /// The text after an edit, and the edit's message.
  func edited(_ text: String, _ edit: Edit) throws -> (text: String, said: String) {
    var editor = try ProfileEditor(json: Array(text.utf8))
    let said = try edit(&editor)
    return (String(decoding: editor.json, as: UTF8.self), said)
  }

  /// The error of an edit, "line:column path: message", or `nil`. After an error, the text must be unchanged.
  func refusal(_ text: String, _ edit: Edit) throws -> String? {
    var editor = try ProfileEditor(json: Array(text.utf8))
    do throws(JSONProblem) {
      _ = try edit(&editor)
      return nil
    } catch {
      #expect(editor.json == Array(text.utf8))
      return "\(error.place) \(error.path): \(error.message)"
    }
  }

  func set(_ target: String, _ word: String, _ choice: AccessoryChoice? = nil) -> Edit {
    { (editor) throws(JSONProblem) in try editor.set(target, to: word, in: choice) }
  }

  func remove(_ target: String, _ choice: AccessoryChoice? = nil) -> Edit {
    { (editor) throws(JSONProblem) in try editor.remove(target, in: choice) }
  }

  func add(
    _ characteristic: String, to service: String, _ value: String? = nil, _ members: [(name: String, word: String)] = []
  ) -> Edit {
    { (editor) throws(JSONProblem) in
      try editor.addCharacteristic(characteristic, to: service, value: value, members: members)
    }
  }

  func add(
    _ request: ServiceRequest, name: String? = nil, label: String? = nil, to choice: AccessoryChoice? = nil
  ) -> Edit {
    { (editor) throws(JSONProblem) in try editor.add(request, name: name, label: label, to: choice) }
  }
}
