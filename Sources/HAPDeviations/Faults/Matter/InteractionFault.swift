import HAPModel
import HAPWire

/// A fault of what a Matter node answers and reports.
package enum InteractionFault: Equatable, Sendable {
  /// The reports of subscriptions that are lost.
  package enum Reports: Equatable, Sendable {
    case all
    /// The first one of each subscription that has a change.
    case first
  }

  /// Reads of the attributes of these characteristics end with a status.
  case status(TypeID, HAPStatus)
  /// The attributes of these characteristics have a number as their value.
  case value(TypeID, UInt64)
  case lostReports(Reports)

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["type", "status", "value", "lose"])
    if let which = node["lose"] {
      // As in the rules for events of HAP.
      try which.refuseUnknownMembers(except: ["event", "nth"])
      self = .lostReports(which["nth"] == nil ? .all : .first)
    } else if let number = node["status"] {
      guard let status = HAPStatus(rawValue: Int32(try number.asInteger(in: -70_412 ... -70_401))) else {
        throw number.problem("it must be a status of HAP")
      }
      self = .status(try node.required("type").type(), status)
    } else {
      let value = try node.required("value").asInteger(in: 0...Int128(Int64.max))
      self = .value(try node.required("type").type(), UInt64(value))
    }
  }
}
