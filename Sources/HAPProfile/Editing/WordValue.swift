import HAPModel
import HAPWire

/// A word of a command line as a value of JSON. Whether it is a good one is judged later.
extension JSONNode {
  /// - Parameter member: tells what is text whatever it looks like (`"serialNumber": "0001"`), and what is a list: `pr,pw,ev`.
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

  /// The value of a characteristic: `on` and `off` are true and false, and text needs no quotes.
  init(word: String, format: Format?) {
    switch format {
    case .string, .tlv8, .data: self = .text(word)
    case .bool where word == "on" || word == "off": self = JSONNode(.bool(word == "on"))
    default: self = JSONNode(json: word)
    }
  }

  /// JSON, or where it is none, text.
  private init(json word: String) { self = (try? JSONNode.parse(Array(word.utf8))) ?? .text(word) }
}
