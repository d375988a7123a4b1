import HAPIP
import HAPModel
import HAPWire

/// An action of a fault at its accessory, which a person can perform by a command of the same name.
package enum FaultAction: Equatable, Sendable {
  /// Take the record off the network, or tell it again.
  case announce(Bool)
  /// Take the accessory off the network, or bring it back.
  case radio(Bool)
  /// Leave reads of a characteristic without an answer, or answer them again.
  case stall(CharacteristicSelector, Bool)
  case restart(Restart)
}

extension FaultAction {
  init(_ node: JSONNode) throws(JSONProblem) {
    let word = try node.string("command")
    func refuseMembers(except names: String...) throws(JSONProblem) {
      try node.refuseUnknownMembers(except: ["command"] + names)
    }
    switch word {
    case "announce", "radio":
      try refuseMembers(except: "value")
      let isOn = try node.required("value").asBool()
      self = word == "radio" ? .radio(isOn) : .announce(isOn)
    case "stall":
      try refuseMembers(except: "characteristic", "value")
      self = .stall(CharacteristicSelector(try node.string("characteristic")), try node.required("value").asBool())
    default:
      try refuseMembers()
      guard let restart = Restart(rawValue: word) else {
        let others = Restart.allCases.map(\.rawValue).joined(separator: ", ")
        throw try node.required("command").problem("a fault's commands are announce, radio, stall, \(others)")
      }
      self = .restart(restart)
    }
  }
}
