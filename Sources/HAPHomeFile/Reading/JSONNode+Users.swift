import HAPWire

extension JSONNode {
  /// The node with all lists of users sorted. These lists have no order.
  var withSortedUsers: JSONNode {
    var node = self
    switch kind {
    case .array(let elements): node.kind = .array(elements.map(\.withSortedUsers))
    case .object(var members):
      for index in members.indices {
        if members[index].name == "users", let users = members[index].value.elements {
          members[index].value.kind = .array(users.sorted { $0.stringValue ?? "" < $1.stringValue ?? "" })
        } else {
          members[index].value = members[index].value.withSortedUsers
        }
      }
      node.kind = .object(members)
    case .null, .bool, .number, .string: break
    }
    return node
  }
}
