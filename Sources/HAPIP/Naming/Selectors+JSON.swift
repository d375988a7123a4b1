import HAPModel
import HAPWire

// The JSON form of services and characteristics in commands, faults and scenarios.

extension ServiceSelector {
  package static func member(of node: JSONNode) throws(JSONProblem) -> ServiceSelector? {
    guard let node = node["service"] else { return nil }
    return try ServiceSelector(node)
  }

  package init(_ node: JSONNode) throws(JSONProblem) {
    if let name = node.stringValue {
      self = .name(name)
      return
    }
    guard node.integerValue != nil else {
      throw node.problem("a service's type, name or iid is expected, not \(node.kindName)")
    }
    self = .iid(UInt64(try node.asInteger(in: 1...Int128(UInt64.max))))
  }

  package func write(to json: inout JSONWriter) {
    switch self {
    case .name(let name): json.string(name)
    case .iid(let iid): json.integer(iid)
    }
  }
}

extension CharacteristicSelector {
  /// The members that `init(membersOf:)` reads.
  package static let members = ["service", "characteristic"]

  package init(membersOf node: JSONNode) throws(JSONProblem) {
    let service = try ServiceSelector.member(of: node)
    self = try CharacteristicSelector(try node.required("characteristic"), service: service)
  }

  package init(_ node: JSONNode, service: ServiceSelector?) throws(JSONProblem) {
    guard let text = node.stringValue else {
      throw node.problem("a characteristic's name, type or address such as \"1.10\" is expected, not \(node.kindName)")
    }
    self.init(text, service: service)
  }
}
