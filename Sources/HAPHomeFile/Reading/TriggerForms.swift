import HAPHome
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

/// A condition as lists. An object with a list, `{ all: [A, B] }`, has two levels for each level of the condition. A document has at most 64
/// levels, so a condition that is nested deeply is written as `[all, A, B]`, with one level.
extension JSONNode {
  private static let words = [ConditionWord.all.rawValue, ConditionWord.any.rawValue]

  /// The condition with objects instead of lists.
  var expandedCondition: JSONNode {
    if let elements, let word = elements.first?.stringValue, Self.words.contains(word) {
      let parts = JSONNode(.array(elements.dropFirst().map(\.expandedCondition)), place: place, path: path)
      return JSONNode(.object([Member(name: word, place: place, value: parts)]), place: place, path: path)
    }
    return mapParts(\.expandedCondition)
  }

  /// The condition with lists instead of objects, if it is nested deeply.
  var foldedCondition: JSONNode { height > 48 ? folded : self }

  private var folded: JSONNode {
    for word in Self.words {
      if let parts = self[word]?.elements { return .list([.text(word)] + parts.map(\.folded)) }
    }
    return mapParts(\.folded)
  }

  /// Changes the conditions that are parts of this one.
  private func mapParts(_ body: (JSONNode) -> JSONNode) -> JSONNode {
    guard var members else { return self }
    for index in members.indices {
      switch members[index].name {
      case ConditionWord.not.rawValue: members[index].value = body(members[index].value)
      case let name where Self.words.contains(name):
        guard let parts = members[index].value.elements else { continue }
        members[index].value.kind = .array(parts.map(body))
      default: break
      }
    }
    var node = self
    node.kind = .object(members)
    return node
  }

  /// The number of levels of lists and objects.
  private var height: Int {
    switch kind {
    case .array(let elements): 1 + (elements.map(\.height).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.height).max() ?? 0)
    case .null, .bool, .number, .string: 0
    }
  }
}
