import HAPModel
import HAPWire

extension ScenarioCondition {
  private static let characteristicMembers = ["accessory", "service", "characteristic"]
  private static let tests = ["is", "not", "at-least", "at-most"]

  init(_ node: JSONNode) throws(JSONProblem) {
    _ = try node.asObject()
    for (name, make) in [("any", ScenarioCondition.any), ("all", ScenarioCondition.all)] {
      guard let list = node[name] else { continue }
      try node.refuseUnknownMembers(except: [name])
      let elements = try list.asList()
      guard !elements.isEmpty else { throw list.problem("there is no condition") }
      var conditions: [ScenarioCondition] = []
      for element in elements { conditions.append(try ScenarioCondition(element)) }
      self = make(conditions)
      return
    }
    self = node["event"] == nil ? .value(try ValueCondition(node)) : .event(try EventCondition(node))
  }

  fileprivate static func words(_ node: JSONNode) throws(JSONProblem) -> CharacteristicWords {
    let characteristic = try node.required("characteristic")
    guard characteristic.stringValue != nil else {
      throw characteristic.problem(
        "a characteristic's name, type or address such as \"1.10\" is expected, not \(characteristic.kindName)")
    }
    return CharacteristicWords(
      accessory: node["accessory"], service: node["service"], characteristic: characteristic)
  }

  fileprivate static var valueMembers: [String] { characteristicMembers + tests }

  fileprivate static func refuseLists(_ node: JSONNode) throws(JSONProblem) {
    guard node.elements == nil, node.members == nil else {
      throw node.problem("a word, a text, a number, true or false is expected, not \(node.kindName)")
    }
  }
}

extension ValueCondition {
  init(_ node: JSONNode) throws(JSONProblem) {
    guard node["characteristic"] != nil else {
      try node.refuseUnknownMembers(except: ScenarioCondition.valueMembers + ["event", "any", "all"])
      throw node.problem("a condition has a characteristic, an event, any or all")
    }
    try node.refuseUnknownMembers(except: ScenarioCondition.valueMembers)
    words = try ScenarioCondition.words(node)
    place = node.place
    tests = []
    for member in try node.asObject() {
      switch member.name {
      case "is", "not":
        try ScenarioCondition.refuseLists(member.value)
        tests.append(member.name == "is" ? .equal(member.value) : .different(member.value))
      case "at-least": tests.append(.atLeast(try member.value.asDouble()))
      case "at-most": tests.append(.atMost(try member.value.asDouble()))
      default: break
      }
    }
    guard !tests.isEmpty else {
      throw node.problem("what its value has to be is missing: is, not, at-least or at-most")
    }
  }
}

extension EventCondition {
  init(_ node: JSONNode) throws(JSONProblem) {
    let named = try node.required("event")
    let name = try named.asString()
    guard let vocabulary = EventVocabulary[name] else {
      let names = EventVocabulary.all.map(\.name)
      let meant = nearestName(to: name, in: names).map { ": did you mean \"\($0)\"?" }
      throw named.problem("there is no event \"\(name)\"\(meant ?? "; there are \(names.joined(separator: ", "))")")
    }
    var known = ["event", "accessory"] + vocabulary.members
    if vocabulary.hasCharacteristic { known += ["service", "characteristic"] }
    if vocabulary.hasValue { known.append("value") }
    try node.refuseUnknownMembers(except: known)
    self.name = name
    place = node.place
    accessory = node["accessory"]
    words = vocabulary.hasCharacteristic && node["characteristic"] != nil ? try ScenarioCondition.words(node) : nil
    if words == nil, let service = node["service"] {
      throw service.problem("a service without a characteristic means nothing here")
    }
    if words == nil, let accessory, accessory.stringValue == nil, accessory.integerValue == nil {
      throw accessory.problem("an accessory's name or aid is expected, not \(accessory.kindName)")
    }
    value = node["value"]
    if let value { try ScenarioCondition.refuseLists(value) }
    members = []
    for name in vocabulary.members {
      guard let pattern = node[name] else { continue }
      try ScenarioCondition.refuseLists(pattern)
      members.append((name, pattern))
    }
  }
}
