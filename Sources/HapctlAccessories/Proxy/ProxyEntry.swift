import HAPController
import HAPModel
import HAPWire

/// A decoded message between a controller and a proxy, or a remark.
struct ProxyEntry: Equatable {
  enum Direction: String {
    /// A message from the controller.
    case request
    case answer
    case event
    /// An event that is not a message.
    case note
  }

  var direction: Direction
  /// The number of the controller's connection; nil: the entry concerns the proxy.
  var connection: UInt64?
  /// The first line of the message, or the remark.
  var line: String
  /// The status of an answer or an event.
  var status: Int?
  var body = Body.none

  enum Body: Equatable {
    case none
    case characteristics([NamedCharacteristic])
    /// The items of a pairing message, without secrets.
    case tlv([PairingItem])
    case json(JSONNode)
    /// Any other body: its declared type and its length.
    case bytes(String, Int)
  }
}

/// One entry of a list of characteristics, with the name from the accessory's database.
struct NamedCharacteristic: Equatable {
  var id: AttributeID
  /// The name; nil: the characteristic isn't in the database.
  var name: String?
  var type: String?
  var value: JSONNode?
  /// The value as text, with its name and unit.
  var text: String?
  var status: Int?
  var ev: Bool?
  /// The names of other members; additional authorization data without its value.
  var members: [String] = []

  /// The entry as text, such as "1.12 Target Door State = open (0)".
  var line: String {
    var line = "\(id) \(name ?? "?")"
    if let text { line += " = \(text)" }
    if let ev { line += ev ? ", events on" : ", events off" }
    if !members.isEmpty { line += ", \(members.joined(separator: ", "))" }
    if let status {
      let name = HAPStatus(rawValue: Int32(clamping: status)).map { " (\($0))" } ?? ""
      line += ": status \(status)\(status == 0 ? "" : name)"
    }
    return line
  }
}

// MARK: Text

extension ProxyEntry {
  /// Returns the entry as lines of text. The first line begins with time, connection and direction; the other lines are
  /// indented.
  func text(at time: TranscriptTime) -> String {
    let mark =
      switch direction {
      case .request: ">"
      case .answer, .event: "<"
      case .note: "-"
      }
    let head = "\(time.clock) \(connection.map { "#\($0) " } ?? "")\(mark) \(line)"
    return ([head] + bodyLines.map { "    " + $0 }).map(ShellScreen.harmless).joined(separator: "\n")
  }

  private var bodyLines: [String] {
    switch body {
    case .none: []
    case .characteristics(let entries): entries.map(\.line)
    case .tlv(let items): items.map(\.line)
    case .json(let node): [node.compactText]
    case .bytes(let type, let count): ["\(type), \(count) bytes"]
    }
  }
}

// MARK: JSON

extension ProxyEntry {
  /// Returns the entry as one JSON object, without a newline.
  func json(at time: TranscriptTime) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("time")
        json.string(time.iso)
        if let connection {
          json.key("connection")
          json.integer(connection)
        }
        json.key("direction")
        json.string(direction.rawValue)
        json.key("line")
        json.string(line)
        if let status {
          json.key("status")
          json.integer(status)
        }
        writeBody(to: &json)
      }
    }
  }

  private func writeBody(to json: inout JSONWriter) {
    switch body {
    case .none: break
    case .characteristics(let entries):
      json.key("characteristics")
      json.array { json in for entry in entries { entry.write(to: &json) } }
    case .tlv(let items):
      json.key("tlv")
      json.array { json in for item in items { item.write(to: &json) } }
    case .json(let node):
      json.key("body")
      json.node(node)
    case .bytes(let type, let count):
      json.key("type")
      json.string(type)
      json.key("bytes")
      json.integer(count)
    }
  }
}

extension NamedCharacteristic {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("aid")
      json.integer(id.aid)
      json.key("iid")
      json.integer(id.iid)
      for (key, member) in [("type", type), ("name", name)] {
        guard let member else { continue }
        json.key(key)
        json.string(member)
      }
      if let value {
        json.key("value")
        json.node(value)
      }
      if let text {
        json.key("text")
        json.string(text)
      }
      if let ev {
        json.key("ev")
        json.bool(ev)
      }
      if let status {
        json.key("status")
        json.integer(status)
      }
      if !members.isEmpty {
        json.key("members")
        json.array { json in for member in members { json.string(member) } }
      }
    }
  }
}
