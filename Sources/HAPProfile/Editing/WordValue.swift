import HAPModel
import HAPWire

// Command-line arguments as JSON values. They are checked later.
extension JSONNode {
  /// - Parameter member: decides whether the argument is always text (`"serialNumber": "0001"`) or a list (`pr,pw,ev`).
  init(word: String, of member: String) {
    switch member {
    case "format", "name", "category", "manufacturer", "model", "serialNumber", "firmwareRevision", "id", "setupCode",
      "setupID", "deviceID", "type", "description":
      self = .text(word)
    case "linked", "perms", "valid-values", "valid-values-range":
      let json = JSONNode(json: word)
      if json.elements != nil || json.isNull {
        self = json
        return
      }
      let isText = member == "linked" || member == "perms"
      self = .list(word.split(separator: ",").map { isText ? .text(String($0)) : JSONNode(json: String($0)) })
    default: self = JSONNode(json: word)
    }
  }

  /// Parses the value of a characteristic. `on` and `off` are true and false, and text needs no quotes.
  init(word: String, format: Format?) {
    switch format {
    case .string, .tlv8, .data: self = .text(word)
    case .bool where word == "on" || word == "off": self = JSONNode(.bool(word == "on"))
    default: self = JSONNode(json: word)
    }
  }

  /// Parses JSON. Anything else becomes text.
  private init(json word: String) { self = (try? JSONNode.parse(Array(word.utf8))) ?? .text(word) }
}
