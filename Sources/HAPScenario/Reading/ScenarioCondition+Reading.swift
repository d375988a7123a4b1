import HAPIP
import HAPModel
import HAPVocabulary
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
      guard !elements.isEmpty else { throw list.problem("the list has no condition") }
      var conditions: [ScenarioCondition] = []
      for element in elements { conditions.append(try ScenarioCondition(element)) }
      self = make(conditions)
      return
    }
    self = node["event"] == nil ? .value(try ValueCondition(node)) : .event(try EventCondition(node))
  }

  fileprivate static func words(_ node: JSONNode) throws(JSONProblem) -> CharacteristicWords {
    let characteristic = try node.required("characteristic")
    return CharacteristicWords(
      accessory: try node["accessory"].map { node throws(JSONProblem) in try AccessorySelector(node) },
      selector: try CharacteristicSelector(characteristic, service: try .member(of: node)),
      place: WordPlace(characteristic))
  }

  fileprivate static var valueMembers: [String] { characteristicMembers + tests }

}

extension ScenarioValue {
  init(_ node: JSONNode) throws(JSONProblem) {
    guard let value = Value(written: node) else {
      throw node.problem("a name, a text, a number, true or false is expected, not \(node.kindName)")
    }
    self.value = value
    place = WordPlace(node)
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
        let value = try ScenarioValue(member.value)
        tests.append(member.name == "is" ? .equal(value) : .different(value))
      case "at-least": tests.append(.atLeast(try member.value.asDouble()))
      case "at-most": tests.append(.atMost(try member.value.asDouble()))
      default: break
      }
    }
    guard !tests.isEmpty else {
      throw node.problem("the test of the value is missing: is, not, at-least or at-most")
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
    accessory = try node["accessory"].map { node throws(JSONProblem) in
      AccessoryWords(selector: try AccessorySelector(node), place: WordPlace(node))
    }
    words = vocabulary.hasCharacteristic && node["characteristic"] != nil ? try ScenarioCondition.words(node) : nil
    if words == nil, let service = node["service"] {
      throw service.problem("a service needs a characteristic here")
    }
    value = try node["value"].map { node throws(JSONProblem) in try ScenarioValue(node) }
    members = []
    for name in vocabulary.members {
      guard let pattern = node[name] else { continue }
      members.append((name, try ScenarioValue(pattern).value))
    }
  }
}
