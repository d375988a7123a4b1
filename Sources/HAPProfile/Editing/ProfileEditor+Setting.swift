import HAPModel
import HAPWire

extension ProfileEditor {
  /// Sets a value: the initial value for `LightBulb/Brightness`; the named member for `LightBulb.name`, `LightBulb/Hue.maxValue` and
  /// `serialNumber`.
  package mutating func set(
    _ target: String, to word: String, in choice: AccessoryChoice? = nil
  ) throws(JSONProblem) -> String {
    guard target.count(where: { $0 == "." }) <= 32 else { throw document.root.problem("nested too deeply") }
    switch EditTarget(target) {
    case .members(let members):
      let accessory = try accessory(orDocument: choice)
      if ["services", "bridgedAccessories"].contains(members[0]) {
        throw accessory.node.problem(
          "\"\(members[0])\" can't be set: use add-service, add-characteristic or remove")
      }
      return try set(members, of: accessory.node, to: word, order: order(of: accessory))
    case .service(let words, let members):
      let service: ServicePlace
      do throws(JSONProblem) { service = try self.service(words, in: choice) } catch {
        throw members.isEmpty ? missing(words, error) : error
      }
      guard !members.isEmpty else {
        throw service.node.problem("a service has no value: name a member, such as \(words).name")
      }
      return try set(members, of: service.node, to: word, order: ProfileMembers.service)
    case .characteristic(let words, let name, let members):
      let service = try self.service(words, in: choice)
      let members = members.isEmpty ? ["value"] : members
      switch try service.characteristic(name) {
      case .written(let node, let definition):
        return try set(members, of: node, to: word, order: ProfileMembers.characteristic, definition)
      case .required(let definition):
        var node = JSONNode.object([("type", .text(definition.identifier))])
        node.put(members[0], nested(members.dropFirst(), JSONNode(word, members, node, definition)))
        let place = try append(node, to: "characteristics", of: service.node, order: ProfileMembers.service)
        return "added \(place), \(definition.identifier), with \(members.joined(separator: ".")) \(word)"
      }
    }
  }

  private mutating func set(
    _ members: [String], of node: JSONNode, to word: String, order: [String],
    _ definition: CharacteristicDefinition? = nil
  ) throws(JSONProblem) -> String {
    let new = JSONNode(word, members, node, definition)
    var parent = node
    var rest = members[...]
    _ = try parent.asObject()
    while rest.count > 1, let next = parent[rest[rest.startIndex]] {
      _ = try next.asObject()
      parent = next
      rest.removeFirst()
    }
    let name = rest.removeFirst()
    let value = nested(rest, new)
    let path = members.reduce(node.path) { .member(of: $0, $1) }.description
    if let old = parent[name], old.says(value) { return "\(path) already has that value" }
    try change(at: parent) { (document) throws(JSONError) in
      try document.set(name, of: parent.path, to: value, order: parent.path == node.path ? order : [])
    }
    return "set \(path) to \(word)"
  }

  /// Wraps a value in objects, for nested members that don't exist yet.
  private func nested(_ names: ArraySlice<String>, _ value: JSONNode) -> JSONNode {
    names.reversed().reduce(value) { .object([($1, $0)]) }
  }

  private func missing(_ words: String, _ problem: JSONProblem) -> JSONProblem {
    let names = ProfileMembers.document + ProfileMembers.bridgedAccessory
    guard let meant = nearestName(to: words, in: names) else { return problem }
    return document.root.problem("there is no member and no service \"\(words)\" here: did you mean \"\(meant)\"?")
  }
}

extension JSONNode {
  /// Parses a command-line argument as the value of a characteristic, or of another member.
  fileprivate init(_ word: String, _ members: [String], _ node: JSONNode, _ definition: CharacteristicDefinition?) {
    guard members == ["value"] else {
      self.init(word: word, of: members[0])
      return
    }
    let format = node["format"]?.stringValue.flatMap { Format(rawValue: $0) } ?? definition?.format
    self.init(word: word, format: format)
  }
}
