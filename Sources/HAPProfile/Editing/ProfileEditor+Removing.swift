import HAPWire

extension ProfileEditor {
  /// Removes a service, a characteristic or a member.
  package mutating func remove(
    _ target: String, in choice: AccessoryChoice? = nil
  ) throws(JSONProblem) -> String {
    switch EditTarget(target) {
    case .members(let members):
      let accessory = try accessory(orDocument: choice)
      // A service can have the same name as a member.
      if members.count == 1, accessory.node[members[0]] == nil, let service = try? service(target, in: choice) {
        return remove(service.node, service.identifier)
      }
      return try remove(members, of: accessory.node)
    case .service(let words, let members):
      let service = try self.service(words, in: choice)
      return try members.isEmpty ? remove(service.node, service.identifier) : remove(members, of: service.node)
    case .characteristic(let words, let name, let members):
      let service = try self.service(words, in: choice)
      guard case .written(let node, let definition) = try service.characteristic(name) else {
        throw service.node.problem("\(name) isn't stated here, and \(service.identifier) requires it")
      }
      guard members.isEmpty else { return try remove(members, of: node) }
      let said = remove(node, definition?.identifier ?? name)
      let isRequired = definition.map { service.definition?.required.contains($0.type) == true } == true
      return said + (isRequired ? "; \(service.identifier) requires it, so it stays with a safe value" : "")
    }
  }

  private mutating func remove(_ node: JSONNode, _ name: String) -> String {
    document.remove(node.path)
    return "removed \(node.path), \(name)"
  }

  private mutating func remove(_ members: [String], of node: JSONNode) throws(JSONProblem) -> String {
    var node = node
    for name in members {
      guard let next = node[name] else {
        let hint = nearestName(to: name, in: try node.asObject().map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
        throw node.problem("there is no member \"\(name)\" here\(hint)")
      }
      node = next
    }
    document.remove(node.path)
    return "removed \(node.path)"
  }
}
