import HAPIP
import HAPModel
import HAPWire

/// An action of a fault on its accessory. A person can perform it by a command of the same name.
package enum FaultAction: Equatable, Sendable {
  /// Withdraws the record from the network, or announces it again.
  case announce(Bool)
  /// Disconnects the accessory from the network, or connects it again.
  case radio(Bool)
  /// Stops answering reads of a characteristic, or answers them again.
  case stall(CharacteristicSelector, Bool)
  case restart(Restart)
}

extension FaultAction {
  /// Reads the action from an object of a fault file.
  init(_ node: JSONNode) throws(JSONProblem) {
    let word = try node.string("command")
    let members: [String]
    switch word {
    case "announce", "radio": members = ["value"]
    case "stall": members = CharacteristicSelector.members + ["value"]
    default: members = []
    }
    try node.refuseUnknownMembers(except: ["command"] + members)
    self = try FaultAction(word, node)
  }

  /// Reads the members of the command with this name.
  package init(_ command: String, _ node: JSONNode) throws(JSONProblem) {
    switch command {
    case "announce": self = .announce(try node.required("value").asBool())
    case "radio": self = .radio(try node.required("value").asBool())
    case "stall": self = .stall(try CharacteristicSelector(membersOf: node), try node.bool("value", default: true))
    default:
      guard let restart = Restart(rawValue: command) else {
        let others = Restart.allCases.map(\.rawValue).joined(separator: ", ")
        throw try node.required("command").problem("a fault's commands are announce, radio, stall, \(others)")
      }
      self = .restart(restart)
    }
  }
}
